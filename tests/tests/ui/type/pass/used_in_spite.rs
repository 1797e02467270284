use mcp_runtime::prelude::*;
use serde_json::json;

/// A place.
#[mcp_type]
struct Place {
    latitude: f64,
}

/// Look at a place.
#[mcp_tool]
fn look(place: Place) -> f64 {
    place.latitude
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("look", json!({"place": {"latitude": 1.5}})).text(), "1.5");
}
