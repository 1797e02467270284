use mcp_runtime::prelude::*;

fn read<T: ElicitForm>(text: &str) -> Result<T, Vec<mcp_runtime::form::FormFault>> {
    T::from_content(&serde_json::value::RawValue::from_string(text.to_owned()).unwrap())
}

#[derive(ElicitForm)]
struct Pair {
    name: String,
    number: u8,
}

#[derive(ElicitForm)]
struct Consent {}

fn main() {
    let pair: Pair = read(r#"{"name": "a", "number": 1}"#).unwrap();
    assert_eq!((&*pair.name, pair.number), ("a", 1));
    let Consent {} = read("{}").unwrap();
    assert_eq!(
        Consent::requested_schema(),
        r#"{"type":"object","properties":{}}"#
    );
}
