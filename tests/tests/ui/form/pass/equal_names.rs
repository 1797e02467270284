use mcp_runtime::prelude::*;

fn read<T: ElicitForm>(text: &str) -> Result<T, Vec<mcp_runtime::form::FormFault>> {
    T::from_content(&serde_json::value::RawValue::from_string(text.to_owned()).unwrap())
}

#[derive(ElicitForm)]
struct Trip {
    #[form(rename = "to")]
    from: String,
    #[form(rename = "from")]
    to: String,
}

#[derive(ElicitForm)]
enum Colour {
    Red,
    #[form(rename = "Rouge")]
    Scarlet,
}

#[derive(ElicitForm)]
struct Coat {
    colour: Colour,
}

fn main() {
    let trip: Trip = read(r#"{"from": "a", "to": "b"}"#).unwrap();
    assert_eq!((&*trip.from, &*trip.to), ("b", "a"));
    assert!(matches!(
        read::<Coat>(r#"{"colour": "Red"}"#).unwrap().colour,
        Colour::Red
    ));
    assert!(matches!(
        read::<Coat>(r#"{"colour": "Rouge"}"#).unwrap().colour,
        Colour::Scarlet
    ));
}
