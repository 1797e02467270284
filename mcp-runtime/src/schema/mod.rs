//! JSON Schema of arguments and results: generated from Rust types, published in a portable form, and enforced.
//!
//! A type is described by schemars, brought into one internal form ([`node::Node`]), and both the published text and the check of
//! every value come from that form. This module has never heard of MCP's messages, and it fetches nothing.
//!
//! # The portable form of arguments
//!
//! One schema that one host refuses can take all tools of a server away, so the schema of arguments keeps to what the hosts and
//! the providers of models accept. It is JSON Schema 2020-12 with these keywords and no others:
//!
//! | for | keywords |
//! |---|---|
//! | every value | `type` (one name), `title`, `description`, `default`, `anyOf`, `$ref`, `x-mcp-header` |
//! | strings | `enum`, `minLength`, `maxLength`, `pattern`, `format` |
//! | numbers | `minimum`, `maximum` |
//! | arrays | `items`, `prefixItems`, `minItems`, `maxItems` |
//! | objects | `properties`, `required`, `additionalProperties`, `minProperties`, `maxProperties` |
//! | the root | `$defs` |
//!
//! No number in it is beyond ±(2^53 − 1), since hosts round such numbers and providers refuse them.
//! Every constraint of a type is enforced; the published schema leaves out what has no portable form, so it accepts everything
//! that is enforced as valid, and sometimes more:
//!
//! | the type or the given schema has | published is |
//! |---|---|
//! | a bound or a size beyond ±(2^53 − 1) | nothing |
//! | a default or a listed value beyond ±(2^53 − 1) | nothing: the tool is refused with a sentence |
//! | an exclusive bound | of integers the inclusive bound beside it; else the bound itself, and a line of the description |
//! | listed values that are no strings | a line of the description, and the bounds of numbers |
//! | `examples`, `deprecated`, `multipleOf`, `uniqueItems`, `propertyNames`, `patternProperties` | a line of the description |
//! | a `format` that JSON Schema does not define | a line of the description; of numbers, nothing |
//! | `not`, a second `pattern` | nothing |
//! | a union at the root (schemas given by hand) | one object with the members of all alternatives, told by `doctor` |
//!
//! No schema is a boolean, except that `additionalProperties` may be `false`.
//! A schema that was written by hand inside a type is held to the same. Keywords that are not enforced are not published.
//!
//! A schema given at run time is enforced as it is, and published in this form; objects that it leaves open stay open.
//! With the feature `full-schema` it is published exactly as given, and `doctor` names what hosts refuse.
//!
//! | Rust | schema |
//! |---|---|
//! | the parameters of a tool | `object`, closed by `additionalProperties: false`, in the order of declaration; also when there are none |
//! | a struct | the same; required members first, in the order of the fields, then the others by name |
//! | `Option<T>` of a parameter or field, and what has a default | the schema of `T`, not in `required`; `null` counts as absence, at every depth |
//! | `Option<T>` elsewhere, as in `Vec<Option<T>>` | `anyOf` of `T` and `null`, told by `doctor` as not portable |
//! | integers | `integer` with the bounds of the width that lie within ±(2^53 − 1); the whole width is enforced, up to 128 bits; no `format` |
//! | floats | `number`; what the float cannot hold, such as `1e400`, is refused |
//! | `char` | `string` of exactly one character (Unicode code point) |
//! | `Vec<u8>` | `array` of integers from 0 to 255 |
//! | `Duration` | `object` of `secs` and `nanos` |
//! | `[T; N]`, tuples of one type | `array` with `items`, `minItems` and `maxItems` |
//! | other tuples | `prefixItems`, and `items` with the union for hosts that know only that; `doctor` tells |
//! | maps | `additionalProperties` with the schema of the values; a line of the description has the pattern of integer keys |
//! | `serde_json::Value` | `{}` |
//! | a map or a `Value` that is flattened into a struct or a variant | `additionalProperties` beside the named members; any value is `{}` |
//! | an enum of plain variants | `string` with `enum`; the texts of documented variants become lines of the description |
//! | other enums | `anyOf` of closed objects; what is flattened beside them is part of each |
//! | a recursive type | `$ref` into `$defs`, told by `doctor`; all other references are inlined |
//!
//! An object without `properties` and `additionalProperties` stays open, since a hand-written `{"type": "object"}` means any object;
//! a struct without fields looks the same and takes any members.
//!
//! # Results
//!
//! The schema of a result tells what serialisation produces: `["string", "null"]`, `oneOf` and open objects stay. Only numeric
//! formats give way to bounds, `allOf` is merged and enumerations are put in one list. Numbers beyond ±(2^53 − 1) are left out
//! and still enforced; a `oneOf` whose alternatives lose one becomes `anyOf`, as they may overlap. The root has `"type": "object"`
//! if every result is an object, also where a recursive type refers to itself.
//!
//! # What is accepted is decoded
//!
//! To JSON Schema `5.0`, `1e0` and `-0` are integers; serde reads them after [`InputSchema::canonical`]. Numbers are compared digit
//! by digit and never pass through a float. Patterns are searched for anywhere in the string, as JSON Schema has it, and their
//! syntax is what ECMA-262 and the crate `regex-lite` share.
//!
//! Of what clients send, the formats `date-time`, `date`, `time`, `email`, `uri`, `uuid`, `ipv4` and `ipv6` are enforced, whatever
//! they come from; others are left to the decoder of their type. In results a format tells what the type writes.
//!
//! A `Value`, and the handler of a registered tool, gets an integer that a `Value` would round (below −2^63 or above 2^64 − 1) as a
//! string of its digits.
//!
//! An integer beyond ±(2^53 − 1) is also taken as a string of its plain digits, at every depth, where the schema takes integers and
//! no strings: clients that read numbers as 64-bit floats can send it in no other way. Its bounds hold, and the function gets the
//! integer. This is true of schemas given by hand, too, whose handlers get the number.
//!
//! The bounds of a float hold for the number that was sent and for the float that it is rounded to.
//!
//! Other names of a member, by `#[serde(alias = "…")]` in a type under `#[mcp_type]`, are taken and not published. A type with
//! plain derives says them to schemars, too: `#[schemars(extend("x-mcp-alias" = ["…"]))]`.
//!
//! A member given twice is refused at every depth of what clients send, inside a free value such as a `serde_json::Value`, too.
//!
//! What no schema of a type tells is left to its decoder: the width of integer keys, the keys of a map whose enum is documented,
//! formats, and the sum of the two parts of a `Duration`.

mod canonical;
mod check;
mod coerce;
mod constrain;
mod cursor;
mod explain;
mod fault;
mod form;
mod format;
mod free;
mod generate;
mod headers;
mod identity;
mod input;
mod large;
mod locate;
mod merge;
mod mirror;
mod nearest;
mod node;
mod number;
mod output;
mod parse;
mod portability;
mod portable;
mod publish;
mod reference;
mod safe_number;
mod simplify;
mod text_faults;
mod user_schema;
mod validator;
mod wide_integer;
mod write;

pub use constrain::{Bound, Constraints};
pub(crate) use fault::{Fault, LISTED, MORE, may_be_left_out, shown};
pub use form::{Choice, FieldShape};
pub(crate) use form::{FormMember, FormSchema};
pub use format::Format;
pub(crate) use identity::identity;
pub(crate) use input::{InputSchema, Property};
pub(crate) use mirror::{Mirror, Mirrored, says};
pub(crate) use nearest::nearest;
pub(crate) use number::MAX_SAFE_INTEGER;
pub(crate) use output::OutputSchema;
pub(crate) use safe_number::unsafe_number;
pub(crate) use text_faults::{TextFaults, text_faults};
pub(crate) use user_schema::Checking;
pub(crate) use wide_integer::quote_wide_integers;

use std::fmt;

/// The schema of a Rust type, as in `|generator| generator.subschema_for::<T>()`.
///
/// Not public API. Used by generated code.
pub(crate) type SchemaFn = fn(&mut schemars::SchemaGenerator) -> schemars::Schema;

/// All that makes a schema unusable, one sentence each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SchemaProblems(Vec<String>);

impl SchemaProblems {
    fn new(sentences: Vec<String>) -> Self {
        Self(sentences)
    }

    /// A single sentence.
    pub(crate) fn one(sentence: impl Into<String>) -> Self {
        Self(vec![sentence.into()])
    }

    /// The sentences.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl fmt::Display for SchemaProblems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.join("; "))
    }
}

impl std::error::Error for SchemaProblems {}

#[cfg(test)]
mod tests;
