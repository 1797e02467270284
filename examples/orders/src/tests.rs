//! Exactly what a client sends and gets, and what each check answers when one thing is wrong.

use mcp_runtime::Server;
use serde_json::{Value, json};

use crate::server;
use crate::shop::Shop;

fn shop() -> Server {
    server(Shop::sample().unwrap()).build().unwrap()
}

mcp_runtime::check!(server(Shop::sample().unwrap()));

/// A request with the metadata that the revision requires.
fn request(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "orders-tests", "version": "1.0.0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn send(request: &Value) -> Value {
    shop().handle_request(request).unwrap()
}

fn result(method: &str, params: Value) -> Value {
    let answer = send(&request(method, params));
    assert_eq!(
        (&answer["jsonrpc"], &answer["id"]),
        (&json!("2.0"), &json!(1))
    );
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    answer["result"].clone()
}

fn error(request: &Value) -> (i64, String) {
    let answer = send(request);
    let error = &answer["error"];
    let code = error["code"].as_i64().unwrap_or_else(|| panic!("{answer}"));
    (code, error["message"].as_str().unwrap().to_owned())
}

#[test]
fn the_tool_searches() {
    let result = result(
        "tools/call",
        json!({"name": "search", "arguments": {"q": "otters"}}),
    );
    let ids: Vec<_> = result["structuredContent"]
        .as_array()
        .unwrap_or_else(|| panic!("{result}"))
        .iter()
        .map(|order| order["id"].clone())
        .collect();
    assert_eq!(ids, ["A-1041", "A-1039"]);
}

#[test]
fn the_recent_orders_are_read() {
    let result = result("resources/read", json!({"uri": "orders://recent"}));
    assert_eq!(
        (&result["ttlMs"], &result["cacheScope"]),
        (&json!(10_000), &json!("private"))
    );
    let contents = &result["contents"][0];
    assert_eq!(
        (&contents["uri"], &contents["mimeType"]),
        (&json!("orders://recent"), &json!("application/json"))
    );
    let orders: Value = serde_json::from_str(contents["text"].as_str().unwrap()).unwrap();
    assert_eq!(
        (orders.as_array().unwrap().len(), &orders[0]["id"]),
        (3, &json!("A-1041"))
    );
}

#[test]
fn one_order_is_read() {
    let result = result("resources/read", json!({"uri": "orders://A-1041"}));
    let order: Value =
        serde_json::from_str(result["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(
        (&order["order"]["customer"], &order["total_cents"]),
        (&json!("Ada Lovelace"), &json!(3950))
    );
}

#[test]
fn the_prompt_is_about_an_order() {
    let arguments = json!({"id": "A-1041", "tone": "terse"});
    let result = result(
        "prompts/get",
        json!({"name": "summarize-order", "arguments": arguments}),
    );
    let messages = &result["messages"];
    assert_eq!(messages[0]["content"]["resource"]["uri"], "orders://A-1041");
    assert_eq!(messages[1]["role"], "user");
    assert_eq!(
        messages[1]["content"]["text"],
        "Summarise this order for Ada Lovelace in a terse tone."
    );
}

#[test]
fn everything_is_listed() {
    for (method, member, key, value) in [
        ("tools/list", "tools", "name", "search"),
        ("resources/list", "resources", "uri", "orders://recent"),
        (
            "resources/templates/list",
            "resourceTemplates",
            "uriTemplate",
            "orders://{id}",
        ),
        ("prompts/list", "prompts", "name", "summarize-order"),
    ] {
        let list = result(method, json!({}))[member].clone();
        assert_eq!(
            (list.as_array().unwrap().len(), &list[0][key]),
            (1, &json!(value))
        );
    }
    let capabilities = &result("server/discover", json!({}))["capabilities"];
    assert_eq!(
        *capabilities,
        json!({"tools": {}, "prompts": {}, "resources": {}, "completions": {}})
    );
}

#[test]
fn ids_and_tones_are_completed() {
    for (reference, name, value, expected) in [
        (
            json!({"type": "ref/prompt", "name": "summarize-order"}),
            "tone",
            "f",
            json!(["friendly", "formal"]),
        ),
        (
            json!({"type": "ref/prompt", "name": "summarize-order"}),
            "id",
            "A-104",
            json!(["A-1041", "A-1040"]),
        ),
        (
            json!({"type": "ref/resource", "uri": "orders://{id}"}),
            "id",
            "B",
            json!([]),
        ),
    ] {
        let argument = json!({"name": name, "value": value});
        let result = result(
            "completion/complete",
            json!({"ref": reference, "argument": argument}),
        );
        assert_eq!(result["completion"]["values"], expected);
    }
}

#[test]
fn each_check_says_what_is_wrong() {
    let call = |arguments: Value| {
        request(
            "tools/call",
            json!({"name": "search", "arguments": arguments}),
        )
    };
    let answer = send(&call(json!({})));
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(
        answer["result"]["content"][0]["text"],
        "Missing required argument: q"
    );

    let mut without_version = call(json!({"q": "otters"}));
    let meta = without_version["params"]["_meta"].as_object_mut().unwrap();
    meta.remove("io.modelcontextprotocol/protocolVersion");
    assert_eq!(error(&without_version).0, -32602);

    let mut without_capabilities = call(json!({"q": "otters"}));
    let meta = without_capabilities["params"]["_meta"]
        .as_object_mut()
        .unwrap();
    meta.remove("io.modelcontextprotocol/clientCapabilities");
    assert_eq!(error(&without_capabilities).0, -32602);

    let mut other_version = call(json!({"q": "otters"}));
    other_version["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] =
        json!("2025-11-25");
    assert_eq!(error(&other_version).0, -32022);

    let mut no_request = call(json!({"q": "otters"}));
    no_request["jsonrpc"] = json!("1.0");
    assert_eq!(error(&no_request).0, -32600);

    assert_eq!(error(&request("orders/list", json!({}))).0, -32601);
    assert_eq!(error(&request("initialize", json!({}))).0, -32601);
    assert_eq!(
        error(&request("tools/call", json!({"name": "serch"}))),
        (-32602, "Unknown tool: serch".to_owned())
    );
    let missing = send(&request("resources/read", json!({"uri": "orders://A-1"})));
    assert_eq!(
        missing["error"],
        json!({"code": -32602, "message": "Resource not found", "data": {"uri": "orders://A-1"}})
    );
    assert_eq!(
        error(&request("resources/read", json!({"uri": "orders://1041"}))).1,
        "Invalid params: `id`: an order's id is `A-` and a number, such as `A-1041`"
    );
    let get = |arguments: Value| {
        error(&request(
            "prompts/get",
            json!({"name": "summarize-order", "arguments": arguments}),
        ))
    };
    assert_eq!(
        get(json!({"tone": "terse"})),
        (-32602, "Invalid params: `id` is missing".to_owned())
    );
    assert_eq!(get(json!({"id": "A-1041", "tome": "terse"})).0, -32602);
    assert_eq!(
        get(json!({"id": "A-1041", "tone": "rude"})).1,
        "Invalid params: `tone`: no tone is called `rude`; choose friendly, formal or terse"
    );
    assert_eq!(
        get(json!({"id": "A-1"})),
        (-32603, "there is no order A-1".to_owned())
    );
}
