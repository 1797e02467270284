//! What becomes of answers: values, or all that is wrong with them.

use mcp_runtime::prelude::*;

use crate::forms::{Colour, Consent, Delivery, Order};
use crate::read;

const LEAST: &str = r#"{"name":"Ada","birth-day":"1815-12-10","initial":"é","floor":-3,"number":18446744073709551615,
    "delta":-9223372036854775808,"colour":"BLUE","ways":[]}"#;

fn least() -> Order {
    Order {
        name: "Ada".to_owned(),
        email: "ada@example.com".into(),
        home_page: None,
        birthday: "1815-12-10".into(),
        when: None,
        initial: 'é',
        age: 18,
        floor: -3,
        number: u64::MAX,
        delta: i64::MIN,
        scale: 1.0,
        weight: None,
        is_gift: true,
        delivery: Delivery::PickUp,
        first: None,
        colour: Colour::Blue,
        colours: vec![Colour::Red, Colour::Blue],
        ways: vec![],
        others: None,
    }
}

/// `LEAST` with other members before its own.
fn with(members: &str) -> String {
    LEAST.replacen('{', &format!("{{{members},"), 1)
}

#[test]
fn what_is_left_out_is_none_or_the_default() {
    assert_eq!(read::<Order>(LEAST), Ok(least()));
    assert_eq!(read::<Consent>("{}"), Ok(Consent {}));
}

#[test]
fn every_field_is_read() {
    let text = with(
        r#""email":"a@b.c","home_page":"https://example.com/","when":"2026-07-28T09:30:00+02:00","age":36,"scale":2.5,
        "weight":7,"is_gift":false,"delivery":"Post","first":"bicycle","colours":["Green"],"others":["Post","pick-up"]"#,
    );
    let expected = Order {
        email: "a@b.c".into(),
        home_page: Some("https://example.com/".into()),
        when: Some("2026-07-28T09:30:00+02:00".to_owned()),
        age: 36,
        scale: 2.5,
        weight: Some(7.0),
        is_gift: false,
        delivery: Delivery::Post,
        first: Some(Delivery::Bicycle),
        colours: vec![Colour::Green],
        others: Some(vec![Delivery::Post, Delivery::PickUp]),
        ..least()
    };
    assert_eq!(read::<Order>(&text), Ok(expected));
}

#[test]
fn whole_numbers_may_be_written_with_a_fraction() {
    let order = read::<Order>(&with(r#""age":36.0,"weight":1e2"#)).unwrap();
    assert_eq!((order.age, order.weight), (36, Some(100.0)));
    let order = read::<Order>(&LEAST.replace("-3", "-3.0e0")).unwrap();
    assert_eq!(order.floor, -3);
}

#[test]
fn null_is_absence_where_a_field_may_be_absent() {
    let text = with(r#""home_page":null,"age":null,"delivery":null,"colours":null,"others":null"#);
    assert_eq!(read::<Order>(&text), Ok(least()));
    assert_eq!(
        read::<Order>(&LEAST.replace("\"Ada\"", "null")),
        Err(vec!["`name`: expected a string, found null".to_owned()])
    );
}

#[test]
fn unknown_members_are_ignored() {
    let text = with(r#""nam":"x","extra":{"deep":[null]}"#);
    assert_eq!(read::<Order>(&text), Ok(least()));
}

#[test]
fn a_list_may_name_a_value_again() {
    let order = read::<Order>(&with(r#""others":["Post","Post"]"#)).unwrap();
    assert_eq!(order.others, Some(vec![Delivery::Post, Delivery::Post]));
}

#[test]
fn escapes_are_decoded() {
    let order = read::<Order>(&with(r#""email":"a\u0040b.c","colours":["\u0052ed"]"#)).unwrap();
    assert_eq!((&*order.email, order.colours), ("a@b.c", vec![Colour::Red]));
    assert_eq!(
        read::<Order>(&LEAST.replace("\"name\"", "\"n\\u0061me\"")),
        Ok(least())
    );
}

/// One mistake each of a field that may be left out, and the sentence that tells it.
#[test]
fn each_mistake_is_told() {
    for (members, sentence) in [
        (
            r#""email":"ada""#,
            "`email`: expected an email address such as ada@example.com, found the string \"ada\"",
        ),
        (
            r#""home_page":"example.com""#,
            "`home_page`: expected a URI such as https://example.com/, found the string \"example.com\"",
        ),
        (
            r#""when":"2026-07-28""#,
            "`when`: expected a date-time such as 2026-11-30T12:00:00Z, found the string \"2026-07-28\"",
        ),
        (
            r#""age":17"#,
            "`age`: expected an integer from 18 to 130, found 17",
        ),
        (r#""age":36.5"#, "`age`: expected an integer, found 36.5"),
        (
            r#""age":"36""#,
            "`age`: expected an integer, found the string \"36\"; send 36 without quotes",
        ),
        (
            r#""scale":2.6"#,
            "`scale`: expected a number from 0.5 to 2.5, found 2.6",
        ),
        (
            r#""weight":1e999"#,
            "`weight`: expected a number that a 64-bit float can hold, found 1e999",
        ),
        (
            r#""is_gift":1"#,
            "`is_gift`: expected true or false, found 1",
        ),
        (
            r#""delivery":"bicicle""#,
            "`delivery`: expected one of \"Post\", \"bicycle\" or \"pick-up\", found the string \"bicicle\"; did you mean \"bicycle\"?",
        ),
        (
            r#""delivery":"Bicycle""#,
            "`delivery`: expected one of \"Post\", \"bicycle\" or \"pick-up\", found the string \"Bicycle\"; did you mean \"bicycle\"?",
        ),
        (
            r#""colours":[]"#,
            "`colours`: expected from 1 to 2 elements, found 0",
        ),
        (
            r#""colours":["Red","Red","Red"]"#,
            "`colours`: expected from 1 to 2 elements, found 3",
        ),
        (
            r#""colours":["Blue"]"#,
            "`colours[0]`: expected one of \"Red\", \"Green\" or \"BLUE\", found the string \"Blue\"; did you mean \"BLUE\"?",
        ),
        (
            r#""others":"Post""#,
            "`others`: expected an array, found the string \"Post\"",
        ),
        (
            r#""others":[7]"#,
            "`others[0]`: expected one of \"Post\", \"bicycle\" or \"pick-up\", found 7",
        ),
    ] {
        let name = members.split('"').nth(1).unwrap();
        assert_eq!(
            read::<Order>(&with(members)),
            Err(vec![format!("{sentence}; `{name}` may be left out")]),
            "{members}"
        );
    }
    assert_eq!(
        read::<Order>(&with(r#""age":20,"age":21"#)),
        Err(vec!["`age`: given more than once".to_owned()])
    );
    for (from, to, sentence) in [
        (
            "1815-12-10",
            "1815-12-32",
            "`birth-day`: expected a date such as 2026-11-30, found the string \"1815-12-32\"",
        ),
        (
            "\"é\"",
            "\"ab\"",
            "`initial`: expected exactly 1 character, found 2",
        ),
        (
            "\"é\"",
            "\"\"",
            "`initial`: expected exactly 1 character, found 0",
        ),
        (
            "-3",
            "100",
            "`floor`: expected an integer from -32768 to 99, found 100",
        ),
        (
            "615",
            "616",
            "`number`: expected an integer from 0 to 18446744073709551615, found 18446744073709551616",
        ),
        (
            "Ada",
            "",
            "`name`: expected from 1 to 40 characters, found 0",
        ),
        (
            "\"name\":\"Ada\",",
            "",
            "the required member `name` is missing",
        ),
    ] {
        assert_eq!(
            read::<Order>(&LEAST.replace(from, to)),
            Err(vec![sentence.to_owned()]),
            "{to}"
        );
    }
}

#[test]
fn all_mistakes_are_told_at_once() {
    let faults = read::<Order>(r#"{"name":"","email":"x","age":0}"#).unwrap_err();
    assert_eq!(faults.len(), 10, "{faults:#?}");
    // Of a long list people are told the beginning: what has to be filled in stands there.
    let missing = faults.iter().take_while(|it| it.ends_with("is missing"));
    assert_eq!(missing.count(), 7, "{faults:#?}");
}

#[test]
fn what_is_no_object_is_no_answer() {
    for (text, found) in [
        ("null", "null"),
        ("[]", "an array"),
        ("\"{}\"", "the string \"{}\""),
    ] {
        let faults = read::<Consent>(text).unwrap_err();
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(
            faults[0].starts_with(&format!("expected an object, found {found}")),
            "{faults:?}"
        );
    }
}

#[test]
fn a_form_written_by_hand_has_faults_of_its_own() {
    struct Always;

    impl ElicitForm for Always {
        fn requested_schema() -> &'static str {
            r#"{"type":"object","properties":{}}"#
        }

        fn from_content(
            content: &serde_json::value::RawValue,
        ) -> Result<Self, Vec<mcp_runtime::form::FormFault>> {
            match content.get() {
                "{}" => Ok(Self),
                other => Err(vec![mcp_runtime::form::FormFault::new(format!(
                    "no {other}"
                ))]),
            }
        }
    }

    assert!(read::<Always>("{}").is_ok());
    assert_eq!(read::<Always>("1").err(), Some(vec!["no 1".to_owned()]));
}
