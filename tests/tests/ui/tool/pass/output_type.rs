use mcp_runtime::prelude::*;
use serde_json::json;

type Answer = Result<String, ToolError>;

/// Return something.
#[mcp_tool]
fn text() -> Answer {
    Ok("1".into())
}

/// Return later.
#[mcp_tool]
async fn later() -> Result<i64, ToolError> {
    Ok(1)
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("text", json!({})).text(), "1");
    assert_eq!(server.call_blocking("later", json!({})).text(), "1");
}
