use mcp_runtime::prelude::*;

fn read<T: ElicitForm>(text: &str) -> Result<T, Vec<mcp_runtime::form::FormFault>> {
    T::from_content(&serde_json::value::RawValue::from_string(text.to_owned()).unwrap())
}

#[derive(ElicitForm)]
enum Colour {
    Red,
    Blue,
}

#[derive(ElicitForm)]
struct Person {
    #[form(length(1..=9))]
    name: String,
    #[form(range(1..=9))]
    age: u8,
    #[form(format = "email")]
    home: String,
    #[form(range(1..=9))]
    weight: Option<f64>,
    colour: Colour,
    #[form(items(1..=9))]
    colours: Vec<Colour>,
    initial: char,
    is_adult: bool,
}

fn main() {
    let text = r#"{"name": "a", "age": 9, "home": "a@b.c", "colour": "Red", "colours": ["Blue"], "initial": "i", "is_adult": true}"#;
    let person: Person = read(text).unwrap();
    assert_eq!(
        (&*person.name, person.age, &*person.home, person.weight),
        ("a", 9, "a@b.c", None)
    );
    assert!(matches!(
        (person.colour, &person.colours[..]),
        (Colour::Red, [Colour::Blue])
    ));
    assert!(person.initial == 'i' && person.is_adult);
    assert_eq!(
        read::<Person>(&text.replace("9", "10"))
            .err()
            .unwrap()
            .len(),
        1
    );
}
