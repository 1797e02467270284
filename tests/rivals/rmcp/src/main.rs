//! The tools that are measured, with rmcp: `rmcp stdio`, or `rmcp http PORT`.

use std::error::Error;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use axum::serve::ListenerExt as _;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::schemars::JsonSchema;
use rmcp::transport::stdio;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{Json, ServiceExt, schemars, tool, tool_router};
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Addends {
    a: i64,
    b: i64,
}

#[derive(Deserialize, JsonSchema)]
struct Text {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Count {
    count: u32,
}

#[derive(Deserialize, JsonSchema)]
struct Pause {
    milliseconds: u64,
}

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

#[derive(Clone)]
struct Tools;

#[tool_router(server_handler)]
impl Tools {
    /// Add two integers.
    #[tool(annotations(read_only_hint = true))]
    async fn add(&self, Parameters(Addends { a, b }): Parameters<Addends>) -> String {
        (a + b).to_string()
    }

    /// Return the text.
    #[tool(annotations(read_only_hint = true))]
    async fn echo(&self, Parameters(Text { text }): Parameters<Text>) -> String {
        text
    }

    /// Make points on a line.
    #[tool(annotations(read_only_hint = true))]
    async fn structured(&self, Parameters(Count { count }): Parameters<Count>) -> Json<Line> {
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
    #[tool(annotations(read_only_hint = true))]
    fn block(&self, Parameters(Pause { milliseconds }): Parameters<Pause>) -> String {
        thread::sleep(Duration::from_millis(milliseconds));
        "done".to_owned()
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (Some("stdio"), None) => {
            Tools.serve(stdio()).await?.waiting().await?;
            Ok(())
        }
        (Some("http"), Some(port)) => {
            // Its default, an event stream for each answer, takes it several times as long.
            let config = StreamableHttpServerConfig::default()
                .with_legacy_session_mode(false)
                .with_json_response(true);
            let sessions = Arc::new(LocalSessionManager::default());
            let service = StreamableHttpService::new(|| Ok(Tools), sessions, config);
            let router = axum::Router::new().nest_service("/mcp", service);
            let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await?;
            // Else each answer of two writes waits for an acknowledgement, which takes 40 ms.
            let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
            Ok(axum::serve(listener, router).await?)
        }
        _ => Err("expected `stdio`, or `http PORT`".into()),
    }
}
