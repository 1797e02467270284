//! Prompts as clients see them: `prompts/list` and `prompts/get`, in both profiles.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "a test ends where something is not as it should be"
)]

mod get;
mod list;
mod registered;

use mcp_runtime::Profile;
use mcp_runtime::prelude::*;
use serde_json::{Value, json};

struct Shop(&'static str);

/// Sends a request with all metadata.
fn ask(server: &Server, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    server.handle_request(&request).unwrap()
}

fn server() -> Server {
    mcp_runtime::server!()
        .state(Shop("otters"))
        .build()
        .unwrap()
}

/// A server of tools alone.
fn bare() -> Server {
    NAMES
        .iter()
        .fold(mcp_runtime::server!(), |builder, name| {
            builder.exclude(*name)
        })
        .build()
        .unwrap()
}

/// All prompts of this program without a group.
const NAMES: &[&str] = &[
    "asks",
    "block",
    "blocks",
    "counted",
    "failing",
    "injected",
    "later",
    "lenient",
    "mixed",
    "panics",
    "review-order",
    "simple",
    "whole",
];

#[test]
fn a_server_without_prompts_does_not_know_the_methods() {
    let server = bare();
    for (method, params) in [
        ("prompts/list", json!({})),
        ("prompts/get", json!({"name": "x"})),
    ] {
        let answer = ask(&server, method, params);
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
    }
    let discovered = ask(&server, "server/discover", json!({}));
    assert!(
        discovered["result"]["capabilities"]
            .get("prompts")
            .is_none()
    );
}

#[test]
fn a_server_with_prompts_says_so() {
    let discovered = ask(&server(), "server/discover", json!({}));
    assert_eq!(discovered["result"]["capabilities"]["prompts"], json!({}));
}

#[test]
fn the_contract_profile_has_tools_alone() {
    let server = mcp_runtime::server!()
        .state(Shop("otters"))
        .profile(Profile::Contract)
        .build()
        .unwrap();
    for method in ["prompts/list", "prompts/get"] {
        let answer = ask(&server, method, json!({"name": "simple"}));
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
    }
}
