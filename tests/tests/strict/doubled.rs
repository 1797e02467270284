//! Members of arguments that stand twice: refused where the schema knows the object, told apart where it does not.

use std::collections::BTreeMap;

use mcp_runtime::prelude::*;
use serde_json::{Value, json};

use super::meta;

/// Somebody.
#[mcp_type]
struct User {
    name: String,
}

/// Tell what arrived, after a step and a question.
#[mcp_tool(group = "doubled")]
async fn tell(
    rest: Value,
    map: Option<BTreeMap<String, i32>>,
    user: Option<User>,
    ctx: &Context,
) -> Result<String, ToolError> {
    ctx.once("begun", async { Ok::<_, ToolError>(()) }).await?;
    let sure = ctx.elicit::<Sure>("sure", "Sure?").await?.accepted();
    let sure = sure.map(|sure| sure.yes);
    let user = user.map(|user| user.name);
    Ok(format!("{rest} {map:?} {user:?} {sure:?}"))
}

#[derive(ElicitForm)]
struct Sure {
    yes: bool,
}

/// Calls the tool with arguments as they are written, in a round that has the state of another if one is given.
fn call(server: &Server, arguments: &str, state: Option<&Value>) -> Value {
    let mut meta = meta();
    meta[super::CAPABILITIES_KEY] = json!({"elicitation": {}});
    let round = state.map_or_else(String::new, |state| {
        format!(r#","requestState":{state},"inputResponses":{{"sure":{{"action":"decline"}}}}"#)
    });
    let message = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"tell","arguments":{arguments},"_meta":{meta}{round}}}}}"#
    );
    let mut out = Vec::new();
    server.handle_message(message.as_bytes(), &mut out);
    serde_json::from_slice(&out).unwrap()
}

fn server() -> Server {
    mcp_runtime::server!().groups(["doubled"]).build().unwrap()
}

#[test]
fn where_the_schema_knows_the_object_they_are_refused() {
    for (arguments, fault) in [
        (r#""rest":1,"rest":1"#, "`rest`: given more than once"),
        (
            r#""rest":1,"map":{"k":1,"k":2}"#,
            "`map.k`: given more than once",
        ),
        (
            r#""rest":1,"user":{"name":"a","name":"b"}"#,
            "`user.name`: given more than once",
        ),
    ] {
        let answer = call(&server(), &format!("{{{arguments}}}"), None);
        let result = &answer["result"];
        assert_eq!(result["isError"], true, "{answer}");
        assert_eq!(result["content"][0]["text"], fault);
    }
}

#[test]
fn where_it_does_not_a_state_is_good_for_the_same_order_alone() {
    let server = server();
    let arguments = r#"{"rest":{"a":[{"k":1,"k":2}],"b":0}}"#;
    let first = call(&server, arguments, None);
    let state = &first["result"]["requestState"];
    assert!(state.is_string(), "{first}");
    // The order of different members is nothing.
    let same = r#"{"rest":{"b":0,"a":[{"k":1,"k":2}]}}"#;
    for arguments in [arguments, same] {
        let done = call(&server, arguments, Some(state));
        let text = &done["result"]["content"][0]["text"];
        assert_eq!(text, r#"{"a":[{"k":2}],"b":0} None None None"#, "{done}");
    }
    for other in [
        r#"{"rest":{"a":[{"k":2,"k":1}],"b":0}}"#,
        r#"{"rest":{"a":[{"k":1}],"b":0}}"#,
    ] {
        let refused = call(&server, other, Some(state));
        assert_eq!(refused["error"]["code"], -32602, "{other}: {refused}");
    }
}
