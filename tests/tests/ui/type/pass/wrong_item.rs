use mcp_runtime::prelude::*;
use serde_json::json;

/// A place.
#[mcp_type]
struct Place {
    /// Degrees north.
    latitude: f64,
    #[serde(default)]
    name: Option<String>,
}

/// A direction.
#[mcp_type]
#[serde(rename_all = "lowercase")]
enum Direction {
    /// Up.
    North,
    South,
}

/// A pair.
#[mcp_type]
struct Pair<T>(T, T);

/// Go somewhere.
#[mcp_tool]
fn walk(place: Place, direction: Direction, steps: Pair<i64>) -> Place {
    let sign = match direction {
        Direction::North => 1.0,
        Direction::South => -1.0,
    };
    let steps = f64::from(i32::try_from(steps.0 + steps.1).unwrap());
    Place { latitude: place.latitude + sign * steps, name: place.name }
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let result = server.call_blocking("walk", json!({"place": {"latitude": 1.5}, "direction": "north", "steps": [1, 2]}));
    assert_eq!(result.structured_content(), Some(&json!({"latitude": 4.5, "name": null})));
}
