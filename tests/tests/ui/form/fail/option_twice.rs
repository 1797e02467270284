use mcp_runtime::prelude::*;

type Maybe = Option<u8>;

#[derive(ElicitForm)]
struct Person {
    age: Option<Maybe>,
}

fn main() {}
