use mcp_runtime::prelude::*;

fn read<T: ElicitForm>(text: &str) -> Result<T, Vec<mcp_runtime::form::FormFault>> {
    T::from_content(&serde_json::value::RawValue::from_string(text.to_owned()).unwrap())
}

#[derive(ElicitForm)]
struct Person {
    #[form(default = 7)]
    age: u8,
    name: Option<String>,
}

fn main() {
    let person: Person = read("{}").unwrap();
    assert_eq!((person.age, person.name), (7, None));
}
