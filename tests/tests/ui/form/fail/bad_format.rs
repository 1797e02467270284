use mcp_runtime::prelude::*;

#[derive(ElicitForm)]
struct Person {
    #[form(format = "emial")]
    email: String,
    #[form(format = "hostname")]
    host: String,
}

fn main() {}
