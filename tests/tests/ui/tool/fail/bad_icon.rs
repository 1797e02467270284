use mcp_runtime::prelude::*;

/// Show icons.
#[mcp_tool(icons(
    icon(src = "javascript:alert(1)"),
    icon(src = "http://example.com/icon.png"),
    icon(src = "data:text/html;base64,PGI+"),
    icon(src = "https://example.com/icon", mime_type = "text/html", sizes = ["48"], theme = "grey"),
))]
fn icons() {}

/// Show nothing.
#[mcp_tool(icons(icon(theme = "dark")))]
fn no_source() {}

/// Show something else.
#[mcp_tool(icons(picture(src = "https://example.com/icon.png")))]
fn no_icon() {}

fn main() {}
