use mcp_runtime::prelude::*;
use serde_json::json;

/// Show icons.
#[mcp_tool(icons(
    icon(src = "https://example.com/icon.png"),
    icon(src = "data:image/svg+xml;base64,PHN2Zy8+", mime_type = "image/svg+xml", sizes = ["48x48", "any"], theme = "dark"),
))]
fn icons() {}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert!(!server.call_blocking("icons", json!({})).is_error());
}
