use mcp_runtime::prelude::*;

/// The weather.
#[mcp_resource("weather://now", task = "required")]
async fn weather() -> String {
    "fair".to_owned()
}

fn main() {}
