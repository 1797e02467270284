//! Arguments as clients and models send them: what is accepted, and what is said about the rest.

use super::super::{Bound, Constraints};
use super::*;
use schemars::JsonSchema;
use serde_json::json;
use serde_json::value::RawValue;

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is of interest")]
pub(super) struct User {
    username: String,
    age: u8,
    address: Option<Address>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is of interest")]
struct Address {
    street: String,
    zip: Option<i32>,
    tags: Vec<String>,
}

fn accepts<T: JsonSchema>(argument: &str) -> bool {
    let raw: &RawValue = serde_json::from_str(argument).unwrap();
    let schema = derive(&[parameter::<T>("n")]);
    let accepted = schema.accepts(0, raw);
    assert_eq!(
        accepted,
        schema.faults(&format!("{{\"n\":{argument}}}")).is_empty(),
        "{argument}"
    );
    accepted
}

pub(super) fn line<T: JsonSchema>(argument: &str) -> String {
    lines(
        &derive(&[parameter::<T>("n")]),
        &format!("{{\"n\":{argument}}}"),
    )
    .join("\n")
}

fn canonical<T: JsonSchema>(argument: &str) -> Option<String> {
    derive(&[parameter::<T>("n")]).canonical(0, argument)
}

#[test]
fn integers_are_exact_at_the_edges_of_their_width() {
    assert!(accepts::<i64>("9223372036854775807"));
    assert!(!accepts::<i64>("9223372036854775808"));
    assert!(accepts::<i64>("-9223372036854775808"));
    assert!(!accepts::<i64>("-9223372036854775809"));
    assert!(accepts::<u64>("18446744073709551615"));
    assert!(!accepts::<u64>("18446744073709551616"));
    assert!(accepts::<u64>("9007199254740993"));
    assert!(!accepts::<u64>("-1"));
    assert!(accepts::<i128>("170141183460469231731687303715884105727"));
    assert!(!accepts::<i128>("170141183460469231731687303715884105728"));
    assert!(accepts::<u128>("340282366920938463463374607431768211455"));
    assert!(!accepts::<u128>("340282366920938463463374607431768211456"));
    assert!(!accepts::<u8>("256"));
}

#[test]
fn integers_are_numbers_without_a_fraction_however_written() {
    for (text, plain) in [
        ("5.0", "5"),
        ("1e0", "1"),
        ("-0", "0"),
        ("1E+2", "100"),
        ("50e-1", "5"),
        ("0.0", "0"),
        ("-12.00", "-12"),
    ] {
        assert!(accepts::<i64>(text), "{text}");
        assert_eq!(canonical::<i64>(text).as_deref(), Some(plain));
        assert_eq!(
            plain.parse::<i64>().map_err(|error| error.to_string()),
            serde_json::from_str(plain).map_err(|error| error.to_string())
        );
    }
    assert!(accepts::<u8>("-0"));
    for text in ["5", "-5", "0"] {
        assert_eq!(canonical::<i64>(text), None);
    }
    assert_eq!(canonical::<f64>("5.0"), None);
}

#[test]
fn numbers_that_are_no_integer_are_told_plainly() {
    assert_eq!(line::<i64>("0.1"), "`n`: expected an integer, found 0.1");
    assert_eq!(
        line::<i64>("1e400"),
        "`n`: expected an integer from -9223372036854775808 to 9223372036854775807, found 1e400"
    );
    assert_eq!(
        line::<u8>("300"),
        "`n`: expected an integer from 0 to 255, found 300"
    );
    assert_eq!(
        line::<f64>("1e400"),
        "`n`: expected a number that a 64-bit float can hold, found 1e400"
    );
    assert_eq!(
        line::<f32>("1e39"),
        "`n`: expected a number that a 32-bit float can hold, found 1e39"
    );
    assert!(accepts::<f32>("3.4028234663852886e38"));
    let digits = "9".repeat(10_000);
    assert!(line::<i64>(&digits).ends_with(&format!("found {}…", "9".repeat(40))));
}

#[test]
fn a_missing_argument_is_told_first_and_in_the_schemas_order() {
    let schema = derive(&[
        parameter::<String>("zeta"),
        parameter::<i64>("alpha"),
        optional::<bool>("mid"),
    ]);
    assert_eq!(
        lines(&schema, r#"{"mid":1,"other":null}"#),
        [
            "Missing required argument: zeta",
            "Missing required argument: alpha",
            "`mid`: expected true or false, found 1; `mid` may be left out",
            "unknown argument `other`; the arguments are `zeta`, `alpha` and `mid`",
        ]
    );
}

#[test]
fn an_unknown_argument_names_the_nearest() {
    let schema = derive(&[optional::<u32>("limit"), optional::<User>("user")]);
    assert_eq!(
        lines(&schema, r#"{"lmit":1}"#),
        ["unknown argument `lmit`; did you mean `limit`?"]
    );
    assert_eq!(
        lines(
            &schema,
            r#"{"user":{"username":"a","age":1,"adress":null}}"#
        ),
        ["`user`: unknown member `adress`; did you mean `address`?"]
    );
    assert_eq!(
        lines(&derive(&[]), r#"{"x":1}"#),
        ["unknown argument `x`; there are no arguments to give"]
    );
}

#[test]
fn faults_name_their_place() {
    let schema = derive(&[parameter::<Vec<User>>("users")]);
    assert_eq!(
        lines(
            &schema,
            r#"{"users":[{"username":"a","age":1},{"username":2,"age":-1,"address":{"street":null,"tags":["a",3]}},[]]}"#
        ),
        [
            "`users[1].username`: expected a string, found 2",
            "`users[1].age`: expected an integer from 0 to 255, found -1",
            "`users[1].address.street`: expected a string, found null; `users[1].address` may be left out",
            "`users[1].address.tags[1]`: expected a string, found 3; `users[1].address` may be left out",
            "`users[2]`: expected an object with `username` and `age`, found an array",
        ]
    );
    let schema = derive(&[parameter::<std::collections::BTreeMap<String, i8>>("m")]);
    assert_eq!(
        lines(&schema, r#"{"m":{"a b":"x"}}"#),
        ["`m[\"a b\"]`: expected an integer, found the string \"x\""]
    );
}

#[test]
fn null_is_absence_for_what_is_optional_at_every_depth() {
    let mut limit = parameter::<u32>("limit");
    limit.default = Some(json!(10));
    let schema = derive(&[
        parameter::<String>("query"),
        optional::<String>("after"),
        limit,
        optional::<User>("user"),
    ]);
    let arguments = r#"{"query":"x","after":null,"limit":null,"user":{"username":"a","age":1.0,"address":{"street":"b","zip":null,"tags":[]}}}"#;
    assert_eq!(lines(&schema, arguments), [""; 0]);
    assert_eq!(
        schema.canonical_all(arguments).as_deref(),
        Some(r#"{"query":"x","user":{"username":"a","age":1,"address":{"street":"b","tags":[]}}}"#)
    );
    for index in [1, 2, 3] {
        assert!(schema.is_absent_if_null(index));
        assert!(schema.accepts(index, serde_json::from_str("null").unwrap()));
    }
    assert_eq!(
        lines(&schema, r#"{"query":null}"#),
        ["`query`: expected a string, found null"]
    );
}

#[test]
fn null_is_a_value_where_the_type_has_it() {
    let mut free = parameter::<serde_json::Value>("free");
    free.default = Some(json!(null));
    let schema = derive(&[free, parameter::<Option<i64>>("nullable")]);
    assert!(!schema.is_absent_if_null(0));
    assert_eq!(lines(&schema, r#"{"free":null,"nullable":null}"#), [""; 0]);
    assert_eq!(
        schema.canonical_all(r#"{"free":null,"nullable":null}"#),
        None
    );
    assert_eq!(
        lines(&schema, "{}"),
        ["Missing required argument: nullable"]
    );
}

#[test]
fn falsy_values_are_values() {
    let with = |name, schema: Property<'static>, default| Property {
        name,
        default: Some(default),
        ..schema
    };
    let schema = derive(&[
        with("n", parameter::<i64>(""), json!(5)),
        with("s", parameter::<String>(""), json!("a")),
        with("b", parameter::<bool>(""), json!(true)),
        with("l", parameter::<Vec<i64>>(""), json!([1])),
    ]);
    let arguments = r#"{"n":0,"s":"","b":false,"l":[]}"#;
    assert_eq!(lines(&schema, arguments), [""; 0]);
    assert_eq!(schema.canonical_all(arguments), None);
    assert_eq!(lines(&schema, "{}"), [""; 0]);
    assert!(schema.json().contains(r#""default":5"#));
}

#[test]
fn the_string_null_is_a_string() {
    let schema = derive(&[optional::<String>("note")]);
    assert_eq!(lines(&schema, r#"{"note":"null"}"#), [""; 0]);
    assert_eq!(schema.canonical_all(r#"{"note":"null"}"#), None);
}

#[test]
fn nul_is_an_ordinary_character_and_escapes_are_read() {
    let schema = derive(&[optional::<i64>("field")]);
    assert_eq!(lines(&schema, r#"{"\u0066ield":1}"#), [""; 0]);
    let [line] = &lines(&schema, r#"{"fi\u0000eld":1}"#)[..] else {
        panic!("one fault")
    };
    assert!(line.starts_with("unknown argument `fi\u{0}eld`"), "{line}");
    assert_eq!(schema.property("fi\u{0}eld"), None);
    assert_eq!(schema.property("field"), Some(0));
}

#[test]
fn a_key_given_twice_is_a_fault_at_every_depth() {
    let schema = derive(&[
        parameter::<User>("user"),
        parameter::<std::collections::BTreeMap<String, i8>>("map"),
    ]);
    assert_eq!(
        lines(
            &schema,
            r#"{"user":{"username":"a","age":1,"\u0061ge":2},"map":{"k":1,"k":1},"map":{}}"#
        ),
        [
            "`user.age`: given more than once",
            "`map.k`: given more than once",
            "`map`: given more than once"
        ]
    );
    let schema = derive(&[optional::<i8>("n")]);
    assert_eq!(
        lines(&schema, r#"{"n":null,"n":1}"#),
        ["`n`: given more than once"]
    );
}

#[test]
fn constraints_are_enforced_and_told() {
    const RANGE: Constraints = Constraints {
        minimum: Some(Bound::Int(1)),
        maximum: Some(Bound::Int(100)),
        ..Constraints::NONE
    };
    const HALF_OPEN: Constraints = Constraints {
        minimum: Some(Bound::Float(0.5)),
        maximum: Some(Bound::Float(1.5)),
        exclusive_maximum: true,
        ..Constraints::NONE
    };
    const LENGTH: Constraints = Constraints {
        min_length: Some(2),
        max_length: Some(3),
        ..Constraints::NONE
    };
    const PATTERN: Constraints = Constraints {
        pattern: Some("^[a-z]+$"),
        format: Some("slug"),
        ..Constraints::NONE
    };
    let with = |name, schema, constraints| Property {
        constraints,
        ..Property { name, ..schema }
    };
    let schema = derive(&[
        with("limit", parameter::<u32>(""), &RANGE),
        with("ratio", parameter::<f64>(""), &HALF_OPEN),
        with("name", parameter::<String>(""), &LENGTH),
        with("list", optional::<Vec<u8>>(""), &LENGTH),
        with("code", optional::<String>(""), &PATTERN),
    ]);
    assert_eq!(
        lines(
            &schema,
            r#"{"limit":0,"ratio":1.5,"name":"ßßßß","list":[1],"code":"A1"}"#
        ),
        [
            "`limit`: expected an integer from 1 to 100, found 0",
            "`ratio`: expected a number of at least 0.5 less than 1.5, found 1.5",
            "`name`: expected from 2 to 3 characters, found 4",
            "`list`: expected from 2 to 3 elements, found 1; `list` may be left out",
            "`code`: expected a string that matches the pattern `^[a-z]+$`, found the string \"A1\"; `code` may be left out",
        ]
    );
    assert_eq!(
        lines(
            &schema,
            r#"{"limit":100,"ratio":0.5,"name":"💡💡","list":null,"code":null}"#
        ),
        [""; 0]
    );
}

#[test]
fn patterns_match_anywhere_unless_anchored() {
    const PATTERN: Constraints = Constraints {
        pattern: Some("[0-9]"),
        ..Constraints::NONE
    };
    let schema = derive(&[Property {
        constraints: &PATTERN,
        ..parameter::<String>("code")
    }]);
    assert_eq!(lines(&schema, r#"{"code":"a1b"}"#), [""; 0]);
    assert_eq!(lines(&schema, r#"{"code":"ab"}"#).len(), 1);
    assert_eq!(lines(&schema, r#"{"code":"\u0031"}"#), [""; 0]);
}

#[test]
fn enumerations_and_tags_name_the_nearest_value() {
    #[derive(JsonSchema)]
    #[schemars(rename_all = "snake_case", tag = "kind")]
    #[expect(dead_code, reason = "only its schema is of interest")]
    enum Shape {
        Circle { radius: f64 },
        Square { side: f64 },
    }
    let schema = derive(&[parameter::<Shape>("shape")]);
    assert_eq!(
        lines(&schema, r#"{"shape":{"kind":"cirle","radius":1}}"#),
        [
            "`shape.kind`: expected one of \"circle\" or \"square\", found the string \"cirle\"; did you mean \"circle\"?"
        ]
    );
    assert_eq!(
        lines(&schema, r#"{"shape":{"kind":"square","radius":1}}"#),
        [
            "`shape`: unknown member `radius`; the members are `kind` and `side`",
            "`shape`: the required member `side` is missing"
        ]
    );
    assert_eq!(
        lines(&schema, r#"{"shape":{"radius":1}}"#),
        ["`shape`: the required member `kind` is missing"]
    );
    assert_eq!(
        lines(&schema, r#"{"shape":5}"#),
        [
            "`shape`: expected an object with `kind` and `radius` or an object with `kind` and `side`, found 5"
        ]
    );
}

#[test]
fn variants_are_told_apart_by_their_one_member() {
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is of interest")]
    enum Action {
        Move { to: u8 },
        Say(String),
        Stop,
    }
    let schema = derive(&[parameter::<Action>("action")]);
    assert_eq!(
        lines(&schema, r#"{"action":{"Move":{"to":"1"}}}"#),
        ["`action.Move.to`: expected an integer, found the string \"1\"; send 1 without quotes"]
    );
    assert_eq!(
        lines(&schema, r#"{"action":{"move":{"to":1}}}"#),
        ["`action`: unknown member `move`; did you mean `Move`?"]
    );
    assert_eq!(
        lines(&schema, r#"{"action":{}}"#),
        ["`action`: expected one member, `Move` or `Say`, found none"]
    );
    assert_eq!(
        lines(&schema, r#"{"action":"stop"}"#),
        ["`action`: expected \"Stop\", found the string \"stop\"; did you mean \"Stop\"?"]
    );
}

#[test]
fn many_faults_are_listed_in_part() {
    let schema = derive(&[parameter::<Vec<i64>>("list")]);
    let all = vec!["\"x\""; 100_000].join(",");
    let faults = lines(&schema, &format!("{{\"list\":[{all}]}}"));
    assert_eq!(faults.len(), 33);
    assert_eq!(
        faults.last().map(String::as_str),
        Some("… and more of the same")
    );
}

#[test]
fn alternatives_inside_alternatives_end() {
    #[derive(JsonSchema)]
    #[schemars(untagged)]
    #[expect(dead_code, reason = "only its schema is of interest")]
    enum Either {
        Left { next: Box<Self>, left: bool },
        Right { next: Box<Self>, right: bool },
        End(u8),
    }
    let schema = derive(&[parameter::<Either>("tree")]);
    let mut tree = "300".to_owned();
    for _ in 0..60 {
        tree = format!("{{\"next\":{tree},\"right\":true}}");
    }
    let arguments = format!("{{\"tree\":{tree}}}");
    assert!(!schema.accepts_all(&arguments));
    assert!(!schema.faults(&arguments).is_empty());
    let arguments = arguments.replace("300", "30");
    // Each level is tried with both alternatives: an answer may be refused, and has to come.
    let _: bool = schema.accepts_all(&arguments);
    assert_eq!(
        schema.faults(&arguments).is_empty(),
        schema.accepts_all(&arguments)
    );
    schema.repair(&arguments);
}

#[test]
fn large_integers_are_also_taken_as_strings() {
    for digits in [
        "9007199254740992",
        "-9007199254740992",
        "2574604874062343519",
        "9223372036854775807",
        "-9223372036854775808",
    ] {
        let text = format!("{digits:?}");
        assert!(accepts::<i64>(&text), "{digits}");
        assert_eq!(canonical::<i64>(&text).as_deref(), Some(digits));
        let list = format!("[1,{text}]");
        assert!(accepts::<Vec<i64>>(&list), "{digits}");
        assert_eq!(canonical::<Vec<i64>>(&list), Some(format!("[1,{digits}]")));
        let map = format!("{{\"a\":{text}}}");
        assert!(accepts::<std::collections::BTreeMap<String, i64>>(&map));
        let optional = format!("[null,{text}]");
        assert_eq!(
            canonical::<Vec<Option<i64>>>(&optional),
            Some(format!("[null,{digits}]"))
        );
        assert_eq!(
            canonical::<(i64, String)>(&format!("[{text},{text}]")),
            Some(format!("[{digits},{text}]"))
        );
    }
    let widest = "340282366920938463463374607431768211455";
    assert_eq!(
        canonical::<u128>(&format!("{widest:?}")).as_deref(),
        Some(widest)
    );
    assert!(accepts::<i64>(r#""\u0032574604874062343519""#));
}

#[test]
fn bounds_hold_for_integers_in_strings() {
    for (line, expected) in [
        (
            line::<i64>("\"9223372036854775808\""),
            "found 9223372036854775808",
        ),
        (line::<u8>("\"9007199254740993\""), "found 9007199254740993"),
        (
            line::<u64>("\"-9007199254740993\""),
            "found -9007199254740993",
        ),
    ] {
        assert!(line.starts_with("`n`: expected an integer from"), "{line}");
        assert!(line.ends_with(expected), "{line}");
    }
}

#[test]
fn other_strings_are_no_integers() {
    for text in [
        "5",
        "9007199254740991",
        "-9007199254740991",
        "09007199254740993",
        "+9007199254740993",
        "9007199254740993.0",
        "9e15",
        " 9007199254740993",
        "9007199254740993 ",
        "",
    ] {
        assert!(!accepts::<i64>(&format!("{text:?}")), "{text}");
    }
}

#[test]
fn a_string_is_a_string_wherever_it_may_be_one() {
    #[derive(JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only its schema is of interest")]
    enum Either {
        Number(i64),
        Text(String),
    }
    #[derive(JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only its schema is of interest")]
    enum Limit {
        Number(i64),
        Named(Name),
    }
    #[derive(JsonSchema)]
    #[serde(rename_all = "lowercase")]
    #[expect(dead_code, reason = "only its schema is of interest")]
    enum Name {
        All,
        Some,
    }
    let large = "\"2574604874062343519\"";
    for free in [
        canonical::<Either>(large),
        canonical::<String>(large),
        canonical::<serde_json::Value>(large),
        canonical::<Vec<Either>>(&format!("[{large}]")),
    ] {
        assert_eq!(free, None);
    }
    assert!(accepts::<Limit>(large));
    assert_eq!(
        canonical::<Limit>(large).as_deref(),
        Some("2574604874062343519")
    );
    assert!(accepts::<Limit>("\"all\""));
    assert_eq!(canonical::<Limit>("\"all\""), None);
}

#[test]
fn a_large_integer_is_never_to_be_unquoted() {
    for line in [
        line::<bool>("\"9007199254740993\""),
        line::<i64>("\"9223372036854775808\""),
        line::<f64>("\"1e400\""),
    ] {
        assert!(
            !line.contains("without quotes") || line.contains("1e400"),
            "{line}"
        );
    }
    assert!(line::<i64>("\"5\"").ends_with("send 5 without quotes"));
}

#[test]
fn what_is_optional_may_be_left_out() {
    let schema = derive(&[
        optional::<i64>("limit"),
        optional::<Vec<i64>>("ids"),
        parameter::<User>("user"),
    ]);
    assert_eq!(
        lines(
            &schema,
            r#"{"limit":"null","ids":["null"],"user":{"username":"","age":"","address":{"street":"s","zip":"null","tags":""}}}"#
        ),
        [
            "`limit`: expected an integer, found the string \"null\"; `limit` may be left out",
            "`ids[0]`: expected an integer, found the string \"null\"; `ids` may be left out",
            "`user.age`: expected an integer, found the string \"\"",
            "`user.address.zip`: expected an integer, found the string \"null\"; `user.address.zip` may be left out",
            "`user.address.tags`: expected an array, found the string \"\"; `user.address` may be left out",
        ]
    );
}

#[test]
fn a_limit_of_a_float_holds_for_the_value_after_rounding() {
    let below = Constraints {
        minimum: Some(Bound::Float(0.0)),
        maximum: Some(Bound::Float(1.0)),
        exclusive_maximum: true,
        ..Constraints::NONE
    };
    let mut single = parameter::<f32>("single");
    single.constraints = &below;
    let mut double = parameter::<f64>("double");
    double.constraints = &below;
    let schema = derive(&[single, double]);
    assert_eq!(
        lines(&schema, r#"{"single":0.9999999,"double":0.99999999}"#),
        [""; 0]
    );
    assert_eq!(
        lines(
            &schema,
            r#"{"single":0.99999999,"double":0.99999999999999999}"#
        ),
        [
            "`single`: expected a number of at least 0.0 less than 1.0, found 0.99999999, which a 32-bit float rounds to 1",
            "`double`: expected a number of at least 0.0 less than 1.0, found 0.99999999999999999, which a 64-bit float rounds to 1",
        ]
    );
}
