use mcp_runtime::prelude::*;
use serde_json::json;

/// Take patterns that both dialects read alike.
#[mcp_tool]
fn take(
    #[arg(pattern = "[Yy]es")] a: String,
    #[arg(pattern = "(?<year>[0-9]+)")] b: String,
    #[arg(pattern = r"^\w+$")] c: String,
    #[arg(pattern = r"^(?:a*)*$")] d: String,
) -> String {
    format!("{a}{b}{c}{d}")
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let right = json!({"a": "yes", "b": "in 2026", "c": "word", "d": "aa"});
    assert_eq!(server.call_blocking("take", right).text(), "yesin 2026wordaa");
    let wrong = json!({"a": "YES", "b": "in 2026", "c": "word", "d": "aa"});
    assert!(server.call_blocking("take", wrong).is_error());
}
