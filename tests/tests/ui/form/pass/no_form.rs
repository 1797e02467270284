use mcp_runtime::prelude::*;

fn read<T: ElicitForm>(text: &str) -> Result<T, Vec<mcp_runtime::form::FormFault>> {
    T::from_content(&serde_json::value::RawValue::from_string(text.to_owned()).unwrap())
}

#[derive(ElicitForm)]
enum Colour {
    Red,
}

#[derive(ElicitForm)]
struct Person {
    name: String,
    colour: Colour,
}

fn main() {
    let person: Person = read(r#"{"name": "Ada", "colour": "Red"}"#).unwrap();
    assert_eq!(person.name, "Ada");
    assert!(matches!(person.colour, Colour::Red));
}
