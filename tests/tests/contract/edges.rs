//! What the contract profile does where the published protocol has more: questions, tasks, unknown tools.

use mcp_runtime::{
    Context, Profile, Server, ToolError, form::ElicitForm, mcp_tool, sealing::MemoryReplayGuard,
    tool::InputRequired,
};
use serde_json::{Value, json};

use super::{NOT_STRINGS, call, request, value};

#[derive(ElicitForm)]
struct Sure {
    /// Whether to go on.
    yes: bool,
}

/// Asks while it runs.
#[mcp_tool(group = "edges")]
async fn elicits(ctx: &Context) -> Result<String, ToolError> {
    let sure = ctx.elicit::<Sure>("sure", "Sure?").await?.accepted();
    Ok(format!("{:?}", sure.map(|sure| sure.yes)))
}

/// Asks by returning its question.
#[mcp_tool(group = "edges")]
fn returns(ctx: &Context) -> Result<String, ToolError> {
    match ctx.answers().elicited::<Sure>("sure")? {
        Some(sure) => Ok(format!("{:?}", sure.accepted().map(|sure| sure.yes))),
        None => Err(InputRequired::elicit::<Sure>("sure", "Sure?").into()),
    }
}

/// Runs as a task where there are some.
#[mcp_tool(group = "edges", task)]
async fn works(ctx: &Context) -> Result<String, ToolError> {
    ctx.status("working");
    ctx.once("step", async { Ok::<_, ToolError>(7) })
        .await
        .map(|step| format!("done {step}"))
}

/// Runs as a task alone.
#[mcp_tool(group = "edges", task = "required")]
async fn only_works(ctx: &Context) -> Result<String, ToolError> {
    let sure = ctx.elicit::<Sure>("sure", "Sure?").await?.accepted();
    Ok(format!("{:?}", sure.map(|sure| sure.yes)))
}

fn server() -> Server {
    mcp_runtime::server!()
        .groups(["edges"])
        .profile(Profile::Contract)
        .replay_guard(MemoryReplayGuard::new())
        .build()
        .unwrap()
}

fn answer(message: &Value) -> Value {
    server().handle_request(message).unwrap()
}

#[test]
fn a_question_asked_in_any_way_is_input_required() {
    for tool in ["elicits", "returns", "only_works"] {
        let asked = answer(&call(tool, json!({})));
        let result = &asked["result"];
        assert_eq!(result["resultType"], "input_required", "{tool}: {asked}");
        assert!(result["requests"]["sure"].is_object(), "{tool}: {asked}");
        assert_eq!(
            result["content"][0]["text"],
            "Additional client input is required before this tool can finish."
        );
        assert_eq!(result.get("requestState"), None);
        assert_eq!(result.get("inputRequests"), None);
        let params = json!({
            "name": tool,
            "inputResponses": {"sure": {"action": "accept", "content": {"yes": true}}},
        });
        let answered = answer(&request("tools/call", params));
        assert_eq!(
            answered["result"]["content"][0]["text"], "Some(true)",
            "{tool}: {answered}"
        );
    }
}

#[test]
fn a_task_runs_to_its_end() {
    let done = answer(&call("works", json!({})));
    assert_eq!(
        done["result"],
        json!({"content": [{"type": "text", "text": "done 7"}]})
    );
}

#[test]
fn an_unknown_tool_is_not_found_whatever_its_arguments_are() {
    for arguments in NOT_STRINGS.into_iter().chain(["\"x\"", "{\"a\":1}"]) {
        let not_found = answer(&call("unknown", value(arguments)));
        let result = &not_found["result"];
        assert_eq!(result["isError"], true, "{arguments}: {not_found}");
        assert_eq!(result["content"][0]["text"], "Tool not found");
    }
}
