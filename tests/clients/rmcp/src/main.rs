//! rmcp's client, with the options that it has by default: it opens with `initialize`, and asks for revision 2026-07-28.
//!
//! ```text
//! rmcp-client expected.json -- path/to/server [its arguments]     over stdio
//! rmcp-client expected.json http://127.0.0.1:8000/mcp             over HTTP
//! ```
//!
//! The server is `test-server` of the workspace's tests. `expected.json` says what is sent and what comes back, in every
//! language. One line is printed for each check, and a summary. The exit status is 0 only if all hold.

mod check;
mod handler;

use std::env;
use std::error::Error;
use std::process::ExitCode;

use rmcp::ServiceExt;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use tokio::process::Command;

use crate::check::Session;
use crate::handler::Handler;

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let line: Vec<String> = env::args().skip(1).collect();
    let line: Vec<&str> = line.iter().map(String::as_str).collect();
    let handler = Handler::default();
    let (client, expected) = match line.as_slice() {
        [expected, "--", command, arguments @ ..] => {
            let mut process = Command::new(command);
            process.args(arguments);
            let client = handler.clone().serve(TokioChildProcess::new(process)?);
            (client.await?, expected)
        }
        [expected, url] if url.starts_with("http://") => {
            let transport = StreamableHttpClientTransport::from_uri(*url);
            (handler.clone().serve(transport).await?, expected)
        }
        _ => {
            return Err(
                "usage: rmcp-client expected.json -- path/to/server [its arguments] | URL".into(),
            );
        }
    };
    let expected = serde_json::from_slice(&std::fs::read(expected)?)?;
    let session = Session {
        client,
        handler,
        expected,
    };
    let failed = check::all(&session).await;
    session.client.cancel().await?;
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
