use mcp_runtime::prelude::*;

/// Take one name twice.
#[mcp_tool]
fn take(r#type: String, #[arg(rename = "type")] kind: String) -> String {
    r#type + &kind
}

fn main() {}
