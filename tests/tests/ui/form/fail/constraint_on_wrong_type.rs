use mcp_runtime::prelude::*;

#[derive(ElicitForm)]
enum Colour {
    Red,
    Blue,
}

type Words = String;

#[derive(ElicitForm)]
struct Person {
    #[form(range(1..=9))]
    name: Words,
    #[form(length(1..=9))]
    age: u8,
    #[form(items(1..=9))]
    home: String,
    #[form(format = "email")]
    weight: Option<f64>,
    #[form(range(1..=9))]
    colour: Colour,
    #[form(length(1..=9))]
    colours: Vec<Colour>,
    #[form(length(1))]
    initial: char,
    #[form(range(1..=9))]
    is_adult: bool,
}

fn main() {}
