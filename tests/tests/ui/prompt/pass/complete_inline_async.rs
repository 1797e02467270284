use mcp_runtime::prelude::*;

fn names(_: &str) -> Vec<String> {
    Vec::new()
}

async fn others(_: &str, _: &CompletionContext) -> Vec<String> {
    Vec::new()
}

/// Greet somebody.
#[mcp_prompt]
fn greet(
    #[arg(complete(names, inline))] name: String,
    #[arg(complete = others)] other: String,
) -> String {
    name + &other
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let result = server.get_prompt_blocking("greet", serde_json::json!({"name": "A", "other": "da"}));
    assert_eq!(result["messages"][0]["content"]["text"], "Ada");
}
