use mcp_runtime::prelude::*;
use serde_json::json;

/// Show a value.
#[mcp_tool]
pub(crate) const fn same(value: i64) -> i64 {
    value
}

mod inner {
    use super::*;

    /// Try something.
    #[mcp_tool]
    #[inline]
    #[must_use]
    pub fn r#try(r#type: String) -> String {
        r#type
    }
}

/// Not compiled.
#[cfg(not(all()))]
#[mcp_tool]
fn absent(nothing: Missing) {}

macro_rules! tools {
    ($($name:ident: $text:literal, $T:ty = $default:expr, $title:literal;)*) => { $(
        #[doc = $text]
        #[mcp_tool(title = $title)]
        fn $name(#[arg(default = $default, range(0..=100))] value: $T, other: &$T) -> $T {
            value + *other
        }
    )* };
}
tools! {
    small: "Add small numbers.", u8 = 1, "Small";
    large: "Add large numbers.", u64 = 2 + 3, "Large";
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("same", json!({"value": 1})).text(), "1");
    assert_eq!(server.call_blocking("try", json!({"type": "x"})).text(), "x");
    assert_eq!(server.call_blocking("small", json!({"other": 1})).text(), "2");
    assert_eq!(server.call_blocking("large", json!({"other": 1})).text(), "6");
    assert_eq!(inner::r#try(same(1).to_string()), "1");
}
