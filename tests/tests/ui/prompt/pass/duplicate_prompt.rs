use mcp_runtime::prelude::*;

/// Greet somebody.
#[mcp_prompt]
fn greet() -> &'static str {
    "Hello!"
}

mod other {
    use mcp_runtime::prelude::*;

    /// Greet somebody else.
    #[mcp_prompt(name = "greet-otherwise")]
    fn greet() -> &'static str {
        "Good day!"
    }
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let result = server.get_prompt_blocking("greet-otherwise", serde_json::json!({}));
    assert_eq!(result["messages"][0]["content"]["text"], "Good day!");
}
