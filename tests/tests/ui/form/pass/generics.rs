use mcp_runtime::prelude::*;

fn read<T: ElicitForm>(text: &str) -> Result<T, Vec<mcp_runtime::form::FormFault>> {
    T::from_content(&serde_json::value::RawValue::from_string(text.to_owned()).unwrap())
}

#[derive(ElicitForm)]
struct Named {
    name: String,
}

#[derive(ElicitForm)]
struct Value {
    value: u8,
}

fn main() {
    assert_eq!(read::<Named>(r#"{"name": "Ada"}"#).unwrap().name, "Ada");
    assert_eq!(read::<Value>(r#"{"value": 3}"#).unwrap().value, 3);
}
