//! What is written, held against `serde_json`, and what is refused in which words.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::*;

fn written<T: Serialize + ?Sized>(value: &T) -> String {
    let mut out = Vec::new();
    write_value(&mut out, value).unwrap();
    String::from_utf8(out).unwrap()
}

fn refusal<T: Serialize + ?Sized>(value: &T) -> String {
    write_value(&mut Vec::new(), value).unwrap_err().to_string()
}

fn agrees<T: Serialize + ?Sized>(value: &T) {
    assert_eq!(written(value), serde_json::to_string(value).unwrap());
}

/// Every shape that serde knows, in one type.
#[derive(Clone, Debug, Serialize)]
enum Shape {
    Unit,
    Newtype(f64),
    Nested(Box<Self>),
    Tuple(i8, Option<String>),
    Struct { size: f32, rows: Vec<Self> },
    Empty {},
    Nothing(),
    Map(BTreeMap<String, Self>),
    Keyed(BTreeMap<i64, (char, bool)>),
    Wide(i128, u128),
    Plain(Plain),
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Plain {
    first_one: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    second_one: Option<()>,
    pair: (Marker, Wrapper),
    #[serde(flatten)]
    others: BTreeMap<String, i16>,
}

#[derive(Clone, Debug, Serialize)]
struct Marker;

#[derive(Clone, Debug, Serialize)]
struct Wrapper(String);

fn finite() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("finite", |number| number.is_finite())
}

fn plain() -> impl Strategy<Value = Plain> {
    let others = proptest::collection::btree_map(any::<String>(), any::<i16>(), 0..3);
    (any::<u64>(), any::<Option<()>>(), any::<String>(), others).prop_map(
        |(first_one, second_one, text, others)| Plain {
            first_one,
            second_one,
            pair: (Marker, Wrapper(text)),
            others,
        },
    )
}

fn shape() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![
        Just(Shape::Unit),
        Just(Shape::Empty {}),
        Just(Shape::Nothing()),
        finite().prop_map(Shape::Newtype),
        any::<(i8, Option<String>)>().prop_map(|(number, text)| Shape::Tuple(number, text)),
        any::<(i128, u128)>().prop_map(|(signed, unsigned)| Shape::Wide(signed, unsigned)),
        proptest::collection::btree_map(any::<i64>(), any::<(char, bool)>(), 0..4)
            .prop_map(Shape::Keyed),
        plain().prop_map(Shape::Plain),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            inner
                .clone()
                .prop_map(|shape| Shape::Nested(Box::new(shape))),
            (any::<f32>(), proptest::collection::vec(inner.clone(), 0..4)).prop_map(
                |(size, rows)| Shape::Struct {
                    size: if size.is_finite() { size } else { 0.1 },
                    rows,
                }
            ),
            proptest::collection::btree_map(any::<String>(), inner, 0..4).prop_map(Shape::Map),
        ]
    })
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        finite().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(|entries| Value::Object(entries.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn values_equal_those_of_serde_json(value in value()) {
        prop_assert_eq!(written(&value), serde_json::to_string(&value).unwrap());
    }

    #[test]
    fn derived_types_equal_those_of_serde_json(shape in shape()) {
        prop_assert_eq!(written(&shape), serde_json::to_string(&shape).unwrap());
    }

    #[test]
    fn floats_equal_those_of_serde_json(double in finite(), single in any::<f32>()) {
        prop_assert_eq!(written(&double), serde_json::to_string(&double).unwrap());
        prop_assume!(single.is_finite());
        prop_assert_eq!(written(&single), serde_json::to_string(&single).unwrap());
    }
}

#[test]
fn numbers_at_their_bounds_equal_those_of_serde_json() {
    agrees(&(i8::MIN, i16::MIN, i32::MIN, i64::MIN, i128::MIN));
    agrees(&(u8::MAX, u16::MAX, u32::MAX, u64::MAX, u128::MAX));
    agrees(&(
        0.0,
        -0.0,
        5.0,
        1e21,
        1e-7,
        f64::MIN_POSITIVE,
        f64::MAX,
        0.1_f32,
        f32::MAX,
    ));
}

#[test]
fn bytes_are_an_array_of_numbers() {
    struct Bytes(&'static [u8]);
    impl Serialize for Bytes {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_bytes(self.0)
        }
    }
    assert_eq!(written(&Bytes(&[0, 128, 255])), "[0,128,255]");
    assert_eq!(written(&Bytes(&[])), "[]");
}

#[test]
fn keys_equal_those_of_serde_json() {
    #[derive(PartialEq, Eq, PartialOrd, Ord, Serialize)]
    enum Color {
        #[serde(rename = "dark red")]
        DarkRed,
    }
    struct Half;
    impl Serialize for Half {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map([(0.5_f64, 1), (-1e30, 2)])
        }
    }
    agrees(&BTreeMap::from([("\"a\n", 1)]));
    agrees(&BTreeMap::from([(-7_i8, 1), (9, 2)]));
    agrees(&BTreeMap::from([(u128::MAX, 1)]));
    agrees(&BTreeMap::from([(false, 1), (true, 2)]));
    agrees(&BTreeMap::from([('"', 1)]));
    agrees(&BTreeMap::from([(Color::DarkRed, 1)]));
    agrees(&BTreeMap::from([(Some("a"), 1)]));
    agrees(&BTreeMap::from([(std::net::Ipv4Addr::LOCALHOST, 1)]));
    agrees(&Half);
}

#[test]
fn keys_that_serde_json_refuses_are_refused() {
    let sentence = "only strings, numbers, booleans and plain variants can be keys in JSON";
    assert_eq!(refusal(&BTreeMap::from([((), 1)])), sentence);
    assert_eq!(refusal(&BTreeMap::from([(None::<u8>, 1)])), sentence);
    assert_eq!(
        refusal(&[BTreeMap::from([((1, 2), 1)])]),
        format!("`[0]`: {sentence}")
    );

    struct Odd;
    impl Serialize for Odd {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map([(f32::INFINITY, 1)])
        }
    }
    assert_eq!(refusal(&(Odd,)), "`[0]`: Infinity cannot be a key in JSON");
}

#[test]
fn displayed_values_are_strings() {
    struct Shown(&'static str);
    impl Serialize for Shown {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(&format_args!("{}|{}", self.0, 1))
        }
    }
    agrees(&Shown("a\"\n"));

    struct Broken;
    impl fmt::Display for Broken {
        fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
            Err(fmt::Error)
        }
    }
    impl Serialize for Broken {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(self)
        }
    }
    assert_eq!(
        refusal(&[Broken]),
        "`[0]`: the value could not be displayed"
    );
}

#[test]
fn raw_values_pass_as_they_are() {
    let raw = RawValue::from_string(r#"{"b" : 1e2,"a":[ 1.50 ]}"#.into()).unwrap();
    agrees(&raw);
    #[derive(Serialize)]
    struct Holder<'a> {
        raw: &'a RawValue,
        after: u8,
    }
    agrees(&Holder {
        raw: &raw,
        after: 1,
    });
}

#[test]
fn numbers_of_arbitrary_precision_pass_as_they_are() {
    struct Long;
    impl Serialize for Long {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            use serde::ser::SerializeStruct;
            let mut number = serializer.serialize_struct(NUMBER, 1)?;
            number.serialize_field(NUMBER, "0.10000000000000000000000001")?;
            number.end()
        }
    }
    assert_eq!(written(&[Long]), "[0.10000000000000000000000001]");
}

#[test]
fn raw_values_stay_on_one_line() {
    let raw = RawValue::from_string("{\r\n  \"a\\n\": [\n1,\n2\n]\r\n}".into()).unwrap();
    assert_eq!(written(&raw), r#"{  "a\n": [1,2]}"#);
}

#[test]
fn a_number_that_is_not_finite_is_named_by_its_path() {
    #[derive(Serialize)]
    struct Table {
        rows: Vec<Row>,
    }
    #[derive(Serialize)]
    struct Row {
        price: f64,
    }
    let table = |price| Table {
        rows: vec![Row { price: 1.0 }, Row { price }],
    };
    assert_eq!(
        refusal(&table(f64::NAN)),
        "`rows[1].price`: NaN cannot be sent as JSON"
    );
    assert_eq!(
        refusal(&table(f64::INFINITY)),
        "`rows[1].price`: Infinity cannot be sent as JSON"
    );
    assert_eq!(
        refusal(&table(f64::NEG_INFINITY)),
        "`rows[1].price`: -Infinity cannot be sent as JSON"
    );
    assert_eq!(refusal(&f32::NAN), "NaN cannot be sent as JSON");
    assert_eq!(
        refusal(&Some([[1.0], [f32::NAN]])),
        "`[1][0]`: NaN cannot be sent as JSON"
    );
}

#[test]
fn keys_and_variants_are_part_of_the_path() {
    #[derive(Serialize)]
    enum Kind {
        One(f64),
        Two(u8, f64),
        Named { share: f64 },
    }
    let path = |value: &dyn Fn() -> String| {
        value()
            .strip_suffix(": NaN cannot be sent as JSON")
            .unwrap()
            .to_owned()
    };
    let nan = f64::NAN;
    assert_eq!(
        path(&|| refusal(&BTreeMap::from([("a", 1.0), ("b", nan)]))),
        "`b`"
    );
    assert_eq!(
        path(&|| refusal(&BTreeMap::from([("a \"b\"", nan)]))),
        r#"`["a \"b\""]`"#
    );
    assert_eq!(path(&|| refusal(&BTreeMap::from([(7, nan)]))), "`7`");
    assert_eq!(
        path(&|| refusal(&BTreeMap::from([("a", Kind::One(nan))]))),
        "`a.One`"
    );
    assert_eq!(path(&|| refusal(&Kind::Two(0, nan))), "`Two[1]`");
    assert_eq!(
        path(&|| refusal(&[Kind::Named { share: nan }])),
        "`[0].Named.share`"
    );
}

#[test]
fn the_text_of_a_failing_type_is_kept() {
    struct Failing;
    impl Serialize for Failing {
        fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("the lock is poisoned"))
        }
    }
    assert_eq!(refusal(&Failing), "the lock is poisoned");
    assert_eq!(
        refusal(&BTreeMap::from([("state", [Failing])])),
        "`state[0]`: the lock is poisoned"
    );
}

#[test]
fn a_value_before_any_key_is_no_panic() {
    struct Keyless;
    impl Serialize for Keyless {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serde::ser::SerializeMap::serialize_value(
                &mut serializer.serialize_map(None)?,
                &f64::NAN,
            )?;
            Err(serde::ser::Error::custom("not reached"))
        }
    }
    assert_eq!(refusal(&Keyless), "NaN cannot be sent as JSON");
}

#[test]
fn what_was_in_the_buffer_stays() {
    let mut out = b"before ".to_vec();
    write_value(&mut out, &[1]).unwrap();
    assert_eq!(out, b"before [1]");
    let len = out.len();
    write_value(&mut out, &(1, f64::NAN)).unwrap_err();
    out.truncate(len);
    assert_eq!(out, b"before [1]");
}

/// It is as deep as it is told, by arrays, or by options and newtypes alone.
struct Deep(usize, Kind);

#[derive(Clone, Copy)]
enum Kind {
    Array,
    Map,
    Variant,
    Option,
    Newtype,
}

impl Serialize for Deep {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(levels, kind) = *self;
        if levels == 0 {
            return serializer.serialize_bool(true);
        }
        let inner = Self(levels - 1, kind);
        match kind {
            Kind::Array => [inner].serialize(serializer),
            Kind::Map => BTreeMap::from([("k", inner)]).serialize(serializer),
            Kind::Variant => serializer.serialize_newtype_variant("Deep", 0, "v", &inner),
            Kind::Option => Some(inner).serialize(serializer),
            Kind::Newtype => serializer.serialize_newtype_struct("Deep", &inner),
        }
    }
}

#[test]
fn values_of_128_levels_are_written_and_deeper_ones_are_refused() {
    for kind in [Kind::Array, Kind::Map, Kind::Variant] {
        assert!(written(&Deep(128, kind)).contains("true"));
        for levels in [129, usize::MAX] {
            let refusal = refusal(&Deep(levels, kind));
            assert!(
                refusal.ends_with("`: nested deeper than 128 levels"),
                "{refusal}"
            );
            let steps = refusal.matches(['0', 'k', 'v']).count();
            assert_eq!(
                steps,
                128 + usize::from(refusal.contains("levels")),
                "{refusal}"
            );
        }
    }
}

#[test]
fn options_and_newtypes_add_no_level_and_are_bounded_all_the_same() {
    for kind in [Kind::Option, Kind::Newtype] {
        assert_eq!(written(&Deep(512, kind)), "true");
        assert_eq!(
            refusal(&Deep(usize::MAX, kind)),
            "nested deeper than 128 levels"
        );
        let key = BTreeMap::from([(Key(Deep(usize::MAX, kind)), 1)]);
        assert_eq!(refusal(&key), "nested deeper than 128 levels");
    }
    let links = (0..127).fold(Value::Null, |link, _| serde_json::json!({ "next": link }));
    assert!(written(&Some(links)).starts_with("{"));
}

#[derive(Serialize)]
struct Key(Deep);

impl PartialEq for Key {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

#[test]
fn json_text_inside_a_value_is_as_deep_as_it_says() {
    let raw = |levels: usize| {
        RawValue::from_string(["[".repeat(levels), "]".repeat(levels)].concat()).unwrap()
    };
    assert!(written(&[raw(127)]).starts_with("[["));
    assert_eq!(refusal(&[raw(128)]), "`[0]`: nested deeper than 128 levels");
}
