use mcp_runtime::prelude::*;

fn read<T: ElicitForm>(text: &str) -> Result<T, Vec<mcp_runtime::form::FormFault>> {
    T::from_content(&serde_json::value::RawValue::from_string(text.to_owned()).unwrap())
}

type Words = String;

#[derive(ElicitForm)]
enum Word {
    Near,
    Far,
}

#[derive(ElicitForm)]
struct Address {
    street_name: String,
    latitude: f64,
    longitude: f64,
    label: Words,
    words: Vec<Word>,
    numbers: Option<u8>,
    width: u64,
}

fn main() {
    let text = r#"{"street_name": "Rue", "latitude": 1, "longitude": 2.5, "label": "x", "words": ["Far"], "width": 3}"#;
    let address: Address = read(text).unwrap();
    assert_eq!(address.street_name + &address.label, "Ruex");
    assert_eq!((address.latitude, address.longitude), (1.0, 2.5));
    assert!(matches!(address.words[..], [Word::Far]));
    assert_eq!((address.numbers, address.width), (None, 3));
    assert!(matches!(
        read::<Address>(&text.replace("Far", "Near")).unwrap().words[..],
        [Word::Near]
    ));
}
