use mcp_runtime::prelude::*;

async fn names(_: &str) -> Vec<String> {
    Vec::new()
}

async fn others(_: &str, _: &CompletionContext) -> Vec<String> {
    Vec::new()
}

/// Greet somebody.
#[mcp_prompt]
fn greet(
    #[arg(complete(names, inline))] name: String,
    #[arg(complete(others, inline))] other: String,
) -> String {
    name + &other
}

fn main() {}
