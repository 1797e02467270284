use mcp_runtime::prelude::*;

fn read<T: ElicitForm>(text: &str) -> Result<T, Vec<mcp_runtime::form::FormFault>> {
    T::from_content(&serde_json::value::RawValue::from_string(text.to_owned()).unwrap())
}

#[derive(ElicitForm)]
enum Colour {
    Red,
    Blue,
}

const NAME: &str = "Ada";

#[derive(ElicitForm)]
struct Person {
    #[form(default = 7)]
    age: u8,
    #[form(default = u8::MAX)]
    height: u8,
    #[form(default = NAME)]
    name: String,
    #[form(default = Colour::Red)]
    colour: Colour,
    #[form(default = [Colour::Blue])]
    colours: Vec<Colour>,
    #[form(default = true)]
    is_adult: bool,
}

fn main() {
    let person: Person = read("{}").unwrap();
    assert_eq!(
        (person.age, person.height, &*person.name, person.is_adult),
        (7, 255, "Ada", true)
    );
    assert!(matches!(
        (person.colour, &person.colours[..]),
        (Colour::Red, [Colour::Blue])
    ));
}
