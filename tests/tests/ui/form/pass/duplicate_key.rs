use mcp_runtime::prelude::*;

fn read<T: ElicitForm>(text: &str) -> Result<T, Vec<mcp_runtime::form::FormFault>> {
    T::from_content(&serde_json::value::RawValue::from_string(text.to_owned()).unwrap())
}

#[derive(ElicitForm)]
struct Person {
    #[form(title = "b")]
    name: String,
    #[form(default = 18)]
    #[form(range(1..))]
    age: u8,
}

fn main() {
    let person: Person = read(r#"{"name": "Ada"}"#).unwrap();
    assert_eq!((&*person.name, person.age), ("Ada", 18));
    assert!(Person::requested_schema().contains(r#""title":"b""#));
}
