use mcp_runtime::prelude::*;

#[derive(ElicitForm)]
#[form(titel = "Person")]
struct Person {
    #[form(lenght(1..=9))]
    name: String,
    #[form(minimum = 18)]
    age: u8,
}

#[derive(ElicitForm)]
enum Colour {
    #[form(titel = "Red as wine", renam = "red")]
    Red,
}

fn main() {}
