use mcp_runtime::prelude::*;
use serde_json::json;

use std::borrow::Cow;
use std::path::Path;

/// Take what is lent for the time of the call.
#[mcp_tool]
fn take(a: String, b: &str, c: &String, d: &[String], e: &Path, f: &Option<u8>, mut g: Vec<u8>) -> Cow<'static, str> {
    g.push(0);
    format!("{a}{b}{c}{d:?}{}{f:?}{g:?}", e.display()).into()
}

/// Take what is lent across a pause.
#[mcp_tool]
async fn wait(text: &str) -> &str {
    std::future::ready(()).await;
    text
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let result = server.call_blocking("take", json!({"a": "a", "b": "b", "c": "c", "d": ["d"], "e": "e", "g": [1]}));
    assert_eq!(result.text(), "abc[\"d\"]eNone[1, 0]");
    assert_eq!(server.call_blocking("wait", json!({"text": "x"})).text(), "x");
}
