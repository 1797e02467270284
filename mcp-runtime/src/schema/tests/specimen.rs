//! Types of parameters and results, with values of each.

mod values;

use super::super::SchemaFn;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::num::{NonZeroI32, NonZeroU8};
use std::time::Duration;

/// A type under test.
pub(super) struct Specimen {
    pub(super) name: &'static str,
    pub(super) schema: SchemaFn,
    /// Values of the type as JSON.
    pub(super) samples: Vec<String>,
    /// Decodes a value and encodes it again.
    pub(super) decode: fn(&str) -> Result<String, String>,
}

fn specimen<T: JsonSchema + Serialize + DeserializeOwned>(
    name: &'static str,
    values: &[T],
) -> Specimen {
    Specimen {
        name,
        schema: |generator| generator.subschema_for::<T>(),
        samples: values
            .iter()
            .map(|value| serde_json::to_string(value).unwrap())
            .collect(),
        decode: |text| {
            let value: T = serde_json::from_str(text).map_err(|error| error.to_string())?;
            serde_json::to_string(&value).map_err(|error| error.to_string())
        },
    }
}

/// A point in the plane.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
pub(super) struct Point {
    /// To the right.
    x: f64,
    y: f64,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Nested {
    name: String,
    place: Point,
    route: Vec<Point>,
    note: Option<String>,
    #[serde(default)]
    count: u32,
    #[serde(default = "five")]
    tries: u8,
}

fn five() -> u8 {
    5
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Empty {}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Unit;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Meters(f64);

#[derive(Serialize, Deserialize, JsonSchema)]
struct Pair(i32, String);

/// The form of the answer.
#[derive(Serialize, Deserialize, JsonSchema, PartialEq, Eq, Hash)]
#[serde(rename_all = "lowercase")]
enum Plain {
    Markdown,
    Json,
}

/// The form of the answer.
#[derive(Serialize, Deserialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
enum Documented {
    /// Text with marks.
    Markdown,
    /// Data.
    Json,
    Text,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum External {
    Nothing,
    /// A width.
    One(u8),
    Two(u8, String),
    Fields {
        a: i32,
        b: Option<bool>,
    },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Internal {
    Circle { radius: f64 },
    Square { side: u32, label: Option<String> },
    At(Point),
    Nothing,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Number(i64),
    Fields { a: String },
    Nothing,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Number(i64),
    Text(String),
    Place(Point),
    Many(Vec<u8>),
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Flattened {
    id: u32,
    #[serde(flatten)]
    place: Point,
    #[serde(flatten)]
    shape: Internal,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Rest {
    id: u32,
    #[serde(flatten)]
    rest: BTreeMap<String, i64>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct AnyRest {
    id: u32,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct ValueRest {
    note: Option<String>,
    #[serde(flatten)]
    rest: Value,
}

/// What is caught may stand in a variant, and beside a record and an enum.
#[derive(Serialize, Deserialize, JsonSchema)]
enum VariantRest {
    Fields {
        a: u8,
        #[serde(flatten)]
        rest: serde_json::Map<String, Value>,
    },
    Mixed {
        #[serde(flatten)]
        place: Corner,
        #[serde(flatten)]
        choice: Choice,
        #[serde(flatten)]
        rest: HashMap<String, Value>,
    },
    Counted {
        #[serde(flatten)]
        choice: Choice,
        #[serde(flatten)]
        rest: BTreeMap<String, i64>,
    },
    Strict {
        a: u8,
    },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = true))]
struct Extended {
    a: u8,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Renamed {
    first_name: String,
    #[serde(rename = "type", alias = "kind")]
    class: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_name: Option<String>,
}

/// A folder.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Tree {
    name: String,
    children: Vec<Self>,
    parent: Option<Box<Self>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Expression {
    Number(i64),
    Sum(Vec<Self>),
    Negative(Box<Self>),
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Page<T> {
    items: Vec<T>,
    next: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Keywords {
    title: String,
    description: String,
    default: i32,
    format: Option<String>,
    #[serde(rename = "$ref")]
    reference: String,
    r#type: String,
    properties: BTreeMap<String, bool>,
    required: Vec<String>,
    #[serde(rename = "enum")]
    list: Vec<u8>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Limited {
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
    #[schemars(length(min = 1, max = 3))]
    name: String,
    #[schemars(regex(pattern = r"^[a-z]+$"))]
    code: String,
    #[schemars(length(min = 1))]
    list: Vec<i8>,
    #[schemars(extend("multipleOf" = 5))]
    steps: u16,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Widths {
    a: i8,
    b: i16,
    c: i32,
    d: i64,
    e: isize,
    f: u8,
    g: u16,
    h: u32,
    i: u64,
    j: usize,
}

/// Two enums and an optional record in one object.
#[derive(Serialize, Deserialize, JsonSchema)]
struct FlattenedEnums {
    #[serde(flatten)]
    external: Choice,
    #[serde(flatten)]
    internal: Option<Internal>,
    #[serde(flatten)]
    place: Option<Corner>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Choice {
    First(u8),
    Second { deep: bool },
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Corner {
    left: u8,
    top: u8,
}

#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Defaults {
    count: u32,
    name: Option<String>,
    list: Vec<i64>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op", deny_unknown_fields, rename_all_fields = "camelCase")]
enum Strict {
    Add {
        first_term: i64,
        second_term: Option<i64>,
    },
    #[serde(rename = "noop")]
    Nothing {},
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Loose {
    Flag(bool),
    Both { a: u8, b: u8 },
    One { a: u8 },
    Text(Option<String>),
}

fn point() -> Point {
    Point { x: 1.5, y: -2.0 }
}

fn tree(depth: usize) -> Tree {
    let children = if depth == 0 {
        Vec::new()
    } else {
        vec![tree(depth - 1), tree(0)]
    };
    Tree {
        name: format!("level {depth}"),
        children,
        parent: (depth == 1).then(|| Box::new(tree(0))),
    }
}

/// All types, each with some values.
pub(super) fn all() -> Vec<Specimen> {
    let mut all = values::scalars();
    all.extend(values::collections());
    all.extend(values::records());
    all
}

/// The schema of an enum with documented variants.
pub(super) fn documented(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    generator.subschema_for::<Documented>()
}

/// The same, optional.
pub(super) fn optional_documented(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    generator.subschema_for::<Option<Documented>>()
}
