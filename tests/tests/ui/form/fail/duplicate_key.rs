use mcp_runtime::prelude::*;

#[derive(ElicitForm)]
#[form(crate = mcp_runtime, crate = mcp_runtime)]
struct Person {
    #[form(title = "a", title = "b")]
    name: String,
    #[form(default = 18)]
    #[form(default = 19)]
    age: u8,
}

#[derive(ElicitForm)]
enum Colour {
    #[form(rename = "red", rename = "rouge")]
    Red,
}

fn main() {}
