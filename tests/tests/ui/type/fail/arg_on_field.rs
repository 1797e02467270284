use mcp_runtime::prelude::*;

/// A parcel.
#[mcp_type]
struct Parcel {
    #[arg(range(1..=9), default = 4)]
    weight: u8,
    #[arg(length(1..9), pattern = "^[a-z]+$", rename = "to", description = "Where it goes.")]
    place: String,
}

/// Send a parcel.
#[mcp_tool]
fn send(parcel: Parcel) -> String {
    parcel.place
}

fn main() {}
