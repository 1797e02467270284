use mcp_runtime::prelude::*;

fn read<T: ElicitForm>(text: &str) -> Result<T, Vec<mcp_runtime::form::FormFault>> {
    T::from_content(&serde_json::value::RawValue::from_string(text.to_owned()).unwrap())
}

#[derive(ElicitForm)]
#[form(crate = mcp_runtime)]
struct Person {
    #[form(length(1..=9))]
    name: String,
    #[form(range(18..))]
    age: u8,
    colour: Colour,
}

#[derive(ElicitForm)]
enum Colour {
    #[form(title = "Red as wine", rename = "red")]
    Red,
}

fn main() {
    let person: Person = read(r#"{"name": "Ada", "age": 18, "colour": "red"}"#).unwrap();
    assert_eq!((&*person.name, person.age), ("Ada", 18));
    assert!(matches!(person.colour, Colour::Red));
    assert!(Person::requested_schema().contains(r#"{"const":"red","title":"Red as wine"}"#));
}
