use mcp_runtime::prelude::*;

fn read<T: ElicitForm>(text: &str) -> Result<T, Vec<mcp_runtime::form::FormFault>> {
    T::from_content(&serde_json::value::RawValue::from_string(text.to_owned()).unwrap())
}

#[derive(ElicitForm)]
struct Person {
    #[form(format = "email")]
    email: String,
    #[form(format = "uri")]
    host: String,
}

fn main() {
    let person: Person = read(r#"{"email": "a@b.c", "host": "https://b.c"}"#).unwrap();
    assert_eq!(person.email + &person.host, "a@b.chttps://b.c");
}
