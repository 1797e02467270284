//! Headers that mirror the body (basic/transports/streamable-http, "Server Validation").

use mcp_runtime::prelude::*;
use serde_json::{Value, json};

use super::peer::{Post, Running};

/// Tell where.
#[mcp_tool]
fn place(
    #[arg(header = "Region")] region: Option<String>,
    #[arg(header = "Count")] count: Option<i64>,
    #[arg(header = "Flag")] flag: Option<bool>,
) -> String {
    format!("{region:?} {count:?} {flag:?}")
}

/// Ask for a place.
#[mcp_prompt(group = "mirrored")]
fn ask() -> &'static str {
    "Where?"
}

/// All places.
#[mcp_resource("places://all", group = "mirrored")]
fn places() -> &'static str {
    "here, there"
}

const MISMATCH: (u16, i64) = (400, -32020);
const SERVED: (u16, i64) = (200, 0);

async fn running() -> Running {
    Running::start(&mcp_runtime::server!().build().unwrap()).await
}

async fn code(running: &Running, post: Post) -> (u16, i64) {
    let reply = running.send(&post).await;
    assert_eq!(reply.json()["id"], 1, "{post:?}");
    reply.code()
}

fn call(arguments: Value) -> Post {
    Post::call("place", arguments)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_request_states_its_version_and_method() {
    let running = running().await;
    let list = || Post::new("tools/list", json!({}));
    for name in ["MCP-Protocol-Version", "Mcp-Method"] {
        assert_eq!(
            code(&running, list().without(name)).await,
            MISMATCH,
            "{name}"
        );
        let other = list().header(name, "other");
        assert_eq!(code(&running, other).await, MISMATCH, "{name} twice");
        let [.., (_, value)] = &list().headers[..] else {
            panic!()
        };
        let same = list().header("Mcp-Method", value);
        assert_eq!(code(&running, same).await, MISMATCH, "twice the same");
    }
    for (name, value, expected) in [
        ("mcp-method", "tools/list", SERVED),
        ("MCP-METHOD", "tools/list", SERVED),
        ("Mcp-Method", "  tools/list \t", SERVED),
        ("Mcp-Method", "TOOLS/LIST", MISMATCH),
        ("Mcp-Method", "prompts/list", MISMATCH),
        ("Mcp-Method", "tools/call", MISMATCH),
        ("Mcp-Method", "", MISMATCH),
        ("Mcp-Method", "tools/l\u{ef}st", MISMATCH),
        ("MCP-Protocol-Version", "2025-11-25", MISMATCH),
        ("mcp-protocol-version", "2026-07-28", SERVED),
    ] {
        assert_eq!(
            code(&running, list().with(name, value)).await,
            expected,
            "{name}: {value}"
        );
    }
    let body_only = list().body(|body| {
        body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("v999");
    });
    assert_eq!(code(&running, body_only).await, MISMATCH);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_header_is_told_in_the_specifications_words() {
    let running = running().await;
    let reply = running.send(&call(json!({})).with("Mcp-Name", "foo")).await;
    assert_eq!(
        reply.json()["error"]["message"],
        "Header mismatch: Mcp-Name header value 'foo' does not match body value 'place'"
    );
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_checks_come_in_one_order() {
    let running = running().await;
    let nothing = |post: Post| post.body(|body| body["params"] = json!({}));
    // The method's header before the metadata, the metadata before the version's value, and so on.
    let wrong_method = nothing(Post::new("tools/list", json!({})).with("Mcp-Method", "x"));
    assert_eq!(code(&running, wrong_method).await, MISMATCH);
    let wrong_version =
        nothing(Post::new("tools/list", json!({})).with("MCP-Protocol-Version", "x"));
    assert_eq!(code(&running, wrong_version).await, (400, -32602));
    let unknown = Post::new("no/such", json!({})).header("Mcp-Name", "x");
    assert_eq!(code(&running, unknown).await, (404, -32601));
    let unknown_tool = Post::call("nowhere", json!({})).without("Mcp-Name");
    assert_eq!(code(&running, unknown_tool).await, MISMATCH);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_name_of_a_prompt_and_the_uri_of_a_resource_are_mirrored() {
    let server = mcp_runtime::server!().groups(["mirrored"]);
    let running = Running::start(&server.build().unwrap()).await;
    for (method, params, name) in [
        ("prompts/get", json!({"name": "ask"}), "ask"),
        (
            "resources/read",
            json!({"uri": "places://all"}),
            "places://all",
        ),
    ] {
        let post = || Post::new(method, params.clone()).without("Mcp-Name");
        let encoded = match method {
            "prompts/get" => "=?base64?YXNr?=",
            _ => "=?base64?cGxhY2VzOi8vYWxs?=",
        };
        for (value, expected) in [(name, SERVED), (encoded, SERVED), ("other", MISMATCH)] {
            let named = post().header("Mcp-Name", value);
            assert_eq!(code(&running, named).await, expected, "{method}: {value}");
        }
        assert_eq!(code(&running, post()).await, MISMATCH, "{method}");
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_name_of_a_tool_is_mirrored() {
    let running = running().await;
    for (value, expected) in [
        ("place", SERVED),
        ("  place  ", SERVED),
        ("=?base64?cGxhY2U=?=", SERVED),
        ("=?base64?cGxhY2U?=", MISMATCH),
        ("=?base64?=", MISMATCH),
        ("=?BASE64?cGxhY2U=?=", MISMATCH),
        ("wrong_tool_name", MISMATCH),
        ("Place", MISMATCH),
        ("", MISMATCH),
        ("pl\u{e4}ce", MISMATCH),
    ] {
        let post = call(json!({})).with("Mcp-Name", value);
        assert_eq!(code(&running, post).await, expected, "{value}");
    }
    assert_eq!(
        code(&running, call(json!({})).without("Mcp-Name")).await,
        MISMATCH
    );
    assert_eq!(
        code(&running, call(json!({})).header("Mcp-Name", "place")).await,
        MISMATCH
    );
    // A name that only base64 can carry reaches the stage that does not know it.
    let odd = Post::call("wörld", json!({})).with("Mcp-Name", "=?base64?d8O2cmxk?=");
    assert_eq!(code(&running, odd).await, (200, -32602));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn annotated_arguments_are_mirrored() {
    let running = running().await;
    let header = async |name: &str, argument: Value, value: &str| {
        let arguments = json!({name.to_ascii_lowercase(): argument});
        code(
            &running,
            call(arguments).header(&format!("Mcp-Param-{name}"), value),
        )
        .await
    };
    for (argument, value, expected) in [
        ("Hello", "Hello", SERVED),
        ("Hello", "=?base64?SGVsbG8=?=", SERVED),
        ("Hello", "=?base64?SGVsbG8?=", MISMATCH),
        ("Hello", "=?base64?SGVs!!!bG8=?=", MISMATCH),
        ("SGVsbG8=", "SGVsbG8=", SERVED),
        ("=?base64?SGVsbG8=", "=?base64?SGVsbG8=", SERVED),
        (
            "=?base64?literal?=",
            "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
            SERVED,
        ),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?=", SERVED),
        (" padded ", "=?base64?IHBhZGRlZCA=?=", SERVED),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?=", SERVED),
        ("", "", SERVED),
        ("", "=?base64??=", SERVED),
        (" padded ", " padded ", MISMATCH),
        ("hello", "Hello", MISMATCH),
        ("null", "null", SERVED),
        ("é", "\u{e9}", MISMATCH),
    ] {
        assert_eq!(
            header("Region", json!(argument), value).await,
            expected,
            "{argument}: {value}"
        );
    }
    for (argument, value, expected) in [
        ("42", "42", SERVED),
        ("42", "42.0", SERVED),
        ("42.0", "42", SERVED),
        ("42", "4.2e1", SERVED),
        ("-7", "-7", SERVED),
        ("42", "=?base64?NDI=?=", SERVED),
        ("42", "43", MISMATCH),
        ("42", "forty-two", MISMATCH),
        ("42", "", MISMATCH),
        ("9007199254740993", "9007199254740992", MISMATCH),
    ] {
        let argument = serde_json::from_str(argument).unwrap();
        assert_eq!(header("Count", argument, value).await, expected, "{value}");
    }
    assert_eq!(header("Flag", json!(true), "true").await, SERVED);
    assert_eq!(header("Flag", json!(true), "True").await, MISMATCH);
    assert_eq!(header("Flag", json!(true), "1").await, MISMATCH);
    assert_eq!(header("Flag", json!(false), "true").await, MISMATCH);
    // Header names are of any case, and unknown ones mean nothing.
    let post = call(json!({"region": "x"}))
        .header("MCP-PARAM-REGION", "x")
        .header("Mcp-Param-Other", "y");
    assert_eq!(code(&running, post).await, SERVED);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn headers_are_expected_for_arguments_that_are_there_and_for_no_others() {
    let running = running().await;
    assert_eq!(code(&running, call(json!({"region": "x"}))).await, MISMATCH);
    assert_eq!(code(&running, call(json!({"region": ""}))).await, MISMATCH);
    assert_eq!(code(&running, call(json!({}))).await, SERVED);
    assert_eq!(code(&running, call(json!({"region": null}))).await, SERVED);
    for arguments in [json!({}), json!({"region": null}), Value::Null] {
        let post = call(arguments).header("Mcp-Param-Region", "x");
        assert_eq!(code(&running, post).await, MISMATCH);
    }
    let twice = call(json!({"region": "x"}))
        .header("Mcp-Param-Region", "x")
        .header("Mcp-Param-Region", "x");
    assert_eq!(code(&running, twice).await, MISMATCH);
    // Two members of one name: whichever a reader takes, the header says one.
    let mut ambiguous = call(json!({"region": "x"})).header("Mcp-Param-Region", "x");
    let body = String::from_utf8(ambiguous.body).unwrap();
    ambiguous.body = body
        .replace(r#""region":"x""#, r#""region":"y","region":"x""#)
        .into_bytes();
    assert_eq!(code(&running, ambiguous).await, MISMATCH);
    // What no header can say is judged as an argument.
    let reply = running.send(&call(json!({"region": ["x"]}))).await;
    assert_eq!(reply.json()["result"]["isError"], true);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nested_arguments_of_tools_that_come_later_are_mirrored() {
    let server = mcp_runtime::server!().build().unwrap();
    let running = Running::start(&server).await;
    let schema = json!({
        "type": "object",
        "properties": {
            "where": {
                "type": "object",
                "properties": {
                    "region": {"type": "string", "x-mcp-header": "Region"},
                    "shelf": {
                        "type": "object",
                        "properties": {"number": {"type": "integer", "x-mcp-header": "Shelf"}},
                    },
                },
            },
        },
    });
    server
        .register_tool("find", "Find it.", schema, |arguments: Value| {
            Ok::<_, ToolError>(arguments.to_string())
        })
        .unwrap();
    let find = |place: Value, headers: &[(&str, &str)]| {
        let post = Post::call("find", json!({ "where": place }));
        headers
            .iter()
            .fold(post, |post, (name, value)| post.header(name, value))
    };
    let place = || json!({"region": "north", "shelf": {"number": 7}});
    let (region, shelf) = (("Mcp-Param-Region", "north"), ("Mcp-Param-Shelf", "7"));
    for (place, headers, expected) in [
        (place(), &[region, shelf][..], SERVED),
        (place(), &[region], MISMATCH),
        (place(), &[shelf], MISMATCH),
        (place(), &[("Mcp-Param-Region", "south"), shelf], MISMATCH),
        (place(), &[region, ("Mcp-Param-Shelf", "8")], MISMATCH),
        (json!({"region": "north"}), &[region], SERVED),
        (json!({"region": "north"}), &[region, shelf], MISMATCH),
        (json!({"shelf": {}}), &[], SERVED),
        (json!({}), &[region], MISMATCH),
    ] {
        let post = find(place.clone(), headers);
        assert_eq!(
            code(&running, post).await,
            expected,
            "{place} and {headers:?}"
        );
    }
    // The same names of arguments elsewhere are others.
    let elsewhere = Post::call("find", json!({"region": "north", "number": 7}));
    assert_eq!(code(&running, elsewhere.clone()).await, SERVED);
    let elsewhere = elsewhere.header("Mcp-Param-Region", "north");
    assert_eq!(code(&running, elsewhere).await, MISMATCH);
    running.stop().await;
}
