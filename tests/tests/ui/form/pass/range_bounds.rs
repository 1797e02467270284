use mcp_runtime::prelude::*;

fn read<T: ElicitForm>(text: &str) -> Result<T, Vec<mcp_runtime::form::FormFault>> {
    T::from_content(&serde_json::value::RawValue::from_string(text.to_owned()).unwrap())
}

#[derive(ElicitForm)]
struct Person {
    #[form(range(1..=9))]
    age: u8,
    #[form(range(5..6))]
    floor: i8,
    #[form(range(1..=9))]
    rooms: u8,
    cats: u8,
    #[form(range(0.0..=1.0))]
    scale: f64,
    #[form(length(1..=5))]
    name: String,
    #[form(length(1..))]
    home: String,
    #[form(items(1..))]
    colours: Vec<Colour>,
}

#[derive(ElicitForm)]
enum Colour {
    Red,
}

fn main() {
    let text = r#"{"age": 1, "floor": 5, "rooms": 9, "cats": 0, "scale": 1, "name": "a", "home": "b", "colours": ["Red"]}"#;
    let person: Person = read(text).unwrap();
    assert_eq!(
        (person.age, person.floor, person.rooms, person.cats),
        (1, 5, 9, 0)
    );
    assert_eq!(
        (person.scale, person.name + &person.home),
        (1.0, "ab".to_owned())
    );
    assert!(matches!(person.colours[..], [Colour::Red]));
    assert!(read::<Person>(&text.replace("5", "6")).is_err());
}
