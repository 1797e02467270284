use mcp_runtime::prelude::*;

fn ten() -> u32 {
    10
}

/// Search the catalogue.
#[mcp_tool]
fn search(
    #[serde(default)] words: String,
    #[serde(default = "ten", rename = "max")] limit: u32,
    #[schemars(range(min = 1, max = 9), example = 4)] page: u32,
    #[serde(flatten)] rest: Vec<String>,
) -> String {
    format!("{words}{limit}{page}{rest:?}")
}

fn main() {}
