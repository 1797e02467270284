//! `require`: what a client has not declared is an error of the whole request, whatever asks for it.

use mcp_runtime::prelude::*;
use mcp_runtime::{client::Capability, context::MissingCapability};
use serde_json::{Value, json};

use super::{CAPABILITIES_KEY, call, meta, request};

fn named(name: &str) -> Capability {
    match name {
        "elicitation.form" => Capability::ElicitationForm,
        "elicitation.url" => Capability::ElicitationUrl,
        "sampling" => Capability::Sampling,
        "roots" => Capability::Roots,
        other => Capability::extension(other.to_owned()),
    }
}

/// Go on only with these capabilities.
#[mcp_tool(group = "capabilities")]
fn demand(capabilities: Vec<String>, ctx: &Context) -> Result<&'static str, ToolError> {
    ctx.require_all(capabilities.iter().map(|name| named(name)))?;
    Ok("served")
}

/// Go on only with a sampling client, without an error type of another crate between.
#[mcp_tool(group = "capabilities")]
async fn demand_later(ctx: Context) -> Result<String, MissingCapability> {
    ctx.require(Capability::Sampling)?;
    Ok(ctx.supports(&Capability::Roots).to_string())
}

/// A prompt for sampling clients.
#[mcp_prompt(group = "capabilities")]
fn demanding(ctx: &Context) -> Result<String, ToolError> {
    ctx.require(Capability::Sampling)?;
    Ok("served".into())
}

/// A resource for sampling clients.
#[mcp_resource("demanding://it", group = "capabilities")]
fn demanding_resource(ctx: &Context) -> Result<String, ResourceError> {
    ctx.require(Capability::Sampling)?;
    Ok("served".into())
}

fn server_of_demands() -> Server {
    mcp_runtime::server!()
        .groups(["capabilities"])
        .build()
        .unwrap()
}

/// The answer to a request whose client declares these capabilities.
fn answer(server: &Server, mut message: Value, capabilities: &Value) -> Value {
    let mut meta = meta();
    meta[CAPABILITIES_KEY] = capabilities.clone();
    message["params"]["_meta"] = meta;
    server.handle_request(&message).unwrap()
}

fn demands(capabilities: &[&str]) -> Value {
    call("demand", json!({ "capabilities": capabilities }))
}

#[test]
fn a_client_without_the_capability_is_told_what_to_declare() {
    let server = server_of_demands();
    for message in [
        demands(&["sampling"]),
        call("demand_later", json!({})),
        request("prompts/get", json!({ "name": "demanding" })),
        request("resources/read", json!({ "uri": "demanding://it" })),
    ] {
        for declared in [json!({}), json!({"roots": {}}), json!({"sampling": null})] {
            let answer = answer(&server, message.clone(), &declared);
            assert_eq!(
                answer,
                json!({
                    "jsonrpc": "2.0",
                    "id": 7,
                    "error": {
                        "code": -32021,
                        "message": "Missing required client capability: sampling",
                        "data": { "requiredCapabilities": { "sampling": {} } },
                    },
                }),
                "{message}"
            );
        }
        let answer = answer(&server, message, &json!({"sampling": {}}));
        assert!(answer.get("result").is_some(), "{answer}");
    }
}

#[test]
fn only_what_is_missing_is_told_and_all_of_it() {
    let server = server_of_demands();
    let message = demands(&[
        "elicitation.form",
        "roots",
        "elicitation.url",
        "com.example/maps",
    ]);
    for (declared, required) in [
        (
            json!({}),
            json!({
                "elicitation": {"form": {}, "url": {}},
                "roots": {},
                "extensions": {"com.example/maps": {}},
            }),
        ),
        (
            json!({"elicitation": {}, "roots": {}}),
            json!({"elicitation": {"url": {}}, "extensions": {"com.example/maps": {}}}),
        ),
        (
            json!({"elicitation": {"url": {}}, "extensions": {"com.example/maps": {}}}),
            json!({"elicitation": {"form": {}}, "roots": {}}),
        ),
    ] {
        let answer = answer(&server, message.clone(), &declared);
        let data = &answer["error"]["data"];
        assert_eq!(
            data,
            &json!({ "requiredCapabilities": required }),
            "{declared}"
        );
    }
}

#[test]
fn what_is_supported_can_be_asked_without_failing() {
    let server = server_of_demands();
    for (declared, text) in [
        (json!({"sampling": {}}), "false"),
        (json!({"sampling": {}, "roots": {}}), "true"),
    ] {
        let answer = answer(&server, call("demand_later", json!({})), &declared);
        assert_eq!(answer["result"]["content"][0]["text"], text);
    }
}

#[test]
fn handlers_of_run_time_require_as_well() {
    let server = mcp_runtime::server!()
        .register_tool(
            "demand",
            "Ask for a capability.",
            json!({"type": "object"}),
            |_: Value, ctx: Context| {
                ctx.require(Capability::Sampling)?;
                Ok::<_, ToolError>("served")
            },
        )
        .build()
        .unwrap();
    let message = call("demand", json!({}));
    let refused = answer(&server, message.clone(), &json!({}));
    assert_eq!(refused["error"]["code"], -32021);
    let served = answer(&server, message, &json!({"sampling": {}}));
    assert_eq!(served["result"]["content"][0]["text"], "served");
}
