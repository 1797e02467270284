use mcp_runtime::prelude::*;
use serde_json::json;

#[mcp_type]
struct Plain {
    n: u8,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Derived(u8);

struct Caller(String);

impl FromContext for Caller {
    fn from_context(_: &Context) -> Result<Self, ToolError> {
        Ok(Self("caller".into()))
    }
}

/// Take what has a JSON form, or can be injected.
#[mcp_tool]
fn take(plain: Plain, list: &Vec<Plain>, derived: Derived, caller: Caller, lent: &Caller) -> String {
    format!("{}{}{}{}{}", plain.n, list.len(), derived.0, caller.0, lent.0)
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let result = server.call_blocking("take", json!({"plain": {"n": 1}, "list": [{"n": 2}], "derived": 3}));
    assert_eq!(result.text(), "113callercaller");
}
