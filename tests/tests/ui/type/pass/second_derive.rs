use mcp_runtime::prelude::*;
use serde_json::json;

/// A place.
#[mcp_type(crate = mcp_runtime)]
#[derive(Clone, Debug, PartialEq)]
struct Place {
    latitude: f64,
}

/// Name a place.
#[mcp_tool(crate = mcp_runtime)]
fn name(place: &Place) -> String {
    format!("{place:?}")
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("name", json!({"place": {"latitude": 1}})).text(), "Place { latitude: 1.0 }");
}
