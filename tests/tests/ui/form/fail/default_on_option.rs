use mcp_runtime::prelude::*;

type Maybe<T> = Option<T>;

#[derive(ElicitForm)]
struct Person {
    #[form(default = 7)]
    age: Maybe<u8>,
    #[form(default = "Ada")]
    name: Option<String>,
}

fn main() {}
