//! Exactly what a client sends over stdio and over HTTP, what it gets, and what each check answers when one thing is wrong.

mod client;

use serde_json::{Value, json};

use crate::client::{Http, over_both, request};

#[test]
fn the_tool_searches() {
    over_both(|shop| {
        let result = shop.result(
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
    });
}

#[test]
fn the_recent_orders_are_read() {
    over_both(|shop| {
        let result = shop.result("resources/read", json!({"uri": "orders://recent"}));
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
    });
}

#[test]
fn one_order_is_read() {
    over_both(|shop| {
        let result = shop.result("resources/read", json!({"uri": "orders://A-1041"}));
        let order: Value =
            serde_json::from_str(result["contents"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(
            (&order["order"]["customer"], &order["total_cents"]),
            (&json!("Ada Lovelace"), &json!(3950))
        );
    });
}

#[test]
fn the_prompt_is_about_an_order() {
    over_both(|shop| {
        let arguments = json!({"id": "A-1041", "tone": "terse"});
        let result = shop.result(
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
    });
}

#[test]
fn everything_is_listed() {
    over_both(|shop| {
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
            let list = shop.result(method, json!({}))[member].clone();
            assert_eq!(
                (list.as_array().unwrap().len(), &list[0][key]),
                (1, &json!(value))
            );
        }
        let recent = shop.result("resources/list", json!({}))["resources"][0].clone();
        assert_eq!(recent["mimeType"], "application/json");
        let capabilities = &shop.result("server/discover", json!({}))["capabilities"];
        assert_eq!(
            *capabilities,
            json!({
                "tools": {"listChanged": true},
                "prompts": {"listChanged": true},
                "resources": {"listChanged": true, "subscribe": true},
                "completions": {},
            })
        );
    });
}

#[test]
fn ids_and_tones_are_completed() {
    over_both(|shop| {
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
            let result = shop.result(
                "completion/complete",
                json!({"ref": reference, "argument": argument}),
            );
            assert_eq!(result["completion"]["values"], expected);
        }
    });
}

#[test]
fn each_check_says_what_is_wrong() {
    over_both(|shop| {
        let call = |arguments: Value| {
            request(
                "tools/call",
                json!({"name": "search", "arguments": arguments}),
            )
        };
        let answer = shop.ask(&call(json!({})));
        assert_eq!(answer["result"]["isError"], true);
        assert_eq!(
            answer["result"]["content"][0]["text"],
            "Missing required argument: q"
        );

        let mut without_version = call(json!({"q": "otters"}));
        let meta = without_version["params"]["_meta"].as_object_mut().unwrap();
        meta.remove("io.modelcontextprotocol/protocolVersion");
        assert_eq!(shop.error(&without_version).0, -32602);

        let mut without_capabilities = call(json!({"q": "otters"}));
        let meta = without_capabilities["params"]["_meta"]
            .as_object_mut()
            .unwrap();
        meta.remove("io.modelcontextprotocol/clientCapabilities");
        assert_eq!(shop.error(&without_capabilities).0, -32602);

        let mut other_version = call(json!({"q": "otters"}));
        other_version["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] =
            json!("2025-11-25");
        assert_eq!(shop.error(&other_version).0, -32022);

        let mut no_request = call(json!({"q": "otters"}));
        no_request["jsonrpc"] = json!("1.0");
        assert_eq!(shop.error(&no_request).0, -32600);

        assert_eq!(shop.error(&request("orders/list", json!({}))).0, -32601);
        assert_eq!(shop.error(&request("initialize", json!({}))).0, -32601);
        assert_eq!(
            shop.error(&request("tools/call", json!({"name": "serch"}))),
            (-32602, "Unknown tool: serch".to_owned())
        );
        let missing = shop.ask(&request("resources/read", json!({"uri": "orders://A-1"})));
        assert_eq!(
            missing["error"],
            json!({"code": -32602, "message": "Resource not found", "data": {"uri": "orders://A-1"}})
        );
        assert_eq!(
            shop.error(&request("resources/read", json!({"uri": "orders://1041"})))
                .1,
            "Invalid params: `id`: an order's id is `A-` and a number, such as `A-1041`"
        );
        let mut get = |arguments: Value| {
            shop.error(&request(
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
            "Invalid params: `tone`: no tone is called `rude`; choose friendly, formal or terse; `tone` may be left out"
        );
        assert_eq!(
            get(json!({"id": "A-1"})),
            (-32602, "there is no order A-1".to_owned())
        );
    });
}

/// A search as it is sent over HTTP, with one header in another shape.
fn search_with(shop: &Http, name: &'static str, value: Option<&str>) -> (u16, i64) {
    let search = search(json!({"q": "otters"}));
    let mut headers = shop.headers(&search);
    headers.retain(|(other, _)| *other != name);
    headers.extend(value.map(|value| (name, value.to_owned())));
    let (status, answer) = shop.post(&search, &headers);
    (status, answer["error"]["code"].as_i64().unwrap_or_default())
}

#[test]
fn each_check_of_http_says_what_is_wrong() {
    let shop = Http::start();
    let same = format!("http://{}", shop.address);
    assert_eq!(search_with(&shop, "Origin", Some(&same)), (200, 0));
    for (name, value, expected) in [
        ("MCP-Protocol-Version", None, (400, -32020)),
        ("MCP-Protocol-Version", Some("2025-11-25"), (400, -32020)),
        ("Mcp-Method", None, (400, -32020)),
        ("Mcp-Method", Some("tools/list"), (400, -32020)),
        ("Mcp-Name", None, (400, -32020)),
        ("Mcp-Name", Some("serch"), (400, -32020)),
        ("Content-Type", Some("text/plain"), (415, -32600)),
        ("Accept", Some("text/html"), (406, -32600)),
        ("Origin", Some("http://shop.example.com"), (403, -32600)),
        ("Host", Some("shop.example.com"), (421, -32600)),
    ] {
        assert_eq!(
            search_with(&shop, name, value),
            expected,
            "{name}: {value:?}"
        );
    }
}

#[test]
fn each_failure_has_its_status() {
    let shop = Http::start();
    let mut no_request = search(json!({"q": "otters"}));
    no_request["jsonrpc"] = json!("1.0");
    let mut other_version = search(json!({"q": "otters"}));
    other_version["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] =
        json!("2099-01-01");
    let unknown = json!({"name": "serch", "arguments": {}});
    for (request, status, code) in [
        (search(json!({"q": "otters"})), 200, 0),
        (search(json!({})), 200, 0),
        (request("tools/call", unknown), 200, -32602),
        (request("orders/list", json!({})), 404, -32601),
        (request("initialize", json!({})), 404, -32601),
        (no_request, 400, -32600),
        (other_version, 400, -32022),
    ] {
        let (told, answer) = shop.post(&request, &shop.headers(&request));
        let error = answer["error"]["code"].as_i64().unwrap_or_default();
        assert_eq!((told, error), (status, code), "{request}");
    }
}

fn search(arguments: Value) -> Value {
    request(
        "tools/call",
        json!({"name": "search", "arguments": arguments}),
    )
}
