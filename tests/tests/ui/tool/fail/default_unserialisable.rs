use mcp_runtime::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Hidden(u8);

/// Take defaults that cannot be shown.
#[mcp_tool]
fn take(#[arg(default = Hidden(1))] a: Hidden, #[arg(default)] b: Hidden) -> u8 {
    a.0 + b.0
}

fn main() {}
