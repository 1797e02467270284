use mcp_runtime::prelude::*;

fn read<T: ElicitForm>(text: &str) -> Result<T, Vec<mcp_runtime::form::FormFault>> {
    T::from_content(&serde_json::value::RawValue::from_string(text.to_owned()).unwrap())
}

#[derive(ElicitForm)]
struct Person {
    #[form(range(0..=255))]
    age: u8,
    #[form(range(-128..))]
    floor: i8,
    #[form(range(..256))]
    rooms: u8,
    #[form(range(..255), default = 7)]
    cats: u8,
    #[form(range(0..=10))]
    scale: f64,
}

fn main() {
    let text = r#"{"age": 255, "floor": -128, "rooms": 255, "scale": 10}"#;
    let person: Person = read(text).unwrap();
    assert_eq!(
        (person.age, person.floor, person.rooms, person.cats),
        (255, -128, 255, 7)
    );
    assert_eq!(person.scale, 10.0);
}
