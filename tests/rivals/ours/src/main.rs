//! The tools that are measured, in each execution: `ours stdio`, or `ours http PORT`.

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::thread;
use std::time::Duration;

use mcp_runtime::http::HttpOptions;
use mcp_runtime::prelude::*;

/// A point in the plane.
#[mcp_type]
struct Point {
    /// The horizontal coordinate.
    x: f64,
    /// The vertical coordinate.
    y: f64,
    /// The name of the point.
    label: String,
}

/// Points on a line.
#[mcp_type]
struct Line {
    /// The points.
    points: Vec<Point>,
}

/// Add two integers.
#[mcp_tool(read_only, inline)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Add two integers, by an async function.
#[mcp_tool(read_only)]
async fn add_async(a: i64, b: i64) -> i64 {
    a + b
}

/// Add two integers, by a function that may block.
#[mcp_tool(read_only)]
fn add_plain(a: i64, b: i64) -> i64 {
    a + b
}

/// Return the text.
#[mcp_tool(read_only, inline)]
fn echo(text: String) -> String {
    text
}

/// Return the text, by an async function.
#[mcp_tool(read_only)]
async fn echo_async(text: String) -> String {
    text
}

/// Return the text, by a function that may block.
#[mcp_tool(read_only)]
fn echo_plain(text: String) -> String {
    text
}

/// Make points on a line.
#[mcp_tool(read_only, inline)]
fn structured(count: u32) -> Line {
    line(count)
}

/// Make points on a line, by an async function.
#[mcp_tool(read_only)]
async fn structured_async(count: u32) -> Line {
    line(count)
}

/// Make points on a line, by a function that may block.
#[mcp_tool(read_only)]
fn structured_plain(count: u32) -> Line {
    line(count)
}

/// Block the thread for some time.
#[mcp_tool(read_only)]
fn block(milliseconds: u64) -> String {
    thread::sleep(Duration::from_millis(milliseconds));
    "done".to_owned()
}

fn line(count: u32) -> Line {
    let points = (0..count)
        .map(|index| Point {
            x: f64::from(index),
            y: f64::from(index) / 2.0,
            label: format!("point {index}"),
        })
        .collect();
    Line { points }
}

fn main() -> Result<(), Box<dyn Error>> {
    let server = mcp_runtime::server!().build()?;
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (Some("stdio"), None) => Ok(server.serve_stdio_blocking()?),
        (Some("http"), Some(port)) => {
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port.parse()?));
            Ok(server.serve_http_blocking(address, HttpOptions::new())?)
        }
        _ => Err("expected `stdio`, or `http PORT`".into()),
    }
}
