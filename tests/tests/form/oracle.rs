//! What a published schema allows is decoded, and nothing else: held against a general validator of JSON Schema.

use std::sync::LazyLock;

use jsonschema::Validator;
use mcp_runtime::form::ElicitForm;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::content;
use crate::forms::Order;

static ORACLE: LazyLock<Validator> = LazyLock::new(|| {
    let mut schema: Value = serde_json::from_str(Order::requested_schema()).unwrap();
    // These widths are enforced and not published, since clients round numbers beyond 2^53 − 1.
    for (name, least, most) in [
        ("number", json!(0), json!(u64::MAX)),
        ("delta", json!(i64::MIN), json!(i64::MAX)),
    ] {
        schema["properties"][name]["minimum"] = least;
        schema["properties"][name]["maximum"] = most;
    }
    jsonschema::draft202012::options()
        .should_validate_formats(true)
        .build(&schema)
        .unwrap()
});

const NAMES: [&str; 20] = [
    "name",
    "email",
    "home_page",
    "birth-day",
    "when",
    "initial",
    "age",
    "floor",
    "number",
    "delta",
    "scale",
    "weight",
    "is_gift",
    "delivery",
    "first",
    "colour",
    "colours",
    "ways",
    "others",
    "other",
];

/// Something like a mailbox. The oracle refuses labels such as `r3---sn`, which RFC 5891 reserves at their third and fourth
/// place for `xn--`; RFC 5321 knows nothing of that, hosts have such names, and [`Order`] takes them.
fn mailbox() -> impl Strategy<Value = String> {
    "[a-z.]{1,8}@[a-z-]{1,8}(\\.[a-z]{1,4})?".prop_filter("not in dispute", |text| {
        let domain = text.split_once('@').map_or("", |(_, domain)| domain);
        !domain.split('.').any(|label| label.get(2..4) == Some("--"))
    })
}

/// A value that a field of some name may take, or may not.
fn value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        prop::sample::select(vec![
            "",
            "a",
            "é",
            "Ada",
            "Post",
            "bicycle",
            "pick-up",
            "Bicycle",
            "Red",
            "Green",
            "BLUE",
            "ada@example.com",
            "a.b@c",
            "@c",
            "a@",
            "a b@c.d",
            "https://example.com/a?b#c",
            "urn:a:b",
            "example.com",
            "http://exa mple.com",
            "http://a/%zz",
            "/a",
        ])
        .prop_map(str::to_owned),
        "[0-9]{4}-[01][0-9]-[0-3][0-9]",
        "20[0-9]{2}-0[1-9]-[0-3][0-9][Tt ][0-2][0-9]:[0-6][0-9]:[0-6][0-9](\\.[0-9]{0,3})?([Zz]|[+-][0-2][0-9]:[0-6][0-9])?",
        mailbox(),
        "[a-zé]{38,42}",
    ];
    let scalar = prop_oneof![
        4 => text.prop_map(Value::from),
        3 => prop::sample::select(vec![
            json!(0), json!(17), json!(18), json!(130), json!(131), json!(99), json!(100), json!(-32768), json!(-32769),
            json!(36.0), json!(36.5), json!(0.5), json!(0.4), json!(2.5), json!(2.6), json!(1e30),
            json!(u64::MAX), json!(i64::MIN), json!(i64::MAX), json!(1.844_674_407_370_955_2e19),
        ]),
        1 => prop::sample::select(vec![json!(true), json!(false), json!({})]),
    ];
    prop_oneof![
        4 => scalar.clone(),
        1 => prop::collection::vec(scalar, 0..4).prop_map(Value::from),
        1 => prop::collection::vec(prop::sample::select(vec!["Red", "Green", "BLUE"]), 0..4).prop_map(|list| json!(list)),
        1 => prop::collection::vec(prop::sample::select(vec!["Post", "bicycle"]), 0..4).prop_map(|list| json!(list)),
    ]
}

fn least() -> Map<String, Value> {
    let least = json!({
        "name": "Ada", "birth-day": "1815-12-10", "initial": "A", "floor": 1, "number": 1, "delta": 1, "colour": "Red", "ways": []
    });
    least.as_object().unwrap().clone()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_the_schema_allows_is_decoded_and_nothing_else(
        changes in prop::collection::vec((prop::sample::select(NAMES.to_vec()), prop::option::weighted(0.9, value())), 0..3),
    ) {
        let mut answer = least();
        for (name, value) in changes {
            match value {
                Some(value) => answer.insert(name.to_owned(), value),
                None => answer.remove(name),
            };
        }
        let answer = Value::Object(answer);
        let decoded = Order::from_content(&content(&answer.to_string()));
        prop_assert_eq!(ORACLE.is_valid(&answer), decoded.is_ok(), "{} {:?}", answer, decoded);
        if let Err(faults) = decoded {
            prop_assert!(!faults.is_empty());
        }
    }

    #[test]
    fn no_json_breaks_the_decoder(value in value(), name in prop::sample::select(NAMES.to_vec())) {
        let lone = Order::from_content(&content(&value.to_string()));
        prop_assert!(lone.is_err());
        let decoded = Order::from_content(&content(&json!({ name: value }).to_string()));
        prop_assert!(decoded.is_err(), "required members are missing");
    }
}

/// A validator asserts formats only if it is told to.
#[test]
fn the_oracle_knows_formats() {
    for (name, good, bad) in [
        ("email", "a@b.c", "a@"),
        ("home_page", "urn:a", "a"),
        ("when", "2026-07-28T09:30:00Z", "2026-07-28T25:30:00Z"),
        ("birth-day", "2024-02-29", "2026-02-29"),
    ] {
        let mut answer = least();
        answer.insert(name.to_owned(), good.into());
        assert!(ORACLE.is_valid(&Value::Object(answer.clone())), "{name}");
        answer.insert(name.to_owned(), bad.into());
        assert!(!ORACLE.is_valid(&Value::Object(answer)), "{name}");
    }
}
