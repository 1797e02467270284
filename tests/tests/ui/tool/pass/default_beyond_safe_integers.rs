use mcp_runtime::prelude::*;

/// Take the greatest default that hosts keep.
#[mcp_tool]
fn take(#[arg(default = 9_007_199_254_740_991)] a: i64) -> String {
    a.to_string()
}

fn main() -> Result<(), BuildError> {
    let server = mcp_runtime::server!().build()?;
    let result = server.call_blocking("take", serde_json::json!({}));
    assert_eq!(result.text(), "9007199254740991");
    Ok(())
}
