//! The server that clients of older revisions meet: a tool, a prompt or a resource for each difference.
//!
//! Its items are in a group of their own, so that no other test's server gets them.

use mcp_runtime::prelude::*;
use mcp_runtime::{Icon, ResourceLink};

/// The server, ready to be built.
pub fn server() -> ServerBuilder {
    mcp_runtime::server!()
        .title("Older clients")
        .description("A server for clients of all ages.")
        .website_url("https://example.com/")
        .icon(Icon::new("https://example.com/icon.png"))
        .instructions("Call anything.")
        .groups(["legacy"])
}

/// Add two integers.
#[mcp_tool(
    group = "legacy",
    title = "Sum",
    read_only,
    icons(icon(src = "https://example.com/add.png"))
)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Somebody to call.
#[mcp_type]
struct Contact {
    /// The name.
    name: String,
    /// A box in a box.
    boss: Option<Box<Self>>,
}

/// Two contacts in one record.
#[mcp_type]
struct Pair {
    first: Contact,
    second: Contact,
}

/// List pairs of contacts.
#[mcp_tool(group = "legacy")]
fn contacts() -> Vec<Pair> {
    let contact = |name: &str| Contact {
        name: name.to_owned(),
        boss: None,
    };
    vec![Pair {
        first: contact("Ada"),
        second: contact("Bob"),
    }]
}

/// Give one contact.
#[mcp_tool(group = "legacy")]
fn contact() -> Contact {
    Contact {
        name: "Ada".to_owned(),
        boss: None,
    }
}

/// Give content of each kind.
#[mcp_tool(group = "legacy")]
fn content() -> Vec<ContentBlock> {
    vec![
        ContentBlock::text("text"),
        ContentBlock::audio([1, 2, 3], "audio/wav"),
        ContentBlock::ResourceLink(ResourceLink::new("legacy://here", "here")),
    ]
}

/// Fail.
#[mcp_tool(group = "legacy")]
async fn fail() -> Result<String, ToolError> {
    Err(ToolError::new("it does not work"))
}
