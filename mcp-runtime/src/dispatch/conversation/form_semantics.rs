//! Whether a field of a form in the handler's own words makes sense: whether some answer meets its bounds, and its default does.
//!
//! What its members may be is checked before; the types of forms need none of this, since the compiler has done it.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::check::{Checked, list};
use crate::schema::Format;

/// Checks a field whose members are what they may be.
pub(super) fn field(field: &Value, at: &str) -> Checked {
    match field["type"].as_str() {
        Some("string") => text(field, at),
        Some("number" | "integer") => number(field, at),
        Some("array") => choices(field, at),
        _ => Ok(()),
    }
}

/// Checks that what is required is there to be filled in.
pub(super) fn required(schema: &Value, at: &str) -> Checked {
    let mut required = list(&schema["required"]).iter().filter_map(Value::as_str);
    match required.find(|name| schema["properties"].get(name).is_none()) {
        None => Ok(()),
        Some(name) => Err(format!(
            "`{at}.required` has `{name}`, which is none of its `properties`"
        )),
    }
}

fn text(field: &Value, at: &str) -> Checked {
    sizes(field, "minLength", "maxLength", at)?;
    for name in ["enum", "oneOf"] {
        if field
            .get(name)
            .is_some_and(|values| list(values).is_empty())
        {
            return Err(format!("`{at}.{name}` is empty"));
        }
    }
    if let (Some(values), Some(names)) = (field.get("enum"), field.get("enumNames"))
        && list(values).len() != list(names).len()
    {
        return Err(format!(
            "`{at}.enumNames` has another number of items than `enum`"
        ));
    }
    let Some(default) = field["default"].as_str() else {
        return Ok(());
    };
    let told = |fault| Err(format!("`{at}.default` {fault}"));
    let length = Number::from(default.chars().count());
    let formats = [Format::Email, Format::Uri, Format::Date, Format::DateTime];
    let mut formats = formats
        .iter()
        .filter(|format| field["format"] == format.name());
    for (name, of) in [
        ("enum", (|value| value) as fn(&Value) -> &Value),
        ("oneOf", |choice| &choice["const"]),
    ] {
        let values = list(&field[name]);
        if !values.is_empty() && values.iter().all(|value| *of(value) != default) {
            return Err(format!(
                "`{at}.default` is none of the values of its `{name}`"
            ));
        }
    }
    if bound(field, "minLength").is_some_and(|least| is_less(&length, least)) {
        return told("is shorter than its `minLength`");
    }
    if bound(field, "maxLength").is_some_and(|most| is_less(most, &length)) {
        return told("is longer than its `maxLength`");
    }
    if formats.any(|format| !format.accepts(default)) {
        return told("has another form than its `format`");
    }
    Ok(())
}

fn number(field: &Value, at: &str) -> Checked {
    let (least, most) = (bound(field, "minimum"), bound(field, "maximum"));
    ordered(field, "minimum", "maximum", at)?;
    if field["type"] == "integer"
        && let (Some(least), Some(most)) = (
            least.and_then(Number::as_f64),
            most.and_then(Number::as_f64),
        )
        && least.ceil() > most.floor()
    {
        return Err(format!(
            "`{at}` has no integer between its `minimum` and its `maximum`"
        ));
    }
    let Some(default) = bound(field, "default") else {
        return Ok(());
    };
    let told = |fault| Err(format!("`{at}.default` {fault}"));
    if least.is_some_and(|least| is_less(default, least)) {
        return told("is less than its `minimum`");
    }
    if most.is_some_and(|most| is_less(most, default)) {
        return told("is more than its `maximum`");
    }
    Ok(())
}

fn choices(field: &Value, at: &str) -> Checked {
    sizes(field, "minItems", "maxItems", at)?;
    let items = &field["items"];
    let name = if items.get("anyOf").is_some() {
        "anyOf"
    } else {
        "enum"
    };
    let values = list(&items[name]);
    if values.is_empty() {
        return Err(format!("`{at}.items.{name}` is empty"));
    }
    let Some(default) = field["default"].as_array() else {
        return Ok(());
    };
    let told = |fault| Err(format!("`{at}.default` {fault}"));
    let is_there = |value: &Value| {
        values
            .iter()
            .any(|choice| choice == value || choice["const"] == *value)
    };
    if !default.iter().all(is_there) {
        return told("has a value that its `items` do not have");
    }
    let count = Number::from(default.len());
    if bound(field, "minItems").is_some_and(|least| is_less(&count, least)) {
        return told("has fewer values than its `minItems`");
    }
    if bound(field, "maxItems").is_some_and(|most| is_less(most, &count)) {
        return told("has more values than its `maxItems`");
    }
    Ok(())
}

/// Checks two bounds of a size.
fn sizes(field: &Value, least: &str, most: &str, at: &str) -> Checked {
    for name in [least, most] {
        if bound(field, name).is_some_and(|size| is_less(size, &Number::from(0))) {
            return Err(format!("`{at}.{name}` is less than 0"));
        }
    }
    ordered(field, least, most, at)
}

fn ordered(field: &Value, least: &str, most: &str, at: &str) -> Checked {
    match (bound(field, least), bound(field, most)) {
        (Some(lower), Some(upper)) if is_less(upper, lower) => {
            Err(format!("`{at}.{least}` is more than its `{most}`"))
        }
        _ => Ok(()),
    }
}

fn bound<'f>(field: &'f Value, name: &str) -> Option<&'f Number> {
    match field.get(name) {
        Some(Value::Number(number)) => Some(number),
        _ => None,
    }
}

/// Whether one number is less than another; integers are compared as such, since a double does not tell large ones apart.
fn is_less(one: &Number, other: &Number) -> bool {
    if let (Some(one), Some(other)) = (one.as_i128(), other.as_i128()) {
        return one < other;
    }
    let (one, other) = (one.as_f64(), other.as_f64());
    one.partial_cmp(&other) == Some(Ordering::Less)
}
