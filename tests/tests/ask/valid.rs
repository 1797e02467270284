//! Only what the protocol has is asked: URLs that are some, and requests that are whole.

use mcp_runtime::form::FormFault;
use mcp_runtime::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::client::{Request, asked};

/// Send the user to a page, awaited or returned.
#[mcp_tool(group = "valid")]
async fn visit(url: String, is_returned: bool, ctx: &Context) -> Result<String, ToolError> {
    let message = "Connect your account.";
    if is_returned {
        return Err(InputRequired::elicit_url("page", message, url).into());
    }
    let visited = ctx.elicit_url("page", message, url).await?;
    Ok(format!("{visited:?}"))
}

fn server() -> Server {
    let schema = json!({"type": "object"});
    mcp_runtime::server!()
        .groups(["valid"])
        .register_tool("own", "Ask in own words.", schema, |arguments: Value| {
            Err::<(), _>(InputRequired::new(json!({"key": arguments["ask"]})))
        })
        .build()
        .unwrap()
}

/// Asks in the handler's own words.
fn own(request: Value) -> Request {
    Request::call("own", json!({ "ask": request }))
        .capable_of(json!({"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}, "context": {}}, "roots": {}}))
}

fn form(params: Value) -> Value {
    json!({"method": "elicitation/create", "params": params})
}

/// A form of one field.
fn field(schema: Value) -> Value {
    form(json!({
        "message": "?",
        "requestedSchema": {"type": "object", "properties": {"it": schema}},
    }))
}

/// A sampling request of a member beside those that it needs.
fn sampling(member: &str, value: Value) -> Value {
    let mut params = json!({
        "messages": [{"role": "user", "content": {"type": "text", "text": "?"}}],
        "maxTokens": 5,
    });
    params[member] = value;
    json!({"method": "sampling/createMessage", "params": params})
}

#[test]
fn a_user_is_sent_to_nothing_but_a_url() {
    let server = server();
    for is_returned in [false, true] {
        let request = |url| {
            let arguments = json!({"url": url, "is_returned": is_returned});
            Request::call("visit", arguments)
        };
        for url in [
            "connect?u=1",
            "/connect",
            "//example.com",
            "",
            "https://a b",
            "example.com",
        ] {
            let (code, message) = request(url).refused(&server);
            assert_eq!(code, -32603, "{url}");
            assert!(
                message.contains("asks under `page` for what the protocol does not have: its URL"),
                "{url}: {message}"
            );
        }
        let round = request("https://example.com/connect?u=1").send(&server);
        assert_eq!(asked(&round), ["page"]);
    }
}

#[test]
fn what_a_handler_asks_in_its_own_words_has_what_the_protocol_requires() {
    let server = server();
    let schema = json!({"type": "object", "properties": {}});
    let texts = json!({"type": "string", "enum": ["a"]});
    for (request, fault) in [
        (
            form(json!({"requestedSchema": schema})),
            "`params.message` is missing",
        ),
        (
            form(json!({"message": 1, "requestedSchema": schema})),
            "`params.message` has to be a string",
        ),
        (
            form(json!({"message": "?"})),
            "`params.requestedSchema` is missing",
        ),
        (
            form(json!({"message": "?", "mode": "video", "requestedSchema": schema})),
            "`params.mode` has to be `form` or `url`",
        ),
        (
            form(json!({"message": "?", "mode": "url"})),
            "`params.url` is missing",
        ),
        (
            form(json!({"message": "?", "mode": "url", "url": "a"})),
            "its URL has to be",
        ),
        (
            form(json!({"message": "?", "requestedSchema": []})),
            "`params.requestedSchema` has to be an object",
        ),
        (
            form(json!({"message": "?", "requestedSchema": {"properties": {}}})),
            "`params.requestedSchema.type` has to be `object`",
        ),
        (
            form(json!({"message": "?", "requestedSchema": {"type": "object"}})),
            "`params.requestedSchema.properties` is missing",
        ),
        (
            form(
                json!({"message": "?", "requestedSchema": {"type": "object", "properties": {}, "required": "it"}}),
            ),
            "`params.requestedSchema.required` has to be a list of strings",
        ),
        (
            field(json!(true)),
            "`params.requestedSchema.properties.it` has to be a string",
        ),
        (
            field(json!({"type": "object", "properties": {"inner": {"type": "string"}}})),
            "`params.requestedSchema.properties.it` has to be a string, a number",
        ),
        (
            field(json!({"type": "string", "format": "uuid"})),
            ".it.format` has to be one of",
        ),
        (
            field(json!({"type": "string", "enum": [1]})),
            ".it.enum` has to be a list of strings",
        ),
        (
            field(json!({"type": "string", "oneOf": [{"const": "a"}]})),
            ".it.oneOf` has to be a list",
        ),
        (
            field(json!({"type": "integer", "minimum": "1"})),
            ".it.minimum` has to be a number",
        ),
        (
            field(json!({"type": "boolean", "default": "yes"})),
            ".it.default` has to be a boolean",
        ),
        (field(json!({"type": "array"})), ".it.items` is missing"),
        (
            field(json!({"type": "array", "items": {"type": "object"}})),
            ".it.items` has to have the `type` string",
        ),
        (
            field(json!({"type": "array", "items": texts, "maxItems": 1.5})),
            ".it.maxItems` has to be an integer",
        ),
        (
            sampling("maxTokens", json!("5")),
            "`params.maxTokens` has to be an integer",
        ),
        (
            sampling("messages", json!({})),
            "`params.messages` has to be a list",
        ),
        (
            sampling("messages", json!([{"role": "system", "content": []}])),
            "`params.messages[0]` has to be a message",
        ),
        (
            sampling(
                "messages",
                json!([{"role": "user", "content": {"type": "video"}}]),
            ),
            "`params.messages[0]`",
        ),
        (
            sampling("includeContext", json!("all")),
            "`params.includeContext` has to be one of",
        ),
        (
            sampling("toolChoice", json!({"mode": "always"})),
            "`params.toolChoice.mode` has to be one of",
        ),
        (
            sampling("tools", json!([{"name": "a"}])),
            "`params.tools[0].inputSchema` is missing",
        ),
        (
            sampling("modelPreferences", json!({"costPriority": 2})),
            "`params.modelPreferences.costPriority` has to be a number from 0 to 1",
        ),
        (
            json!({"method": "sampling/createMessage", "params": {"messages": []}}),
            "`params.maxTokens` is missing",
        ),
        (
            json!({"method": "roots/list", "params": []}),
            "`params` has to be an object",
        ),
    ] {
        let (code, message) = own(request.clone()).refused(&server);
        assert_eq!(code, -32603, "{request}");
        let expected = "the tool `own` asks under `key` for what the protocol does not have: ";
        let told = message
            .strip_prefix(expected)
            .unwrap_or_else(|| panic!("{message}"));
        assert!(told.contains(fault), "{fault}: {message}");
    }
}

#[test]
fn what_the_protocol_has_may_be_asked_in_own_words() {
    let server = server();
    let choices = json!([{"const": "#f00", "title": "Red"}]);
    for request in [
        field(
            json!({"type": "string", "title": "It", "minLength": 3, "format": "email", "default": "a@b.c"}),
        ),
        field(json!({"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]})),
        field(json!({"type": "string", "oneOf": choices})),
        field(json!({"type": "number", "minimum": 0, "maximum": 1.5, "default": 1})),
        field(json!({"type": "integer", "description": "How many?"})),
        field(json!({"type": "boolean", "default": false})),
        field(json!({"type": "array", "items": {"type": "string", "enum": ["a"]}, "minItems": 1})),
        field(json!({"type": "array", "items": {"anyOf": choices}, "default": ["#f00"]})),
        form(json!({"mode": "url", "message": "?", "url": "https://example.com/"})),
        sampling("includeContext", json!("thisServer")),
        sampling(
            "tools",
            json!([{"name": "a", "inputSchema": {"type": "object"}}]),
        ),
        sampling(
            "modelPreferences",
            json!({"hints": [{"name": "m"}], "speedPriority": 0.5}),
        ),
        sampling("temperature", json!(0.5)),
        json!({"method": "roots/list"}),
    ] {
        let round = own(request.clone()).send(&server);
        assert_eq!(round["inputRequests"]["key"], request);
    }
}

#[test]
fn what_a_form_in_own_words_demands_can_be_met() {
    let server = server();
    let titled = json!([{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]);
    let texts = json!({"type": "string", "enum": ["a", "b"]});
    for (field, fault) in [
        (
            json!({"type": "string", "enum": ["a", "b"], "default": "c"}),
            ".it.default` is none of the values of its `enum`",
        ),
        (
            json!({"type": "string", "oneOf": titled, "default": "A"}),
            ".it.default` is none of the values of its `oneOf`",
        ),
        (json!({"type": "string", "enum": []}), ".it.enum` is empty"),
        (
            json!({"type": "string", "oneOf": []}),
            ".it.oneOf` is empty",
        ),
        (
            json!({"type": "string", "enum": ["a", "b"], "enumNames": ["A"]}),
            ".it.enumNames` has another number of items than `enum`",
        ),
        (
            json!({"type": "string", "minLength": 3, "maxLength": 2}),
            ".it.minLength` is more than its `maxLength`",
        ),
        (
            json!({"type": "string", "minLength": -1}),
            ".it.minLength` is less than 0",
        ),
        (
            json!({"type": "string", "minLength": 3, "default": "éa"}),
            ".it.default` is shorter than its `minLength`",
        ),
        (
            json!({"type": "string", "maxLength": 2, "default": "abc"}),
            ".it.default` is longer than its `maxLength`",
        ),
        (
            json!({"type": "string", "format": "date", "default": "2026-02-30"}),
            ".it.default` has another form than its `format`",
        ),
        (
            json!({"type": "number", "minimum": 2, "maximum": 1.5}),
            ".it.minimum` is more than its `maximum`",
        ),
        (
            json!({"type": "number", "minimum": 2, "default": 1.5}),
            ".it.default` is less than its `minimum`",
        ),
        (
            json!({"type": "integer", "maximum": 2, "default": 3}),
            ".it.default` is more than its `maximum`",
        ),
        (
            json!({"type": "integer", "default": 1.5}),
            ".it.default` has to be an integer",
        ),
        (
            json!({"type": "integer", "minimum": 1.2, "maximum": 1.8}),
            ".it` has no integer between its `minimum` and its `maximum`",
        ),
        (
            json!({"type": "array", "items": texts, "minItems": 2, "maxItems": 1}),
            ".it.minItems` is more than its `maxItems`",
        ),
        (
            json!({"type": "array", "items": texts, "default": ["a", "c"]}),
            ".it.default` has a value that its `items` do not have",
        ),
        (
            json!({"type": "array", "items": {"anyOf": titled}, "default": ["A"]}),
            ".it.default` has a value that its `items` do not have",
        ),
        (
            json!({"type": "array", "items": texts, "minItems": 1, "default": []}),
            ".it.default` has fewer values than its `minItems`",
        ),
        (
            json!({"type": "array", "items": texts, "maxItems": 1, "default": ["a", "b"]}),
            ".it.default` has more values than its `maxItems`",
        ),
    ] {
        let (code, message) = own(self::field(field.clone())).refused(&server);
        assert_eq!(code, -32603, "{field}");
        let told = format!("`params.requestedSchema.properties{fault}");
        assert!(message.ends_with(&told), "{told}: {message}");
    }
    let schema = json!({"type": "object", "properties": {}, "required": ["it"]});
    let request = form(json!({"message": "?", "requestedSchema": schema}));
    let (code, message) = own(request).refused(&server);
    assert_eq!(code, -32603);
    let fault = "`params.requestedSchema.required` has `it`, which is none of its `properties`";
    assert!(message.ends_with(fault), "{message}");
}

#[test]
fn what_a_form_in_own_words_demands_may_be_met_at_its_bounds() {
    let server = server();
    let texts = json!({"type": "string", "enum": ["a", "b"]});
    for schema in [
        json!({"type": "string", "minLength": 2, "maxLength": 2, "default": "éa"}),
        json!({"type": "string", "enum": ["a", "b"], "default": "b"}),
        json!({"type": "string", "format": "date", "default": "2026-02-28"}),
        json!({"type": "number", "minimum": 1.5, "maximum": 1.5, "default": 1.5}),
        json!({"type": "integer", "minimum": 0.5, "maximum": 1.0, "default": 1.0}),
        json!({"type": "integer", "maximum": 9_007_199_254_740_991_u64, "default": 9_007_199_254_740_991_u64}),
        json!({"type": "array", "items": texts, "minItems": 2, "maxItems": 2, "default": ["b", "a"]}),
    ] {
        let round = own(field(schema.clone())).send(&server);
        let sent = &round["inputRequests"]["key"]["params"]["requestedSchema"];
        assert_eq!(sent["properties"]["it"], schema);
    }
}

/// A form that was not derived.
struct Own<const KIND: usize>;

const OWN: [&str; 5] = [
    r#"{"type":"object","properties":{"it":{"type":"string"}}}"#,
    r#"{"type":"object","properties":{"it":{"type":"integer","minimum":2,"default":1}}}"#,
    r#"{"type":"array"}"#,
    "{\"type\": \"object\",\n\"properties\": {}}",
    "no JSON",
];

impl<const KIND: usize> ElicitForm for Own<KIND> {
    fn requested_schema() -> &'static str {
        OWN[KIND]
    }

    fn from_content(_: &RawValue) -> Result<Self, Vec<FormFault>> {
        Ok(Self)
    }
}

/// Ask with a form that was not derived.
#[mcp_tool(group = "valid")]
async fn ask_own(kind: usize, ctx: &Context) -> Result<String, ToolError> {
    match kind {
        0 => ctx.elicit::<Own<0>>("key", "?").await.map(drop),
        1 => ctx.elicit::<Own<1>>("key", "?").await.map(drop),
        2 => ctx.elicit::<Own<2>>("key", "?").await.map(drop),
        3 => ctx.elicit::<Own<3>>("key", "?").await.map(drop),
        _ => ctx.elicit::<Own<4>>("key", "?").await.map(drop),
    }?;
    Ok("answered".to_owned())
}

#[test]
fn a_form_that_was_not_derived_is_checked_too() {
    let server = server();
    let request = |kind: usize| Request::call("ask_own", json!({ "kind": kind }));
    assert_eq!(asked(&request(0).send(&server)), ["key"]);
    for (kind, fault) in [
        (
            1,
            "`params.requestedSchema.properties.it.default` is less than its `minimum`",
        ),
        (2, "`params.requestedSchema.type` has to be `object`"),
        (3, "`params.requestedSchema` has to be JSON in one line"),
        (4, "`params.requestedSchema` has to be JSON in one line"),
    ] {
        // The second time it is no better.
        for _ in 0..2 {
            let (code, message) = request(kind).refused(&server);
            assert_eq!(code, -32603, "{message}");
            assert!(message.ends_with(fault), "{fault}: {message}");
        }
    }
}

#[test]
fn numbers_that_clients_round_are_refused_in_own_words() {
    let server = server();
    let beyond = 9_007_199_254_740_992_i64;
    for request in [
        field(json!({"type": "integer", "maximum": beyond})),
        field(json!({"type": "integer", "default": -beyond})),
        field(json!({"type": "number", "default": 1e300})),
        sampling(
            "tools",
            json!([{"name": "a", "inputSchema": {"type": "object", "properties": {"b": {"const": beyond}}}}]),
        ),
    ] {
        let (code, message) = own(request.clone()).refused(&server);
        assert_eq!(code, -32603, "{request}");
        assert!(message.contains("is beyond ±9007199254740991"), "{message}");
    }
}
