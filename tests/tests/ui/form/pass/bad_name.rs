use mcp_runtime::prelude::*;

fn read<T: ElicitForm>(text: &str) -> Result<T, Vec<mcp_runtime::form::FormFault>> {
    T::from_content(&serde_json::value::RawValue::from_string(text.to_owned()).unwrap())
}

#[derive(ElicitForm)]
struct Person {
    #[form(rename = "height")]
    größe: u8,
    #[form(rename = "first-name")]
    name: String,
    #[doc = include_str!("bad_name.rs")]
    #[form(description = "Where you live.")]
    home: String,
    colour: Colour,
}

#[derive(ElicitForm)]
enum Colour {
    #[form(rename = "dark red")]
    Red,
}

fn main() {
    let person: Person =
        read(r#"{"height": 7, "first-name": "Ada", "home": "", "colour": "dark red"}"#).unwrap();
    assert_eq!(
        (person.größe, person.name + &person.home),
        (7, "Ada".to_owned())
    );
    assert!(matches!(person.colour, Colour::Red));
}
