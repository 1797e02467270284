use mcp_runtime::prelude::*;

use std::collections::BTreeMap;

#[derive(ElicitForm)]
struct Street {
    name: String,
}

type Words = Vec<String>;

#[derive(ElicitForm)]
struct Address {
    street: Street,
    labels: BTreeMap<String, String>,
    place: (f64, f64),
    words: Words,
    numbers: Option<Vec<u8>>,
    width: u128,
    nothing: (),
}

fn main() {}
