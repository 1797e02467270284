use mcp_runtime::prelude::*;

#[derive(ElicitForm)]
#[form]
struct Person {
    #[form(default)]
    age: u8,
    #[form(title = 7, range = 1)]
    height: u8,
    #[form(format(email))]
    email: String,
    #[form = "name"]
    name: String,
    #[form(title = " ", description = "")]
    home: String,
}

fn main() {}
