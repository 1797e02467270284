//! `tools/call`: tools, results, failures and panics.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};

use mcp_runtime::{
    Json, ToolError, ToolResult,
    content::ContentBlock,
    context::ErrorObject,
    mcp_tool, mcp_type,
    tool::{InputRequired, IntoToolResult, OutputSpec},
};
use serde_json::{Value, json};

use super::{SERVER_INFO_KEY, call, failed, refused, request, result, server, succeeded, value};

/// A row of measurements.
#[mcp_type]
struct Row {
    values: Vec<f64>,
    label: Option<String>,
}

/// Measure.
#[mcp_tool]
fn measure(broken: bool) -> Row {
    Row {
        values: vec![1.0, if broken { f64::NAN } else { 2.5 }],
        label: None,
    }
}

/// Give a float that is no number.
#[mcp_tool]
fn nan(infinite: bool) -> Json<f64> {
    Json(if infinite { f64::INFINITY } else { f64::NAN })
}

/// Give a float that is no number, as text.
#[mcp_tool]
fn plain_nan() -> f64 {
    f64::NAN
}

/// Give content of several kinds.
#[mcp_tool]
fn mixed() -> [ContentBlock; 3] {
    [
        ContentBlock::text("one"),
        ContentBlock::image([0xff], "image/png"),
        ContentBlock::text("two"),
    ]
}

/// Give nothing.
#[mcp_tool]
fn nothing() {}

/// Fail in a way of one's own.
#[mcp_tool]
fn fail(how: &str) -> Result<String, ToolError> {
    Err(match how {
        "input" => InputRequired::new(json!({ "name": {} })).into(),
        "request" => ToolError::request(ErrorObject::new(-31050, "not today")),
        text => ToolError::new(text),
    })
}

/// Panic, now or later.
#[mcp_tool(name = "panic")]
async fn panics(later: bool) -> String {
    if later {
        pause().await;
    }
    panic!("secret")
}

/// Panic at once.
#[mcp_tool]
fn panic_plainly() -> String {
    panic!("secret")
}

/// Answer after having waited.
#[mcp_tool]
async fn wait(text: String) -> String {
    pause().await;
    text
}

/// Is pending once.
async fn pause() {
    let mut polled = false;
    poll_fn(|context| {
        if std::mem::replace(&mut polled, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[test]
fn names_of_another_kind_are_refused() {
    refused(-32602, &request("tools/call", json!({})));
    for name in ["null", "true", "7", "[]", "[\"add\"]", "{}"] {
        refused(
            -32602,
            &request(
                "tools/call",
                json!({ "name": value(name), "arguments": {} }),
            ),
        );
    }
}

#[test]
fn unknown_tools_are_refused_by_name() {
    for name in ["no_such", "", "Add", "add ", "add\0"] {
        let error = refused(-32602, &call(name, json!({})));
        assert_eq!(error["message"], format!("Unknown tool: {name}"));
    }
}

#[test]
fn a_result_is_complete_and_names_the_server() {
    let info =
        json!({ SERVER_INFO_KEY: { "name": "mcp-tests", "version": env!("CARGO_PKG_VERSION") } });
    let added = result(&call("add", json!({ "a": 2, "b": 3 })));
    let text = json!([{ "type": "text", "text": "5" }]);
    assert_eq!(
        added,
        json!({ "resultType": "complete", "content": text, "_meta": info })
    );
}

#[test]
fn structure_comes_with_its_json_as_text() {
    let measured = result(&call("measure", json!({ "broken": false })));
    let structure = json!({ "values": [1.0, 2.5], "label": null });
    assert_eq!(measured["structuredContent"], structure);
    assert_eq!(measured["content"].as_array().unwrap().len(), 1);
    assert_eq!(
        value(measured["content"][0]["text"].as_str().unwrap()),
        structure
    );
}

#[test]
fn a_number_that_json_does_not_have_is_told_by_its_path() {
    assert!(failed("measure", json!({ "broken": true })).contains("values[1]"));
    for infinite in [true, false] {
        failed("nan", json!({ "infinite": infinite }));
    }
    failed("plain_nan", json!({}));
}

#[test]
fn a_number_that_json_does_not_have_is_refused_from_handlers_too() {
    let server = mcp_runtime::server!()
        .register_tool(
            "numbers",
            "Give numbers.",
            json!({ "type": "object" }),
            |_: Value| Ok::<_, ToolError>([1.0, f64::NEG_INFINITY]),
        )
        .build()
        .unwrap();
    let outcome = server.call_blocking("numbers", json!({}));
    assert!(
        outcome.is_error() && outcome.text().contains("[1]"),
        "{}",
        outcome.text()
    );
    assert_eq!(outcome.structured_content(), None);
}

#[test]
fn blocks_keep_their_order_and_stay_out_of_the_structure() {
    let mixed = result(&call("mixed", json!({})));
    let kinds: Vec<_> = mixed["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|block| block["type"].clone())
        .collect();
    assert_eq!(kinds, ["text", "image", "text"]);
    assert_eq!(mixed.get("structuredContent"), None);
}

#[test]
fn nothing_is_an_empty_list_of_content() {
    let nothing = result(&call("nothing", json!({})));
    assert_eq!(nothing["content"], json!([]));
    assert_eq!(nothing.get("structuredContent"), None);
}

#[test]
fn failures_are_results_that_the_model_sees() {
    for text in ["", "plain", "two\nlines", "<b> \"quoted\" \\ \0 🦀"] {
        assert_eq!(
            failed("fail", json!({ "how": text })),
            format!("Error: {text}")
        );
    }
    assert_eq!(
        refused(-31050, &call("fail", json!({ "how": "request" })))["message"],
        "not today"
    );
}

/// Fail with an error of a code.
#[mcp_tool]
fn fail_with(code: i32, data: Value) -> Result<(), ToolError> {
    let error = ErrorObject::new(code, "not today");
    Err(ToolError::request(error.with_data(data)))
}

#[test]
fn codes_of_the_specification_are_not_sent_for_anything_else() {
    let refused = |expected, code: i32, data: Value| {
        let request = call("fail_with", json!({ "code": code, "data": data }));
        let error = refused(expected, &request);
        assert_eq!(error["message"], "not today");
        assert_eq!(error["data"], data);
    };
    for kept in [
        -32_020, -32_021, -32_022, -32_023, -32_042, -32_099, -32_002,
    ] {
        refused(-32_603, kept, json!({"a": 1}));
    }
    for free in [
        1, 0, -1, -31_999, -32_000, -32_001, -32_003, -32_019, -32_100, -32_602, -32_603,
    ] {
        refused(free, free, json!({"a": 1}));
    }
    // What the specification means by it.
    let missing = json!({"requiredCapabilities": {"sampling": {}}});
    refused(-32_021, -32_021, missing.clone());
    refused(-32_603, -32_022, missing);
}

#[test]
fn a_tool_that_asks_in_a_way_that_nobody_can_answer_is_an_error() {
    let error = refused(-32603, &call("fail", json!({ "how": "input" })));
    assert!(
        error["message"].as_str().unwrap().contains("input"),
        "{error}"
    );
}

#[test]
fn state_that_was_never_issued_is_refused() {
    for state in ["\"forged\"", "\"\"", "{}", "7"] {
        let mut message = call("add", json!({ "a": 1, "b": 2 }));
        message["params"]["requestState"] = value(state);
        refused(-32602, &message);
    }
    for responses in ["[]", "\"{}\"", "7"] {
        let mut message = call("add", json!({ "a": 1, "b": 2 }));
        message["params"]["inputResponses"] = value(responses);
        refused(-32602, &message);
    }
}

#[test]
fn panics_are_failed_calls_without_their_words() {
    for later in [true, false] {
        assert_eq!(
            failed("panic", json!({ "later": later })),
            "Error: the tool failed"
        );
    }
    assert_eq!(failed("panic_plainly", json!({})), "Error: the tool failed");
    let server = server();
    assert!(server.call_blocking("panic_plainly", json!({})).is_error());
    assert!(
        !server
            .call_blocking("add", json!({ "a": 1, "b": 2 }))
            .is_error()
    );
}

/// Give perhaps a float that is perhaps no number.
#[mcp_tool]
fn perhaps(value: Option<f64>) -> Option<Json<f64>> {
    value.map(|value| Json(if value > 0.0 { value } else { f64::NAN }))
}

#[test]
fn a_float_that_is_no_number_is_one_behind_an_option_too() {
    assert_eq!(succeeded("perhaps", json!({ "value": 1.5 })), "1.5");
    let text = failed("perhaps", json!({ "value": 0 }));
    assert!(text.contains("NaN"), "{text}");
    assert_eq!(result(&call("perhaps", json!({})))["content"], json!([]));
    let direct = Json(f64::INFINITY).into_tool_result();
    assert!(direct.is_error && direct.structured_content.is_none());
}

/// A result that promises structure and may not give it.
struct Promise(ToolResult);

impl IntoToolResult for Promise {
    fn output_spec() -> OutputSpec {
        OutputSpec::structured::<Row>()
    }

    fn into_tool_result(self) -> ToolResult {
        self.0
    }
}

/// Promise a row.
#[mcp_tool]
fn promise(kept: bool, failed: bool) -> Promise {
    let result = ToolResult::new([ContentBlock::text("a row")]).error(failed);
    let row = json!({ "values": [], "label": null });
    Promise(if kept { result.structured(row) } else { result })
}

#[test]
fn a_promised_structure_is_there_unless_the_call_failed() {
    let text = |kept, is_error| {
        result(&call(
            "promise",
            json!({ "kept": kept, "failed": is_error }),
        ))["content"][0]["text"]
            .clone()
    };
    for (kept, is_error) in [(true, false), (true, true), (false, true)] {
        assert_eq!(text(kept, is_error), "a row");
    }
    assert_eq!(
        text(false, false),
        "Error: the tool has an output schema, but gave no structured content"
    );
}

/// A row whose serialization is not what its schema says.
struct Misdescribed(Value);

impl serde::Serialize for Misdescribed {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl schemars::JsonSchema for Misdescribed {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Misdescribed".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "properties": {"n": {"type": "integer"}},
            "required": ["n"],
            "additionalProperties": false,
        })
    }
}

/// Give what the schema of the result does not say.
#[mcp_tool]
fn misdescribed(given: Value) -> Misdescribed {
    Misdescribed(given)
}

/// The same as a result under full control.
#[mcp_tool]
async fn misdescribed_later(given: Value) -> Json<Misdescribed> {
    Json(Misdescribed(given))
}

#[test]
fn a_result_that_breaks_its_schema_is_an_error_that_names_the_fault() {
    for tool in ["misdescribed", "misdescribed_later"] {
        let called = server().call_blocking(tool, json!({"given": {"n": 1}}));
        assert_eq!(called.structured_content(), Some(&json!({"n": 1})));
        for (given, fault) in [
            (
                json!({"n": "one"}),
                "`n`: expected an integer, found the string \"one\"",
            ),
            (json!({}), "the required member `n` is missing"),
            (
                json!({"n": 1, "m": 2}),
                "unknown member `m`; the members are `n`",
            ),
            (json!([1]), "expected an object with `n`, found an array"),
        ] {
            let called = server().call_blocking(tool, json!({ "given": given }));
            assert!(called.is_error(), "{tool} {given}");
            assert_eq!(called.structured_content(), None);
            assert_eq!(
                called.text(),
                format!("Error: the result of the tool does not fit its output schema: {fault}")
            );
        }
    }
}

#[test]
fn an_answer_that_no_value_can_hold_is_an_error_and_stays_bytes() {
    let schema = json!({ "type": "object" });
    let server = mcp_runtime::server!()
        .register_tool("huge", "Give a huge number.", schema, |_: Value| {
            Ok::<_, ToolError>([serde_json::value::RawValue::from_string("1e400".into())?])
        })
        .build()
        .unwrap();
    let message = call("huge", json!({}));
    let answer = server.handle_request(&message).unwrap();
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    let mut answer = Vec::new();
    server.handle_message_blocking(message.to_string().as_bytes(), &mut answer);
    let answer = String::from_utf8(answer).unwrap();
    assert!(
        answer.contains(r#""structuredContent":[1e400]"#),
        "{answer}"
    );
}

#[test]
fn masked_errors_say_nothing() {
    let server = mcp_runtime::server!().mask_errors().build().unwrap();
    assert_eq!(
        server
            .call_blocking("fail", json!({ "how": "password 123" }))
            .text(),
        "Error: the tool failed"
    );
    assert!(
        server
            .call_blocking("fail", json!({}))
            .text()
            .contains("how"),
        "faults of the caller stay"
    );
}

#[test]
fn a_handler_may_wait_on_either_face() {
    assert_eq!(
        result(&call("wait", json!({ "text": "x" })))["content"][0]["text"],
        "x"
    );
    let server = server();
    let message = call("wait", json!({ "text": "x" }));
    let mut handled = Box::pin(server.handle(&message));
    let mut context = Context::from_waker(Waker::noop());
    let answer = (0..10).find_map(|_| match handled.as_mut().poll(&mut context) {
        Poll::Ready(answer) => answer,
        Poll::Pending => None,
    });
    assert_eq!(answer, server.handle_request(&message));
}

#[test]
fn a_call_that_takes_too_long_is_an_error_of_the_request() {
    let server = mcp_runtime::server!()
        .call_timeout(std::time::Duration::from_millis(1))
        .register_tool(
            "never",
            "Never answer.",
            json!({ "type": "object" }),
            |_: Value| async { std::future::pending::<Result<(), ToolError>>().await },
        )
        .build()
        .unwrap();
    let outcome = server.call_blocking("never", json!({}));
    assert_eq!(outcome.error().unwrap()["code"], -32603);
    assert_eq!(outcome.text(), "tool timed out");
}

#[test]
fn a_refused_call_runs_nothing() {
    let ran = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&ran);
    let schema = json!({ "type": "object", "properties": { "x": { "type": "integer" } }, "required": ["x"] });
    let server = mcp_runtime::server!()
        .register_tool("count", "Count.", schema, move |_: Value| {
            Ok::<_, ToolError>(count.fetch_add(1, Ordering::Relaxed))
        })
        .build()
        .unwrap();
    let mut forged = call("count", json!({ "x": 1 }));
    forged["params"]["requestState"] = json!("forged");
    for message in [
        call("count", json!({})),
        call("count", json!({ "x": "1" })),
        call("count", json!([])),
        forged,
    ] {
        assert!(server.handle_request(&message).is_some());
    }
    assert_eq!(ran.load(Ordering::Relaxed), 0);
    assert_eq!(server.call_blocking("count", json!({ "x": 1 })).text(), "0");
}
