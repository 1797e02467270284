//! Members of arguments that are given twice: refused at every depth, whether the schema knows the object or not.

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
    server.handle_message_blocking(message.as_bytes(), &mut out);
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
fn where_the_schema_says_nothing_they_are_refused_too() {
    for (rest, fault) in [
        (
            r#"{"a":[{"k":1,"k":2}],"b":0}"#,
            "`rest.a[0].k`: given more than once",
        ),
        (r#"{"":1,"":2}"#, "`rest[\"\"]`: given more than once"),
        (
            r#"[[{"k":{},"\u006b":[]}]]"#,
            "`rest[0][0].k`: given more than once",
        ),
    ] {
        let answer = call(&server(), &format!(r#"{{"rest":{rest}}}"#), None);
        let result = &answer["result"];
        assert_eq!(result["isError"], true, "{answer}");
        assert_eq!(result["content"][0]["text"], fault);
    }
}

#[test]
fn handlers_registered_at_run_time_do_not_see_them() {
    let schema = json!({"type": "object", "properties": {"rest": {}}});
    let server = mcp_runtime::server!()
        .groups(["doubled"])
        .register_tool("show", "Show.", schema, |arguments: Value| {
            Ok::<_, ToolError>(arguments.to_string())
        })
        .build()
        .unwrap();
    for (arguments, fault) in [
        (
            r#"{"rest":[{"k":1,"k":2}]}"#,
            "`rest[0].k`: given more than once",
        ),
        (
            r#"{"other":{"k":1,"k":2}}"#,
            "`other.k`: given more than once",
        ),
        (r#"{"other":1,"other":2}"#, "`other`: given more than once"),
    ] {
        let message = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"show","arguments":{arguments},"_meta":{}}}}}"#,
            meta()
        );
        let mut out = Vec::new();
        server.handle_message_blocking(message.as_bytes(), &mut out);
        let answer: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert_eq!(answer["result"]["content"][0]["text"], fault);
    }
}
