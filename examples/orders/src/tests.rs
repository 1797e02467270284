//! The shop in process; `tests/wires` has it as clients meet it.

use serde_json::json;

use crate::server;
use crate::shop::Shop;

mcp_runtime::check!(server(Shop::sample().unwrap()));

#[test]
fn nothing_is_found_for_words_that_no_order_has() {
    let server = server(Shop::sample().unwrap()).build().unwrap();
    let found = server.call_blocking("search", json!({"q": "%"}));
    assert_eq!(found.structured_content(), Some(&json!([])));
}
