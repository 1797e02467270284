use mcp_runtime::prelude::*;

#[derive(ElicitForm)]
enum Nothing {}

#[derive(ElicitForm)]
enum Delivery {
    Post,
    PickUp(String),
    Courier { by: u8 },
    Nowhere(),
}

fn main() {}
