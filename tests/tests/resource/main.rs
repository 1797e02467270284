//! Resources as clients see them: `resources/list`, `resources/templates/list` and `resources/read`, in both profiles.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "a test ends where something is not as it should be"
)]

mod characters;
mod list;
mod overlap;
mod read;
mod registered;
mod variables;

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

const METHODS: [&str; 3] = [
    "resources/list",
    "resources/templates/list",
    "resources/read",
];

#[test]
fn a_server_without_resources_does_not_know_the_methods() {
    let server = mcp_runtime::server!().groups(["tools"]).build().unwrap();
    for method in METHODS {
        let answer = ask(&server, method, json!({"uri": "a:b"}));
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
    }
    let discovered = ask(&server, "server/discover", json!({}));
    assert!(
        discovered["result"]["capabilities"]
            .get("resources")
            .is_none()
    );
}

/// Stand in a group without resources.
#[mcp_tool(group = "tools")]
fn tool() {}

#[test]
fn a_server_with_resources_says_so() {
    let discovered = ask(&server(), "server/discover", json!({}));
    assert_eq!(discovered["result"]["capabilities"]["resources"], json!({}));
}

#[test]
fn the_contract_profile_has_tools_alone() {
    let builder = mcp_runtime::server!().state(Shop("otters"));
    let server = builder.profile(Profile::Contract).build().unwrap();
    for method in METHODS {
        let answer = ask(&server, method, json!({"uri": "shop://hours"}));
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
    }
}
