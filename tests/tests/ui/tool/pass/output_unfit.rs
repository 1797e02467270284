use mcp_runtime::prelude::*;
use serde_json::json;

#[mcp_type]
struct Plain {
    n: u8,
}

struct Custom;

impl IntoToolResult for Custom {
    fn into_tool_result(self) -> ToolResult {
        ToolResult::new([ContentBlock::text("custom")])
    }
}

struct Failure;

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("failed")
    }
}

/// Return structure.
#[mcp_tool]
fn plain() -> Plain {
    Plain { n: 1 }
}

/// Return structure, or an error.
#[mcp_tool]
async fn fallible() -> Result<Vec<Plain>, ToolError> {
    Ok(vec![Plain { n: 1 }])
}

/// Return content.
#[mcp_tool]
fn custom() -> Custom {
    Custom
}

/// Fail with a text.
#[mcp_tool]
fn fail() -> Result<i64, Failure> {
    Err(Failure)
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("plain", json!({})).structured_content(), Some(&json!({"n": 1})));
    assert_eq!(server.call_blocking("fallible", json!({})).text(), "[{\"n\":1}]");
    assert_eq!(server.call_blocking("custom", json!({})).text(), "custom");
    let failed = server.call_blocking("fail", json!({}));
    assert!(failed.is_error());
    assert_eq!(failed.text(), "Error: failed");
}
