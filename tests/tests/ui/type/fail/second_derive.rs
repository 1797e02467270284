use mcp_runtime::prelude::*;

/// A place.
#[mcp_type(crat = mcp_runtime)]
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
struct Place {
    latitude: f64,
}

fn main() {}
