use mcp_runtime::prelude::*;
use serde_json::json;

/// Take defaults that keep their own rules.
#[mcp_tool]
fn take(
    #[arg(default = 100, range(1..=100))] a: i64,
    #[arg(default = -1.5, range(-1.5..))] b: f64,
    #[arg(default = 9, range(0..10))] c: u8,
    #[arg(default = "é", length(1))] d: String,
    #[arg(default = "a", pattern = "^[a-z]$")] e: String,
    #[arg(default = "", examples("a", "b"), length(..2))] f: String,
) -> String {
    format!("{a}{b}{c}{d}{e}{f}")
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("take", json!({})).text(), "100-1.59éa");
    for wrong in [json!({"a": 101}), json!({"b": -2}), json!({"c": 10}), json!({"d": ""}), json!({"e": "A"})] {
        assert!(server.call_blocking("take", wrong.clone()).is_error(), "{wrong}");
    }
}
