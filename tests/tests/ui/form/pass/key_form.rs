use mcp_runtime::prelude::*;

fn read<T: ElicitForm>(text: &str) -> Result<T, Vec<mcp_runtime::form::FormFault>> {
    T::from_content(&serde_json::value::RawValue::from_string(text.to_owned()).unwrap())
}

#[derive(ElicitForm)]
struct Person {
    #[form(default = 0)]
    age: u8,
    #[form(title = "7", range(1..))]
    height: u8,
    #[form(format = "email")]
    email: String,
    name: String,
    #[form(title = "Home", description = "Where you live.")]
    home: String,
}

fn main() {
    let text = r#"{"height": 1, "email": "a@b.c", "name": "Ada", "home": "here"}"#;
    let person: Person = read(text).unwrap();
    assert_eq!((person.age, person.height), (0, 1));
    assert_eq!(person.email + &person.name + &person.home, "a@b.cAdahere");
}
