//! Arguments that came inside strings: what a fault says of them, and what repair makes of them.

use super::arguments::{User, line};
use super::*;
use serde_json::json;

#[test]
fn what_was_sent_in_a_string_names_the_fix() {
    assert_eq!(
        line::<User>(r#""{\"username\":\"t\",\"age\":25}""#),
        "`n`: expected an object with `username` and `age`, found the string \"{\\\"username\\\":\\\"t\\\",\\\"age\\\":25}\"; send the object itself, not a string that contains it"
    );
    assert_eq!(
        line::<Vec<i64>>(r#""[1, 2, 3]""#),
        "`n`: expected an array, found the string \"[1, 2, 3]\"; send the array itself, not a string that contains it"
    );
    assert_eq!(
        line::<i64>(r#""5""#),
        "`n`: expected an integer, found the string \"5\"; send 5 without quotes"
    );
    assert_eq!(
        line::<bool>(r#""true""#),
        "`n`: expected true or false, found the string \"true\"; send true without quotes"
    );
    assert_eq!(
        line::<i64>(r#""five""#),
        "`n`: expected an integer, found the string \"five\""
    );
    assert_eq!(
        line::<i64>(r#""[1""#),
        "`n`: expected an integer, found the string \"[1\""
    );
}

#[test]
fn repair_opens_strings_where_the_schema_wants_no_string() {
    let schema = derive(&[
        parameter::<User>("user"),
        optional::<Vec<i64>>("values"),
        optional::<bool>("flag"),
        optional::<String>("text"),
        optional::<f64>("ratio"),
    ]);
    let repaired = schema
        .repair(r#"{"user":"{\"username\":\"5\",\"age\":\"25\"}","values":"[1, \"2\"]","flag":"true","text":"5","ratio":"0.5"}"#)
        .unwrap();
    assert_eq!(
        repaired.arguments,
        r#"{"user":{"username":"5","age":25},"values":[1,2],"flag":true,"text":"5","ratio":0.5}"#
    );
    assert_eq!(
        repaired.paths,
        ["user", "user.age", "values", "values[1]", "flag", "ratio"]
    );
}

#[test]
fn repair_is_all_or_nothing_and_never_makes_strings() {
    let schema = derive(&[parameter::<String>("text"), optional::<i64>("n")]);
    for arguments in [
        r#"{"text":5}"#,
        r#"{"text":"a","n":"five"}"#,
        r#"{"text":"a","n":"5","other":1}"#,
        r#"{"text":"a","n":"null"}"#,
        r#"{"text":"a","n":"\"5\""}"#,
        r#"{"text":"a","n":5}"#,
    ] {
        assert_eq!(schema.repair(arguments), None, "{arguments}");
    }
}

#[test]
fn strings_inside_strings_are_opened_to_a_bounded_depth() {
    let schema = derive(&[parameter::<specimen::Point>("p")]);
    let mut text = r#"{"x":"1","y":2}"#.to_owned();
    text = json!(text).to_string();
    let repaired = schema.repair(&format!("{{\"p\":{text}}}")).unwrap();
    assert_eq!(repaired.arguments, r#"{"p":{"x":1,"y":2}}"#);
    let doubled = json!(text).to_string();
    assert_eq!(schema.repair(&format!("{{\"p\":{doubled}}}")), None);
}
