//! Values of types that other crates bring: what their decoders refuse is told with its place, and with everything else.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::str::FromStr;

use mcp_runtime::mcp_tool;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use super::{failed, succeeded};

/// A moment as crates of dates have it: a text of a format, and a decoder that says little.
#[derive(Debug)]
#[expect(dead_code, reason = "it is shown by its Debug alone")]
struct Moment(String);

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let is_one = text.starts_with("20") && text.ends_with('Z');
        is_one
            .then_some(Self(text))
            .ok_or_else(|| serde::de::Error::custom("input contains invalid characters"))
    }
}

impl JsonSchema for Moment {
    fn schema_name() -> Cow<'static, str> {
        "Moment".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "date-time"})
    }
}

/// A code whose schema is that of any text.
#[derive(Debug)]
struct Code;

impl FromStr for Code {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "A" => Ok(Self),
            _ => Err(format!("there is no code {text}")),
        }
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Code {
    fn schema_name() -> Cow<'static, str> {
        "Code".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[expect(dead_code, reason = "it is shown by its Debug alone")]
enum Filter {
    Added { from: Moment, to: Option<Moment> },
    Coded { codes: Vec<Code> },
    From { address: IpAddr },
}

/// Find something.
#[mcp_tool]
fn find(
    filters: Vec<Filter>,
    #[arg(default = 10, range(1..=100))] limit: u32,
    code: Option<Code>,
    #[arg(default = BTreeMap::new())] narrow: BTreeMap<u8, bool>,
    wait: Option<std::time::Duration>,
) -> String {
    format!("{filters:?} {limit} {code:?} {narrow:?} {wait:?}")
}

#[test]
fn a_value_in_a_tagged_enum_has_its_place_and_what_was_expected() {
    assert_eq!(
        failed(
            "find",
            r#"{"filters":[{"kind":"added","from":"yesterday"}]}"#
        ),
        [
            "`filters[0].from`: expected a date-time such as 2026-11-30T12:00:00Z, found the string \"yesterday\""
        ]
    );
    assert_eq!(
        failed(
            "find",
            r#"{"filters":[{"kind":"from","address":"1.2.3.4"},{"kind":"from","address":"1.2.3"}]}"#
        ),
        [
            "`filters[1].address`: expected an IP address such as 192.0.2.1, found the string \"1.2.3\""
        ]
    );
    assert_eq!(
        failed(
            "find",
            r#"{"filters":[{"kind":"coded","codes":["A","B"]}],"code":"C"}"#
        ),
        [
            "`filters[0].codes[1]`: there is no code B",
            "`code`: there is no code C; `code` may be left out",
        ]
    );
}

#[test]
fn faults_of_decoders_come_with_all_others() {
    assert_eq!(
        failed(
            "find",
            r#"{"filters":[{"kind":"added","from":"yesterday","to":"tomorrow"},{"kind":"added","from":5}],"limit":0,"code":"C","narrow":{"256":true},"wait":{"secs":18446744073709551615,"nanos":1000000000},"lmit":1}"#
        ),
        [
            "`filters[0].from`: expected a date-time such as 2026-11-30T12:00:00Z, found the string \"yesterday\"",
            "`filters[0].to`: expected a date-time such as 2026-11-30T12:00:00Z, found the string \"tomorrow\"; `filters[0].to` may be left out",
            "`filters[1].from`: expected a string, found 5",
            "`limit`: expected an integer from 1 to 100, found 0; `limit` may be left out",
            "unknown argument `lmit`; did you mean `limit`?",
            "`code`: there is no code C; `code` may be left out",
            "`narrow.256`: invalid value: integer `256`, expected an integer from 0 to 255; `narrow` may be left out",
            "`wait`: overflow deserializing Duration; `wait` may be left out",
        ]
    );
}

#[test]
fn what_is_right_is_taken() {
    assert_eq!(
        succeeded(
            "find",
            r#"{"filters":[{"kind":"added","from":"2026-11-30T12:00:00Z"}],"code":"A","narrow":{"255":true}}"#
        ),
        r#"[Added { from: Moment("2026-11-30T12:00:00Z"), to: None }] 10 Some(Code) {255: true} None"#
    );
}
