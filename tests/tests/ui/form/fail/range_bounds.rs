use mcp_runtime::prelude::*;

const MOST: u8 = 9;

#[derive(ElicitForm)]
struct Person {
    #[form(range(9..=1))]
    age: u8,
    #[form(range(5..5))]
    floor: i8,
    #[form(range(1..=MOST))]
    rooms: u8,
    #[form(range(..))]
    cats: u8,
    #[form(range(0.0..1.0))]
    scale: f64,
    #[form(length(5..=1))]
    name: String,
    #[form(length(-1..))]
    home: String,
    #[form(items(0.5..))]
    colours: Vec<Colour>,
}

#[derive(ElicitForm)]
enum Colour {
    Red,
}

fn main() {}
