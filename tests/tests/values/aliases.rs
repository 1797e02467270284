//! Members that had another name before.

use mcp_runtime::{mcp_tool, mcp_type};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{failed, server, succeeded};

#[mcp_type]
#[derive(Debug)]
struct Order {
    #[serde(rename = "customerId", alias = "customer_id", alias = "client")]
    customer: String,
    #[serde(default, alias = "qty")]
    quantity: u8,
    #[serde(alias = "sent")]
    step: Option<Step>,
}

#[mcp_type]
#[derive(Debug)]
#[serde(tag = "kind")]
enum Step {
    Sent {
        #[serde(alias = "to")]
        target: String,
    },
}

/// A type without the attribute.
#[derive(Debug, Deserialize, JsonSchema)]
struct Plain {
    #[serde(alias = "old")]
    #[schemars(extend("x-mcp-alias" = ["old"]))]
    new: u8,
}

/// Take orders.
#[mcp_tool]
fn orders(orders: Vec<Order>, plain: Option<Plain>) -> String {
    format!("{orders:?} {:?}", plain.map(|plain| plain.new))
}

#[test]
fn old_names_are_taken_at_every_depth() {
    let expected =
        r#"[Order { customer: "a", quantity: 2, step: Some(Sent { target: "b" }) }] Some(1)"#;
    for arguments in [
        r#"{"orders":[{"customerId":"a","quantity":2,"step":{"kind":"Sent","target":"b"}}],"plain":{"new":1}}"#,
        r#"{"orders":[{"customer_id":"a","qty":2,"sent":{"kind":"Sent","to":"b"}}],"plain":{"old":1}}"#,
        r#"{"orders":[{"client":"a","qty":2.0,"sent":{"to":"b","kind":"Sent"}}],"plain":{"old":1.0}}"#,
    ] {
        assert_eq!(succeeded("orders", arguments), expected, "{arguments}");
    }
}

#[test]
fn old_names_are_held_to_the_same() {
    assert_eq!(
        failed(
            "orders",
            r#"{"orders":[{"client":"a","qty":300},{"client":"a","customerId":"b"},{"cliemt":"a"}]}"#
        ),
        [
            "`orders[0].qty`: expected an integer from 0 to 255, found 300; `orders[0].qty` may be left out",
            "`orders[1].customerId`: given more than once",
            "`orders[2]`: unknown member `cliemt`; the members are `customerId`, `quantity` and `step`",
            "`orders[2]`: the required member `customerId` is missing",
        ]
    );
}

#[test]
fn old_names_are_not_shown() {
    let list = server()
        .handle_request(
            &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            }}}),
        )
        .unwrap()
        .to_string();
    assert!(list.contains("customerId"), "{list}");
    for hidden in ["alias", "customer_id", "client\"", "qty"] {
        assert!(!list.contains(hidden), "{hidden}: {list}");
    }
}
