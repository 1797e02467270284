//! `resources/read`: what is returned, and how it fails.

use std::fmt;
use std::time::Duration;

use mcp_runtime::prelude::*;
use mcp_runtime::resource::CacheScope;
use serde_json::{Value, json};

use super::{Shop, ask, server};

/// What is returned in several ways.
#[mcp_resource("kinds://text")]
fn text() -> String {
    "a\"b\n".to_owned()
}

/// A number as JSON.
#[mcp_resource("kinds://json")]
fn number() -> Json<u8> {
    Json(7)
}

/// JSON of a type of its own.
#[mcp_resource("kinds://typed-json", mime_type = "application/vnd.example+json")]
fn typed_json() -> Json<[u8; 2]> {
    Json([1, 2])
}

/// JSON that there is none of.
#[mcp_resource("kinds://no-json")]
fn no_json() -> Json<std::collections::BTreeMap<(u8, u8), u8>> {
    Json([((1, 2), 3)].into())
}

/// Bytes.
#[mcp_resource("kinds://bytes")]
fn bytes() -> Vec<u8> {
    vec![1, 2, 3]
}

/// Bytes of a known type.
#[mcp_resource("kinds://image", mime_type = "image/png")]
fn image() -> &'static [u8] {
    &[1, 2, 3]
}

/// Contents that say what they are.
#[mcp_resource("kinds://contents", mime_type = "text/plain")]
fn contents() -> ResourceContents {
    ResourceContents::text("kinds://elsewhere", "text").mime_type("text/markdown")
}

/// Several contents.
#[mcp_resource("kinds://several", mime_type = "text/plain")]
fn several() -> Vec<ResourceContents> {
    vec![
        ResourceContents::text("", "a"),
        ResourceContents::blob("kinds://several/b", [1]),
    ]
}

/// Nothing at all.
#[mcp_resource("kinds://nothing")]
fn nothing() -> Vec<ResourceContents> {
    Vec::new()
}

/// A result with hints of its own.
#[mcp_resource("kinds://whole", ttl = "1s")]
fn whole() -> ResourceResult {
    ResourceResult::new([ResourceContents::text("", "a")])
        .cache(Duration::from_millis(7), CacheScope::Public)
}

/// Something that may not be there.
#[mcp_resource("maybe://{name}")]
fn maybe(name: &str) -> Option<String> {
    (name != "nobody").then(|| name.to_owned())
}

#[derive(Debug)]
struct Sold;

impl fmt::Display for Sold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("all sold")
    }
}

/// Fails as it is told to.
#[mcp_resource("failing://{how}")]
fn failing(how: &str) -> Result<String, ResourceError> {
    match how {
        "gone" => Err(ResourceError::not_found()),
        "broken" => Err(ResourceError::new("the shelf fell over")),
        "error" => Ok(String::from_utf8(vec![0xff])?),
        "panic" => panic!("a secret"),
        _ => Ok(how.to_owned()),
    }
}

/// Fails in its own way.
#[mcp_resource("sold://all")]
fn sold() -> Result<Vec<u8>, Sold> {
    Err(Sold)
}

/// Answers later.
#[mcp_resource("later://{name}")]
async fn later(name: String, shop: State<Shop>) -> Result<String, ResourceError> {
    let mut polled = false;
    std::future::poll_fn(|context| {
        if polled {
            return std::task::Poll::Ready(());
        }
        polled = true;
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
    if name == "gone" {
        return Err(ResourceError::not_found());
    }
    Ok(format!("{name} {}", shop.0))
}

/// A fixed one among those of a template.
#[mcp_resource("maybe://fixed")]
fn fixed() -> &'static str {
    "the fixed one"
}

fn contents_of(uri: &str) -> Value {
    let result = server().read_resource_blocking(uri);
    result
        .get("contents")
        .unwrap_or_else(|| panic!("{uri}: {result}"))
        .clone()
}

fn refused(uri: &str, code: i64, message: &str) {
    let error = server().read_resource_blocking(uri);
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!(code), &json!(message)),
        "{uri}"
    );
    if code == -32602 {
        assert_eq!(error["data"], json!({"uri": uri}));
    }
}

#[test]
fn a_result_has_all_members() {
    let answer = ask(&server(), "resources/read", json!({"uri": "kinds://text"}));
    let mut result = answer["result"].clone();
    assert!(result["_meta"]["io.modelcontextprotocol/serverInfo"].is_object());
    result.as_object_mut().unwrap().remove("_meta");
    assert_eq!(
        result,
        json!({
            "resultType": "complete",
            "contents": [{"uri": "kinds://text", "text": "a\"b\n"}],
            "ttlMs": 0,
            "cacheScope": "private",
        })
    );
}

#[test]
fn each_kind_of_contents_is_sent_as_what_it_is() {
    for (uri, expected) in [
        (
            "kinds://json",
            json!([{"uri": "kinds://json", "mimeType": "application/json", "text": "7"}]),
        ),
        (
            "kinds://typed-json",
            json!([{"uri": "kinds://typed-json", "mimeType": "application/vnd.example+json", "text": "[1,2]"}]),
        ),
        (
            "kinds://bytes",
            json!([{"uri": "kinds://bytes", "mimeType": "application/octet-stream", "blob": "AQID"}]),
        ),
        (
            "kinds://image",
            json!([{"uri": "kinds://image", "mimeType": "image/png", "blob": "AQID"}]),
        ),
        (
            "kinds://contents",
            json!([{"uri": "kinds://elsewhere", "mimeType": "text/markdown", "text": "text"}]),
        ),
        (
            "kinds://several",
            json!([
                {"uri": "kinds://several", "mimeType": "text/plain", "text": "a"},
                {"uri": "kinds://several/b", "mimeType": "text/plain", "blob": "AQ=="},
            ]),
        ),
        (
            "maybe://a%20b",
            json!([{"uri": "maybe://a%20b", "text": "a b"}]),
        ),
    ] {
        assert_eq!(contents_of(uri), expected);
    }
}

#[test]
fn a_result_may_bring_its_own_hints() {
    let result = server().read_resource_blocking("kinds://whole");
    assert_eq!(
        (&result["ttlMs"], &result["cacheScope"]),
        (&json!(7), &json!("public"))
    );
}

#[test]
fn what_is_not_there_is_never_empty_contents() {
    for uri in [
        "nowhere://",
        "maybe://nobody",
        "failing://gone",
        "later://gone",
        "kinds://nothing",
        "",
        "x",
        "KINDS://text",
        "kinds://text/",
        "kinds://text?",
    ] {
        refused(uri, -32602, "Resource not found");
    }
    let long = format!("maybe://{}", "a".repeat(10_000));
    refused(&long, -32602, "Resource not found");
}

#[test]
fn the_uri_is_a_string() {
    for uri in [json!(1), json!(null), json!([]), json!({})] {
        let answer = ask(&server(), "resources/read", json!({"uri": uri}));
        assert_eq!(answer["error"]["code"], -32602);
        assert_eq!(answer["id"], 1);
    }
    assert_eq!(
        ask(&server(), "resources/read", json!({}))["error"]["code"],
        -32602
    );
}

#[test]
fn other_failures_are_internal_errors() {
    refused("failing://broken", -32603, "the shelf fell over");
    refused(
        "failing://error",
        -32603,
        "invalid utf-8 sequence of 1 bytes from index 0",
    );
    refused("failing://panic", -32603, "the resource failed");
    refused("sold://all", -32603, "all sold");
    assert_eq!(
        server().read_resource_blocking("kinds://no-json")["code"],
        -32603
    );
    assert_eq!(contents_of("failing://x")[0]["text"], "x");
    let masked = mcp_runtime::server!()
        .state(Shop(""))
        .mask_errors()
        .build()
        .unwrap();
    assert_eq!(
        masked.read_resource_blocking("sold://all")["message"],
        "the resource failed"
    );
    assert_eq!(
        masked.read_resource_blocking("failing://gone")["message"],
        "Resource not found"
    );
}

#[test]
fn async_resources_are_driven_to_their_end() {
    assert_eq!(contents_of("later://a")[0]["text"], "a otters");
}

#[test]
fn a_fixed_resource_goes_before_a_template() {
    assert_eq!(contents_of("maybe://fixed")[0]["text"], "the fixed one");
    assert_eq!(contents_of("maybe://fixe%64")[0]["text"], "fixed");
}
