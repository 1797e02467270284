//! Tools of a crate that no code names are served once the crate is linked.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use mcp_runtime::prelude::*;

mcp_runtime::link!(mcp_tests_linked);

mcp_runtime::check!();

fn server() -> ServerBuilder {
    mcp_runtime::server!()
}

#[test]
fn a_linked_crate_brings_its_tools() {
    let server = server().build().unwrap();
    let result = server.call_blocking("come_along", serde_json::json!({}));
    assert_eq!(result.text(), "here");
}

#[test]
fn expected_tools_are_served_or_told() {
    let linked = ["come_along", "mcp_tests_linked::come_along"];
    assert!(server().expect_tools(linked).build().is_ok());
    // Each crate knows its version.
    let versioned = concat!(
        "mcp_tests_linked@",
        env!("CARGO_PKG_VERSION"),
        "::come_along"
    );
    assert!(server().expect_tools([versioned]).build().is_ok());
    let error = server().expect_tools(["absent::walk"]).build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the tool `absent::walk`, which `.expect_tools(…)` names, is not served: no such tool is linked; write \
         `mcp_runtime::link!(absent);` if it stands in a dependency"
    );
}
