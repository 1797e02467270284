use mcp_runtime::prelude::*;

#[derive(ElicitForm)]
struct Person {
    #[form(range(0..=256))]
    age: u8,
    #[form(range(-129..))]
    floor: i8,
    #[form(range(..256))]
    rooms: u8,
    #[form(range(..257), default = 7)]
    cats: u8,
    #[form(range(0..10))]
    scale: f64,
}

fn main() {}
