use mcp_runtime::prelude::*;

fn ask<T: ElicitForm>() {}

#[derive(ElicitForm)]
enum Colour {
    Red,
}

struct Person {
    name: String,
}

fn main() {
    ask::<Colour>();
    ask::<Person>();
}
