//! What layers of users see, and what they may do.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use mcp_runtime::prelude::*;
use mcp_runtime::{
    Principal,
    context::ErrorObject,
    layer::{BoxError, CallKind, CallRequest, CallResponse, CallService},
};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tower::util::MapRequestLayer;
use tower::{ServiceBuilder, ServiceExt as _};

use super::{Tenant, builder};

/// All that is called in this file, with a request that succeeds and those that fail.
fn requests() -> Vec<Value> {
    let tools = ["add", "add_plain", "add_async", "add_structured"];
    let good = tools.map(|tool| {
        (
            "tools/call",
            json!({"name": tool, "arguments": {"a": 2, "b": 3}}),
        )
    });
    let others = [
        (
            "tools/call",
            json!({"name": "add", "arguments": {"a": "x"}}),
        ),
        ("tools/call", json!({"name": "add", "arguments": []})),
        ("tools/call", json!({"name": "absent"})),
        ("tools/call", json!({})),
        ("tools/call", json!({"name": "fail", "arguments": null})),
        ("tools/call", json!({"name": "own_runtime"})),
        (
            "prompts/get",
            json!({"name": "greet", "arguments": {"name": "Ada"}}),
        ),
        ("prompts/get", json!({"name": "greet"})),
        ("prompts/get", json!({"name": "absent"})),
        ("resources/read", json!({"uri": "notes://monday"})),
        ("resources/read", json!({"uri": "absent://monday"})),
        ("resources/read", json!({"uri": "no uri"})),
        ("tools/list", json!({})),
    ];
    let all = good.into_iter().chain(others);
    let with_meta = all.enumerate().map(|(id, (method, mut params))| {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    });
    with_meta.collect()
}

#[test]
fn a_layer_that_does_nothing_changes_no_byte() {
    let plain = builder().build().unwrap();
    let layered = builder().layer(ServiceBuilder::new()).build().unwrap();
    let twice = builder()
        .layer(ServiceBuilder::new())
        .layer(MapRequestLayer::new(|call: CallRequest| call))
        .build()
        .unwrap();
    for request in requests() {
        let text = request.to_string();
        let answer = |server: &Server| {
            let mut out = Vec::new();
            server.handle_message_blocking(text.as_bytes(), &mut out);
            String::from_utf8(out).unwrap()
        };
        let expected = answer(&plain);
        assert_eq!(answer(&layered), expected, "{text}");
        assert_eq!(answer(&twice), expected, "{text}");
    }
}

#[tokio::test]
async fn a_layer_that_does_nothing_changes_no_byte_within_a_runtime() {
    let plain = builder().build().unwrap();
    let layered = builder().layer(ServiceBuilder::new()).build().unwrap();
    for request in requests() {
        let expected = plain.handle(&request).await;
        assert_eq!(layered.handle(&request).await, expected, "{request}");
    }
}

#[test]
fn a_layer_sees_kind_name_arguments_principal_and_revision() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let look = MapRequestLayer::new(move |call: CallRequest| {
        let principal = call.principal().map(|it| it.id().to_owned());
        log.lock().unwrap().push((
            call.kind(),
            call.name().to_owned(),
            call.arguments().get().to_owned(),
            principal,
        ));
        assert_eq!(call.protocol_version(), Some("2026-07-28"));
        assert!(!call.is_task_run());
        call
    });
    let server = builder().layer(look).build().unwrap();
    let ada = Principal::new("ada");
    let called = server.call_as_blocking(&ada, "add", json!({"a": 2, "b": 3}));
    assert_eq!(called.text(), "5");
    let _ = server.get_prompt_blocking("greet", json!({"name": "Ada"}));
    let _ = server.read_resource_blocking("notes://monday");
    let seen = seen.lock().unwrap();
    let seen: Vec<_> = seen
        .iter()
        .map(|(kind, name, arguments, who)| (*kind, &**name, &**arguments, who.as_deref()))
        .collect();
    assert_eq!(
        seen,
        [
            (CallKind::Tool, "add", r#"{"a":2,"b":3}"#, Some("ada")),
            (CallKind::Prompt, "greet", r#"{"name":"Ada"}"#, None),
            (CallKind::Resource, "notes://monday", "{}", None),
        ]
    );
}

#[test]
fn arguments_that_no_value_can_hold_fail_as_without_a_layer_until_a_layer_replaces_them() {
    let call = |arguments: &str| {
        let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"add","arguments":{arguments},"_meta":{meta}}}}}"#
        )
    };
    let answer = |server: &Server, message: &str| {
        let mut out = Vec::new();
        server.handle_message_blocking(message.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    };
    let plain = builder().build().unwrap();
    let layered = builder().layer(ServiceBuilder::new()).build().unwrap();
    let replace = MapRequestLayer::new(|mut call: CallRequest| {
        let arguments = r#"{"a": 20, "b": 30}"#.to_owned();
        call.set_arguments(RawValue::from_string(arguments).unwrap());
        call
    });
    let replacing = builder().layer(replace).build().unwrap();
    for arguments in [
        r#"{"a":1,"b":01}"#,
        r#"{"a":1,"b":"\ud800"}"#,
        r#"{"a":1,"a":1,"b":2}"#,
    ] {
        let message = call(arguments);
        let expected = answer(&plain, &message);
        assert!(expected.contains(r#""isError":true"#), "{expected}");
        assert_eq!(answer(&layered, &message), expected);
        assert!(answer(&replacing, &message).contains(r#""text":"50""#));
    }
}

#[test]
fn a_result_of_a_layer_is_bounded_in_size_and_in_depth() {
    let answer_with = |content: Value| {
        let replace = ServiceBuilder::new().map_response(move |_: CallResponse| {
            let mut members = Map::new();
            members.insert("content".to_owned(), content.clone());
            CallResponse::from_result(members)
        });
        let server = builder().max_answer_size(1_000).layer(replace).build();
        server
            .unwrap()
            .call_blocking("add", json!({"a": 2, "b": 3}))
    };
    let text = |text: String| json!([{"type": "text", "text": text}]);
    assert!(!answer_with(text("x".repeat(100))).is_error());
    let large = answer_with(text("x".repeat(1_000)));
    assert!(large.is_error());
    assert!(large.text().contains("1000"), "{}", large.text());
    let deep = (0..200).fold(json!(0), |inner, _| json!([inner]));
    let deep = answer_with(deep);
    assert!(deep.is_error());
    assert!(deep.text().contains("nested"), "{}", deep.text());
}

#[test]
fn a_layer_measures_the_time_of_a_call_and_replaces_its_failure() {
    let times = Arc::new(Mutex::new(Vec::new()));
    let taken = Arc::clone(&times);
    let layer = tower::layer::layer_fn(move |inner: CallService| {
        let taken = Arc::clone(&taken);
        tower::service_fn(move |call: CallRequest| {
            let (inner, taken) = (inner.clone(), Arc::clone(&taken));
            async move {
                let (began, name) = (Instant::now(), call.name().to_owned());
                let response = inner.oneshot(call).await?;
                taken.lock().unwrap().push((name, began.elapsed()));
                Ok::<_, BoxError>(if response.is_error() {
                    CallResponse::failed("try again tomorrow")
                } else {
                    response
                })
            }
        })
    });
    let masked = builder().mask_errors().layer(layer).build().unwrap();
    assert_eq!(
        masked
            .call_blocking("add_async", json!({"a": 2, "b": 3}))
            .text(),
        "5"
    );
    assert_eq!(
        masked.call_blocking("fail", json!({})).text(),
        "try again tomorrow"
    );
    let times = times.lock().unwrap();
    assert_eq!(times[0].0, "add_async");
    assert_eq!(times[1].0, "fail");
}

#[test]
fn a_layer_refuses_calls() {
    let refuse = ServiceBuilder::new().filter(|call: CallRequest| {
        if call.name() == "add" {
            Err(BoxError::from("not on a sunday"))
        } else {
            Ok(call)
        }
    });
    let server = builder().layer(refuse.clone()).build().unwrap();
    let outcome = server.call_blocking("add", json!({"a": 2, "b": 3}));
    assert!(outcome.is_error());
    assert_eq!(outcome.text(), "Error: not on a sunday");
    assert_eq!(
        server
            .call_blocking("add_plain", json!({"a": 2, "b": 3}))
            .text(),
        "5"
    );
    let masked = builder().mask_errors().layer(refuse).build().unwrap();
    assert_eq!(
        masked.call_blocking("add", json!({"a": 2, "b": 3})).text(),
        "Error: the tool failed"
    );
}

#[test]
fn the_error_of_a_layer_around_a_prompt_or_a_resource_is_an_internal_error() {
    let refuse = || MapRequestLayer::new(|call: CallRequest| call);
    let refuse = ServiceBuilder::new()
        .layer(refuse())
        .filter(|_: CallRequest| Err::<CallRequest, _>(BoxError::from("not today")));
    let server = builder().layer(refuse.clone()).build().unwrap();
    let masked = builder().mask_errors().layer(refuse).build().unwrap();
    for (open, hidden) in [
        (
            server.get_prompt_blocking("greet", json!({"name": "Ada"})),
            masked.get_prompt_blocking("greet", json!({"name": "Ada"})),
        ),
        (
            server.read_resource_blocking("notes://monday"),
            masked.read_resource_blocking("notes://monday"),
        ),
        (
            server.get_prompt_blocking("absent", json!({})),
            masked.get_prompt_blocking("absent", json!({})),
        ),
    ] {
        assert_eq!(open["code"], -32603);
        assert_eq!(open["message"], "not today");
        assert_eq!(hidden["code"], -32603);
        assert!(!hidden.to_string().contains("today"), "{hidden}");
    }
}

#[test]
fn a_layer_replaces_arguments_which_are_checked() {
    let replace = MapRequestLayer::new(|mut call: CallRequest| {
        let arguments = match call.name() {
            "add" => r#"{"a": 20, "b": 30}"#,
            "add_plain" => r#"{"a": 20}"#,
            _ => "[]",
        };
        call.set_arguments(RawValue::from_string(arguments.to_owned()).unwrap());
        call
    });
    let server = builder().layer(replace).build().unwrap();
    let arguments = || json!({"a": 2, "b": 3});
    assert_eq!(server.call_blocking("add", arguments()).text(), "50");
    let missing = server.call_blocking("add_plain", arguments());
    assert!(
        missing.is_error() && missing.text().contains("argument: b"),
        "{}",
        missing.text()
    );
    let no_object = server.call_blocking("add_async", arguments());
    assert_eq!(no_object.error().unwrap()["code"], -32602);
}

#[test]
fn a_layer_replaces_results() {
    let replace = ServiceBuilder::new().map_response(|response: CallResponse| {
        let Some(mut members) = response.result() else {
            return match response.error() {
                Some(error) if error.code == -32602 => {
                    CallResponse::from_error(ErrorObject::new(-32001, "no"))
                }
                _ => response,
            };
        };
        if response.is_error() {
            return CallResponse::failed("nothing to see");
        }
        assert!(
            response.result_json().unwrap().contains("content") || members.contains_key("messages")
        );
        if members.contains_key("structuredContent") {
            members.insert("structuredContent".to_owned(), json!({"sum": "many"}));
            return CallResponse::from_result(members);
        }
        CallResponse::from_result(Map::new())
    });
    let server = builder().layer(replace).build().unwrap();
    let arguments = || json!({"a": 2, "b": 3});
    let added = server.call_blocking("add", arguments());
    let result = added.result().unwrap();
    assert_eq!(result["content"], json!([]));
    assert_eq!(result["resultType"], "complete");
    assert!(
        result["_meta"]["io.modelcontextprotocol/serverInfo"].is_object(),
        "{result}"
    );
    let structured = server.call_blocking("add_structured", arguments());
    assert!(
        structured.is_error() && structured.text().contains("output schema"),
        "{}",
        structured.text()
    );
    assert_eq!(
        server.call_blocking("fail", json!({})).text(),
        "nothing to see"
    );
    assert!(server.call_blocking("fail", json!({})).is_error());
    assert_eq!(
        server.call_blocking("absent", json!({})).error().unwrap()["code"],
        -32001
    );
    assert_eq!(
        server.get_prompt_blocking("greet", json!({"name": "Ada"}))["messages"],
        json!([])
    );
    let read = server.read_resource_blocking("notes://monday");
    assert_eq!(read["contents"], json!([]));
    assert_eq!(
        (&read["ttlMs"], &read["cacheScope"]),
        (&json!(0), &json!("private"))
    );
}

#[test]
fn the_layer_added_last_is_outermost() {
    let order = Arc::new(Mutex::new(Vec::new()));
    let note = |name: &'static str| {
        let order = Arc::clone(&order);
        MapRequestLayer::new(move |call: CallRequest| {
            order.lock().unwrap().push(name);
            call
        })
    };
    let server = builder()
        .layer(note("inner"))
        .layer_for(|call| call.kind() == CallKind::Tool, note("tools"))
        .layer(note("outer"))
        .build()
        .unwrap();
    assert_eq!(
        server.call_blocking("add", json!({"a": 2, "b": 3})).text(),
        "5"
    );
    let _ = server.read_resource_blocking("notes://monday");
    assert_eq!(
        *order.lock().unwrap(),
        ["outer", "tools", "inner", "outer", "inner"]
    );
}

#[test]
fn what_a_layer_attaches_reaches_the_function() {
    let attach = MapRequestLayer::new(|mut call: CallRequest| {
        call.extensions_mut().insert(Tenant("otters"));
        call
    });
    let server = builder().layer(attach).build().unwrap();
    assert_eq!(server.call_blocking("tenant", json!({})).text(), "otters");
    assert_eq!(
        server.call_blocking("tenant_of_context", json!({})).text(),
        "otters"
    );
    let without = builder().build().unwrap();
    let missing = without.call_blocking("tenant", json!({}));
    assert!(missing.is_error());
    assert!(
        missing.text().contains("lacks an extension"),
        "{}",
        missing.text()
    );
}

#[test]
fn a_layer_that_panics_fails_its_call_alone() {
    let panic = MapRequestLayer::new(|call: CallRequest| {
        assert_ne!(call.name(), "add", "the cause, which is for the log");
        call
    });
    let server = builder().layer(panic).build().unwrap();
    let outcome = server.call_blocking("add", json!({"a": 2, "b": 3}));
    assert_eq!(outcome.text(), "Error: the tool failed");
    assert_eq!(
        server
            .call_blocking("add_plain", json!({"a": 2, "b": 3}))
            .text(),
        "5"
    );
}

#[test]
fn each_round_passes_the_layers() {
    let calls = Arc::new(Mutex::new(0));
    let count = Arc::clone(&calls);
    let layer = MapRequestLayer::new(move |call: CallRequest| {
        *count.lock().unwrap() += 1;
        call
    });
    let server = builder().layer(layer).build().unwrap();
    let client = server.client().answer("confirm", json!({"yes": true}));
    assert_eq!(
        client.call_blocking("ask", json!({})).unwrap().text(),
        "confirmed"
    );
    assert_eq!(*calls.lock().unwrap(), 2);
}
