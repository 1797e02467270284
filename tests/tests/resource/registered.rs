//! Resources and templates that are registered at run time, before and while the server runs.

use std::collections::BTreeMap;

use mcp_runtime::RegisterError;
use mcp_runtime::prelude::*;
use serde_json::{Value, json};

use super::ask;

type Variables = BTreeMap<String, String>;

/// A server that has no resources yet.
fn bare() -> Server {
    mcp_runtime::server!().groups(["tools"]).build().unwrap()
}

#[expect(clippy::unnecessary_wraps, reason = "handlers return a result")]
fn show(variables: Variables) -> Result<String, ResourceError> {
    Ok(format!("{variables:?}"))
}

fn read(server: &Server, uri: &str) -> Value {
    ask(server, "resources/read", json!({ "uri": uri }))
}

fn text(server: &Server, uri: &str) -> String {
    let answer = read(server, uri);
    let text = &answer["result"]["contents"][0]["text"];
    text.as_str().unwrap_or_else(|| panic!("{answer}")).into()
}

#[test]
fn the_first_resource_brings_the_capability_and_the_last_leaves_it() {
    let server = bare();
    let resources = |server: &Server| {
        let answer = ask(server, "server/discover", json!({}));
        answer["result"]["capabilities"].get("resources").cloned()
    };
    assert_eq!(resources(&server), None);
    server
        .register_resource("notes://today", "today", "Today.", |uri: String| {
            Ok::<_, ResourceError>(format!("read {uri}"))
        })
        .unwrap();
    assert_eq!(resources(&server), Some(json!({})));
    assert_eq!(
        ask(&server, "resources/list", json!({}))["result"]["resources"],
        json!([{"name": "today", "description": "Today.", "uri": "notes://today"}])
    );
    let answer = read(&server, "notes://today");
    assert_eq!(
        answer["result"]["contents"],
        json!([{"uri": "notes://today", "text": "read notes://today"}])
    );
    assert_eq!(answer["result"]["ttlMs"], 0);
    assert!(server.remove_resource("notes://today"));
    assert!(!server.remove_resource("notes://today"));
    assert_eq!(resources(&server), Some(json!({})));
    let gone = read(&server, "notes://today");
    assert_eq!(gone["error"]["code"], -32602);
    assert_eq!(gone["error"]["data"]["uri"], "notes://today");
}

#[test]
fn templates_give_their_variables_decoded() {
    let server = bare();
    for template in [
        "a://{id}",
        "b://{+path}",
        "c://{path*}/end",
        "d://x/{a}/y{?from,to}",
    ] {
        server
            .register_resource_template(template, "shown", "Shown.", show)
            .unwrap();
    }
    for (uri, expected) in [
        ("a://J%C3%BCrgen", r#"{"id": "Jürgen"}"#),
        ("b://x/y?z#w", r#"{"path": "x/y?z#w"}"#),
        ("c://x/y/end", r#"{"path": "x/y"}"#),
        ("d://x/1/y", r#"{"a": "1"}"#),
        (
            "d://x/1/y?to=3&from=2",
            r#"{"a": "1", "from": "2", "to": "3"}"#,
        ),
    ] {
        assert_eq!(text(&server, uri), expected, "{uri}");
    }
    let listed = ask(&server, "resources/templates/list", json!({}));
    assert_eq!(
        listed["result"]["resourceTemplates"][0],
        json!({"name": "shown", "description": "Shown.", "uriTemplate": "a://{id}"})
    );
    assert!(server.remove_resource("a://{id}"));
    assert_eq!(read(&server, "a://1")["error"]["code"], -32602);
}

#[test]
fn variables_that_lead_out_of_a_tree_are_refused() {
    let server = bare();
    let register = |template| server.register_resource_template(template, "f", "F.", show);
    register("a://{name}").unwrap();
    register("b://{+path}").unwrap();
    register("c://{?x}").unwrap();
    for uri in [
        "a://..",
        "a://%2e%2e",
        "a://%00",
        "a://%2Fetc",
        "b://x/../y",
        "b:///etc/passwd",
        "c://?x=..%2f..",
        "c://?x=1&x=2",
    ] {
        let answer = read(&server, uri);
        assert_eq!(answer["error"]["code"], -32602, "{uri}: {answer}");
        assert_eq!(answer["error"]["data"]["uri"], uri);
    }
}

#[test]
fn of_many_faults_some_are_told() {
    let server = bare();
    server
        .register_resource_template("c://{?x}", "f", "F.", show)
        .unwrap();
    let uri = format!("c://?x=1{}", "&x=1".repeat(2000));
    let answer = read(&server, &uri);
    assert_eq!(answer["error"]["code"], -32602);
    let message = answer["error"]["message"].as_str().unwrap();
    let told: Vec<_> = message.split("; ").collect();
    assert_eq!(told.len(), 33, "{message}");
    assert_eq!(told[32], "… and more of the same");
}

#[test]
fn fixed_resources_win_over_templates() {
    let server = bare();
    server
        .register_resource_template("a://{id}", "each", "Each.", show)
        .unwrap();
    server
        .register_resource("a://1", "one", "One.", |_: String| async {
            Ok::<_, ResourceError>("the first")
        })
        .unwrap();
    assert_eq!(text(&server, "a://1"), "the first");
    assert_eq!(text(&server, "a://2"), r#"{"id": "2"}"#);
}

#[test]
fn handlers_say_that_there_is_nothing() {
    let server = bare();
    let pick = |variables: Variables, _: Context| async move {
        (variables["id"] == "1")
            .then_some("one")
            .ok_or_else(ResourceError::not_found)
    };
    server
        .register_resource_template("a://{id}", "each", "Each.", pick)
        .unwrap();
    assert_eq!(text(&server, "a://1"), "one");
    let missing = read(&server, "a://2");
    assert_eq!(missing["error"]["message"], "Resource not found");
    assert_eq!(missing["error"]["data"]["uri"], "a://2");
}

#[test]
fn what_cannot_be_found_again_is_refused() {
    let server = bare();
    let fixed = |uri: &str| {
        server.register_resource(uri, "x", "X.", |_: String| Ok::<_, ResourceError>("x"))
    };
    let template = |text: &str| server.register_resource_template(text, "x", "X.", show);
    fixed("a://1").unwrap();
    template("b://{x}").unwrap();
    for (refused, sentence) in [
        (
            fixed("a://1"),
            "a resource has the URI `a://1` already; choose another one",
        ),
        (
            template("b://{x}"),
            "a resource has the URI `b://{x}` already; choose another one",
        ),
        (
            template("b://{+y}"),
            "some URIs match `b://{+y}` and `b://{x}`; begin one of them otherwise",
        ),
        (
            fixed("a://{x}"),
            "\"a://{x}\" cannot be used: it has variables; register it as a template",
        ),
        (
            template("a://x"),
            "\"a://x\" cannot be used: it has no variables; register it as a resource",
        ),
        (
            template("c://{x"),
            "\"c://{x\" cannot be used: a `{` is never closed; write `}` behind the variable's name",
        ),
        (
            fixed("nothing"),
            "\"nothing\" cannot be used: a resource's URI begins with a scheme; write `orders://recent`, \
             `file:///…` or the like",
        ),
    ] {
        let error: RegisterError = refused.unwrap_err();
        assert_eq!(error.to_string(), sentence);
    }
    let built = mcp_runtime::server!()
        .groups(["tools"])
        .register_resource_template("b://{x}", "x", "X.", show)
        .register_resource_template("b://{+y}", "y", "Y.", show)
        .build();
    let problems = built.unwrap_err().to_string();
    assert!(problems.starts_with("some URIs match `b://"), "{problems}");
}
