use mcp_runtime::prelude::*;

/// Mirror arguments.
#[mcp_tool]
fn mirror(
    #[arg(header = "My Region")] a: String,
    #[arg(header = "Region")] b: String,
    #[arg(header = "REGION")] c: String,
) -> String {
    format!("{a}{b}{c}")
}

fn main() {}
