use mcp_runtime::prelude::*;
use serde::Deserialize;

/// A place.
#[mcp_type]
#[derive(Deserialize)]
struct Place {
    latitude: f64,
}

/// Look at a place, which is a parameter all the same.
#[mcp_tool]
fn look(place: Place) -> f64 {
    place.latitude
}

fn main() {}
