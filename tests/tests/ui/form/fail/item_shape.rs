use mcp_runtime::prelude::*;

#[derive(ElicitForm)]
struct Pair(String, u8);

#[derive(ElicitForm)]
struct Consent;

#[derive(ElicitForm)]
union Either {
    number: u8,
    letter: char,
}

fn main() {}
