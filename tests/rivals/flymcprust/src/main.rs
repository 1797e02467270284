//! The tools that are measured, with flymcprust: `flymcprust stdio`, or `flymcprust http PORT`.

use std::error::Error;
use std::thread;
use std::time::Duration;

use flymcprust::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

/// A point in the plane.
#[derive(Serialize, JsonSchema)]
struct Point {
    /// The horizontal coordinate.
    x: f64,
    /// The vertical coordinate.
    y: f64,
    /// The name of the point.
    label: String,
}

/// Points on a line.
#[derive(Serialize, JsonSchema)]
struct Line {
    /// The points.
    points: Vec<Point>,
}

/// Add two integers.
#[tool(read_only)]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Return the text.
#[tool(read_only)]
async fn echo(text: String) -> String {
    text
}

/// Make points on a line.
#[tool(read_only)]
async fn structured(count: u32) -> Json<Line> {
    let points = (0..count)
        .map(|index| Point {
            x: f64::from(index),
            y: f64::from(index) / 2.0,
            label: format!("point {index}"),
        })
        .collect();
    Json(Line { points })
}

/// Block the thread for some time.
#[tool(read_only)]
fn block(milliseconds: u64) -> String {
    thread::sleep(Duration::from_millis(milliseconds));
    "done".to_owned()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::builder("figures", "0.1.0")
        .tool::<add>()
        .tool::<echo>()
        .tool::<structured>()
        .tool::<block>()
        .build()?;
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (Some("stdio"), None) => Ok(server.serve_stdio_blocking().await?),
        (Some("http"), Some(port)) => Ok(server.serve_http(format!("127.0.0.1:{port}")).await?),
        _ => Err("expected `stdio`, or `http PORT`".into()),
    }
}
