use mcp_runtime::prelude::*;

fn read<T: ElicitForm>(text: &str) -> Result<T, Vec<mcp_runtime::form::FormFault>> {
    T::from_content(&serde_json::value::RawValue::from_string(text.to_owned()).unwrap())
}

type Maybe = Option<u8>;

#[derive(ElicitForm)]
struct Person {
    age: Maybe,
}

fn main() {
    assert_eq!(read::<Person>("{}").unwrap().age, None);
    assert_eq!(read::<Person>(r#"{"age": 7}"#).unwrap().age, Some(7));
}
