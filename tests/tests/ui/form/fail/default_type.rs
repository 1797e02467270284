use mcp_runtime::prelude::*;

#[derive(ElicitForm)]
enum Colour {
    Red,
    Blue,
}

#[derive(ElicitForm)]
struct Person {
    #[form(default = "7")]
    age: u8,
    #[form(default = 7)]
    name: String,
    #[form(default = "Red")]
    colour: Colour,
    #[form(default = Colour::Red)]
    colours: Vec<Colour>,
    #[form(default = 1)]
    is_adult: bool,
}

fn main() {}
