use mcp_runtime::prelude::*;

#[derive(ElicitForm)]
enum Colour {
    Red,
}

const MOST: u8 = 130;

#[derive(ElicitForm)]
struct Person {
    #[form(range(18..=130), default = 17)]
    age: u8,
    #[form(range(..130), default = MOST)]
    height: u8,
    #[form(range(0.5..=1.5), default = 0.4)]
    scale: f32,
    #[form(length(..=3), default = "Ada L")]
    name: String,
    #[form(format = "email", default = "ada")]
    email: String,
    #[form(length(1..=3), format = "date", default = "2026-02-29")]
    birthday: Box<str>,
    #[form(items(2..), default = [Colour::Red])]
    colours: Vec<Colour>,
    #[form(default = 1.0 / 0.0)]
    weight: f64,
}

fn main() {}
