use mcp_runtime::prelude::*;
use serde_json::json;

use std::path::Path;

#[mcp_type]
#[derive(Debug, Default)]
enum Kind {
    #[default]
    Plain,
    Fancy,
}

fn computed() -> Vec<u8> {
    vec![1, 2]
}

/// Take defaults of the right type.
#[mcp_tool]
fn take(
    #[arg(default = 1.5)] a: f64,
    #[arg(default = "one")] b: String,
    #[arg(default = 255)] c: u8,
    #[arg(default = "lent")] d: &str,
    #[arg(default = "path")] e: &Path,
    #[arg(default)] f: Kind,
    #[arg(default = Kind::Fancy)] g: Kind,
    #[arg(default = computed())] h: &[u8],
    #[arg(default = true, example = false)] i: bool,
) -> String {
    format!("{a}{b}{c}{d}{}{f:?}{g:?}{h:?}{i}", e.display())
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("take", json!({})).text(), "1.5one255lentpathPlainFancy[1, 2]true");
    let given = json!({"a": 0, "b": "", "c": 0, "d": "", "e": "", "f": "Fancy", "g": "Plain", "h": [], "i": false});
    assert_eq!(server.call_blocking("take", given).text(), "00FancyPlain[]false");
}
