use mcp_runtime::prelude::*;

type Words = Vec<String>;

/// Describe what has these tags.
#[mcp_prompt]
fn describe(tags: Vec<u8>, words: &[String], others: Words) -> String {
    format!("{tags:?}{words:?}{others:?}")
}

fn main() {}
