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
    let result = server.call("come_along", serde_json::json!({}));
    assert_eq!(result.text(), "here");
}
