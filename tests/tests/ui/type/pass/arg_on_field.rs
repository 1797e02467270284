use mcp_runtime::prelude::*;
use serde_json::json;

fn four() -> u8 {
    4
}

/// A parcel.
#[mcp_type]
struct Parcel {
    #[serde(default = "four")]
    #[schemars(range(min = 1, max = 9))]
    weight: u8,
    /// Where it goes.
    #[schemars(length(min = 1, max = 8), regex(pattern = "^[a-z]+$"))]
    #[serde(rename = "to")]
    place: String,
}

/// Send a parcel.
#[mcp_tool]
fn send(parcel: Parcel) -> String {
    format!("{} {}", parcel.place, parcel.weight)
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let call = |parcel| server.call_blocking("send", json!({"parcel": parcel})).text().to_owned();
    assert_eq!(call(json!({"to": "ulm"})), "ulm 4");
    assert!(call(json!({"to": "ulm", "weight": 10})).contains("1 to 9"));
    assert!(call(json!({"to": "Ulm"})).contains("^[a-z]+$"));
}
