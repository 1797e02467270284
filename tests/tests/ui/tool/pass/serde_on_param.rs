use mcp_runtime::prelude::*;
use serde_json::json;

fn ten() -> u32 {
    10
}

/// Search the catalogue.
#[mcp_tool]
fn search(
    #[arg(default)] words: String,
    #[arg(default = ten(), rename = "max")] limit: u32,
    #[arg(range(1..=9), example = 4)] page: u32,
) -> String {
    format!("{words}{limit}{page}")
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("search", json!({"page": 3})).text(), "103");
}
