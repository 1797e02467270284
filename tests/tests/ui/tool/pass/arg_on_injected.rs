use mcp_runtime::prelude::*;
use serde_json::json;

/// Look at the context.
#[mcp_tool]
fn look(/** Ours. */ ctx: &Context, #[arg(rename = "context")] text: String) -> String {
    let _ = ctx;
    text
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("look", json!({"context": "x"})).text(), "x");
}
