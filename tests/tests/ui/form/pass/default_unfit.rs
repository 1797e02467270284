use mcp_runtime::prelude::*;

fn read<T: ElicitForm>(text: &str) -> Result<T, Vec<mcp_runtime::form::FormFault>> {
    T::from_content(&serde_json::value::RawValue::from_string(text.to_owned()).unwrap())
}

#[derive(ElicitForm)]
enum Colour {
    Red,
    Blue,
}

const MOST: u8 = 129;

#[derive(ElicitForm)]
struct Person {
    #[form(range(18..=130), default = 18)]
    age: u8,
    #[form(range(..130), default = MOST)]
    height: u8,
    #[form(range(0.1..=1.5), default = 0.1)]
    scale: f32,
    #[form(length(..=3), default = "Adé")]
    name: String,
    #[form(format = "email", default = "ada@example.com")]
    email: String,
    #[form(length(10), format = "date", default = "2024-02-29")]
    birthday: Box<str>,
    #[form(items(2..), default = [Colour::Red, Colour::Blue])]
    colours: Vec<Colour>,
    #[form(default = 1.0 / 2.0)]
    weight: f64,
}

fn main() {
    let person: Person = read("{}").unwrap();
    assert_eq!(
        (person.age, person.height, person.scale, person.weight),
        (18, 129, 0.1, 0.5)
    );
    assert_eq!(
        (&*person.name, &*person.email, &*person.birthday),
        ("Adé", "ada@example.com", "2024-02-29")
    );
    assert!(matches!(person.colours[..], [Colour::Red, Colour::Blue]));
}
