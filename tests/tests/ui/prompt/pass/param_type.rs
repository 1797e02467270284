use mcp_runtime::prelude::*;

struct Name(String);

impl std::str::FromStr for Name {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.to_owned()))
    }
}

/// Greet somebody.
#[mcp_prompt]
fn greet(name: Name) -> String {
    format!("Hello, {}!", name.0)
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let result = server.get_prompt_blocking("greet", serde_json::json!({"name": "Ada"}));
    assert_eq!(result["messages"][0]["content"]["text"], "Hello, Ada!");
}
