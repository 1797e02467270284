use mcp_runtime::prelude::*;

fn read<T: ElicitForm>(text: &str) -> Result<T, Vec<mcp_runtime::form::FormFault>> {
    T::from_content(&serde_json::value::RawValue::from_string(text.to_owned()).unwrap())
}

#[derive(ElicitForm, Debug, PartialEq)]
enum Delivery {
    Post,
    PickUp,
}

#[derive(ElicitForm)]
struct Order {
    delivery: Delivery,
    place: Option<String>,
}

fn main() {
    let order: Order = read(r#"{"delivery": "PickUp", "place": "depot"}"#).unwrap();
    assert_eq!(order.delivery, Delivery::PickUp);
    assert_eq!(order.place.as_deref(), Some("depot"));
    assert_eq!(
        read::<Order>(r#"{"delivery": "Post"}"#).unwrap().delivery,
        Delivery::Post
    );
}
