//! `check!` passes for a server that can be served, and fails with everything that is wrong with another.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::panic::catch_unwind;

use mcp_runtime::prelude::*;
use serde_json::json;

/// Something that nobody gives.
struct Missing;

/// Take what nobody gives.
#[mcp_tool(group = "starving")]
fn starve(_missing: State<Missing>) {}

/// Do no harm.
#[mcp_tool]
fn sound() {}

fn good() -> ServerBuilder {
    mcp_runtime::server!()
}

fn also_good() -> ServerBuilder {
    mcp_runtime::server!()
        .groups(["", "starving"])
        .state(Missing)
}

mcp_runtime::check!(good(), also_good());

/// What the test that `check!` makes says of a server.
fn complaint(server: fn() -> ServerBuilder) -> String {
    let panic = catch_unwind(|| mcp_runtime::__private::check(server())).unwrap_err();
    *panic.downcast::<String>().unwrap()
}

#[test]
fn all_problems_are_told_together() {
    let complaint = complaint(|| {
        let handler = |_: serde_json::Value| Ok::<_, ToolError>("");
        mcp_runtime::server!()
            .groups(["", "starving"])
            .exclude("sond")
            .register_tool("sound", "Clash.", json!({"type": "object"}), handler)
            .register_tool("bad name", "Clash.", json!({"type": "object"}), handler)
    });
    for part in [
        "the server `mcp-tests` cannot be served as it is",
        "2 tools are called `sound`",
        "no state of type `check::Missing`",
        "tests/tests/check.rs:",
        "`.exclude(\"sond\")` finds no annotated function; did you mean `sound`?",
        "\"bad name\" is not a tool name",
    ] {
        assert!(complaint.contains(part), "{part:?} in {complaint}");
    }
}
