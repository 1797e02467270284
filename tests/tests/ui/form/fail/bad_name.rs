use mcp_runtime::prelude::*;

#[derive(ElicitForm)]
struct Person {
    größe: u8,
    #[form(rename = "first name")]
    name: String,
    #[doc = include_str!("bad_name.rs")]
    home: String,
}

#[derive(ElicitForm)]
enum Colour {
    #[form(rename = "")]
    Red,
}

fn main() {}
