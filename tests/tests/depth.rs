//! Results, questions and arguments that are nested very deep, on threads with small stacks: each is refused with its place,
//! and the process lives on.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::pin::pin;
use std::task::{Context as Task, Poll, Waker};

use mcp_runtime::prelude::*;
use mcp_runtime::{
    Profile, Server,
    content::{ContentBlock, ResourceContents, TextContent},
    prompt::{PromptMessage, PromptResult},
    resource::ResourceResult,
    sampling::CreateMessageRequest,
};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// What the README promises of the stack that a call needs.
const STACK: usize = if cfg!(debug_assertions) {
    1024 * 1024
} else {
    256 * 1024
};

/// Deeper than any stack, be it by the frames of a serializer or by those of a drop.
const ABYSS: usize = 200_000;

/// The limit of results.
const LIMIT: usize = 128;

#[mcp_type]
struct Tree {
    children: Vec<Self>,
}

#[mcp_type]
struct Link {
    next: Option<Box<Self>>,
}

/// It recurses without any array or object.
#[derive(serde::Serialize)]
struct Wrapped(Option<Box<Self>>);

#[mcp_type]
enum Expression {
    Not(Box<Self>),
    And { both: (Box<Self>, Box<Self>) },
    Yes,
}

/// `levels` arrays and objects within each other.
fn tree(levels: usize) -> Tree {
    let mut tree = Tree { children: vec![] };
    for _ in 1..levels / 2 {
        tree = Tree {
            children: vec![tree],
        };
    }
    tree
}

fn value(levels: usize) -> Value {
    let mut value = json!([]);
    for _ in 1..levels {
        value = Value::Array(vec![value]);
    }
    value
}

fn meta(levels: usize) -> serde_json::Map<String, Value> {
    [("example.com/deep".to_owned(), value(levels))]
        .into_iter()
        .collect()
}

/// A tree.
#[mcp_tool]
fn deep_tree(levels: usize) -> Tree {
    tree(levels)
}

/// A tree, later.
#[mcp_tool]
async fn later_tree(levels: usize) -> Result<Tree, String> {
    Ok(tree(levels))
}

/// A list by links.
#[mcp_tool]
fn deep_link(levels: usize) -> Link {
    let mut link = Link { next: None };
    for _ in 1..levels {
        link = Link {
            next: Some(Box::new(link)),
        };
    }
    link
}

/// An expression.
#[mcp_tool]
fn deep_expression(levels: usize) -> Expression {
    let mut expression = Expression::Yes;
    for level in 0..levels {
        expression = if level % 2 == 0 {
            Expression::Not(Box::new(expression))
        } else {
            Expression::And {
                both: (Box::new(Expression::Yes), Box::new(expression)),
            }
        };
    }
    expression
}

/// A free value.
#[mcp_tool]
fn deep_value(levels: usize) -> Json<Value> {
    Json(value(levels))
}

/// A result under full control.
#[mcp_tool]
fn deep_result(levels: usize) -> ToolResult {
    ToolResult::new([ContentBlock::text("deep")]).structured(value(levels))
}

/// A result with metadata.
#[mcp_tool]
fn deep_meta(levels: usize) -> ToolResult {
    ToolResult::new([ContentBlock::text("deep")]).with_meta(meta(levels))
}

/// A block with metadata.
#[mcp_tool]
fn deep_block(levels: usize) -> TextContent {
    let mut block = TextContent::new("deep");
    block.meta = Some(meta(levels));
    block
}

/// A question in the tool's own words.
#[mcp_tool]
fn deep_question(levels: usize, ctx: &Context) -> Result<String, ToolError> {
    let _ = ctx;
    Err(InputRequired::new(meta(levels)).into())
}

/// A step.
#[mcp_tool]
async fn deep_step(levels: usize, ctx: &Context) -> Result<String, ToolError> {
    let made: Value = ctx
        .once("make", async { Ok::<_, ToolError>(value(levels)) })
        .await?;
    drop(made);
    Ok("made".into())
}

/// Count a tree.
#[mcp_tool]
fn count(tree: Tree) -> usize {
    1 + tree.children.into_iter().map(count).sum::<usize>()
}

/// A free argument.
#[mcp_tool]
fn free(value: &[Value]) -> usize {
    value.len()
}

/// A prompt.
#[mcp_prompt]
fn deep_prompt(levels: &str) -> PromptResult {
    let mut result = PromptResult::new([PromptMessage::user("deep")]);
    result.meta = Some(meta(levels.parse().unwrap_or(1)));
    result
}

/// A tree to read.
#[mcp_resource("deep://tree/{levels}")]
fn read_tree(levels: usize) -> Json<Tree> {
    Json(tree(levels))
}

/// Contents with metadata.
#[mcp_resource("deep://meta/{levels}")]
fn read_meta(levels: usize) -> ResourceResult {
    let mut contents = ResourceContents::text("", "deep");
    contents.meta = Some(meta(levels));
    ResourceResult::new([contents])
}

fn server() -> ServerBuilder {
    let schema = || json!({"type": "object", "properties": {"levels": {"type": "integer"}}});
    let levels = |arguments: &Value| arguments["levels"].as_u64().unwrap_or(1) as usize;
    mcp_runtime::server!()
        .max_json_depth(120)
        .register_tool("free_value", "A value.", schema(), move |it: Value| {
            Ok::<_, ToolError>(value(levels(&it)))
        })
        .register_tool("deep_wrapped", "Nothing.", schema(), move |it: Value| {
            let mut wrapped = Wrapped(None);
            for _ in 1..levels(&it) {
                wrapped = Wrapped(Some(Box::new(wrapped)));
            }
            Ok::<_, ToolError>(wrapped)
        })
        .register_tool("raw_value", "JSON text.", schema(), move |it: Value| {
            let levels = levels(&it);
            let text = ["[".repeat(levels), "]".repeat(levels)].concat();
            Ok::<_, ToolError>(RawValue::from_string(text).unwrap())
        })
        .register_prompt(
            "free_prompt",
            "A prompt.",
            [],
            |_: BTreeMap<String, String>| {
                let mut result = PromptResult::new([PromptMessage::user("deep")]);
                result.meta = Some(meta(ABYSS));
                Ok::<_, ToolError>(result)
            },
        )
}

/// Runs a test on a thread with a small stack.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(test);
    thread.unwrap().join().unwrap();
}

fn built() -> Server {
    server().build().unwrap()
}

/// What gives a result of so many levels.
const TOOLS: [&str; 7] = [
    "deep_tree",
    "later_tree",
    "deep_link",
    "deep_value",
    "deep_result",
    "free_value",
    "raw_value",
];

#[test]
fn results_of_128_levels_are_sent() {
    on_a_small_stack(|| {
        let server = built();
        for tool in TOOLS {
            let called = server.call_blocking(tool, json!({"levels": LIMIT}));
            assert!(!called.is_error(), "{tool}: {}", called.text());
            let content = called.structured_content().unwrap();
            let mut levels = 0;
            let mut inner = Some(content);
            while let Some(value) = inner {
                levels += usize::from(value.is_array() || value.is_object());
                inner = value
                    .get(0)
                    .or_else(|| value.get("children"))
                    .or_else(|| value.get("next"));
            }
            assert_eq!(levels, LIMIT, "{tool}");
        }
    });
}

#[test]
fn deeper_results_are_errors_that_name_the_place() {
    on_a_small_stack(|| {
        let server = built();
        for levels in [LIMIT + 2, 2_000, ABYSS] {
            for tool in TOOLS {
                let called = server.call_blocking(tool, json!({"levels": levels}));
                assert!(called.is_error(), "{tool}");
                assert_eq!(called.result().unwrap()["isError"], true, "{tool}");
                let text = called.text();
                assert!(text.ends_with("nested deeper than 128 levels"), "{text}");
                let place = match tool {
                    "deep_tree" | "later_tree" => "`children[0].children[0]",
                    "deep_link" => "`next.next",
                    // The text of JSON has no places within.
                    "raw_value" => "cannot be sent: nested",
                    _ => "`[0][0]",
                };
                assert!(text.contains(place), "{tool}: {text}");
            }
        }
    });
}

#[test]
fn types_that_recurse_without_arrays_and_objects_are_bounded() {
    on_a_small_stack(|| {
        let server = built();
        for levels in [2_000, ABYSS] {
            for tool in ["deep_wrapped", "deep_expression"] {
                let called = server.call_blocking(tool, json!({"levels": levels}));
                assert!(called.is_error(), "{tool}");
                assert!(called.text().ends_with("levels"), "{}", called.text());
            }
        }
    });
}

#[test]
fn metadata_is_bounded_like_the_result() {
    on_a_small_stack(|| {
        let server = built();
        for tool in ["deep_meta", "deep_block"] {
            let called = server.call_blocking(tool, json!({"levels": 100}));
            assert!(!called.is_error(), "{tool}: {}", called.text());
            let called = server.call_blocking(tool, json!({"levels": ABYSS}));
            assert!(called.is_error(), "{tool}");
            assert!(called.text().ends_with("128 levels"), "{}", called.text());
        }
    });
}

#[test]
fn prompts_and_resources_are_bounded_like_tools() {
    on_a_small_stack(|| {
        let server = built();
        let prompt =
            server.get_prompt_blocking("deep_prompt", json!({"levels": ABYSS.to_string()}));
        assert_eq!(prompt["code"], -32603, "{prompt}");
        let prompt = server.get_prompt_blocking("free_prompt", json!({}));
        assert_eq!(prompt["code"], -32603, "{prompt}");
        for uri in ["deep://tree", "deep://meta"] {
            let contents = server.read_resource_blocking(&format!("{uri}/100"));
            assert!(contents["contents"][0]["text"].is_string(), "{contents}");
            let contents = server.read_resource_blocking(&format!("{uri}/{ABYSS}"));
            assert_eq!(contents["code"], -32603, "{contents}");
        }
    });
}

#[test]
fn questions_and_steps_are_bounded() {
    on_a_small_stack(|| {
        for profile in [Profile::Strict, Profile::Contract] {
            let server = server().profile(profile).build().unwrap();
            let called = server.call_blocking("deep_question", json!({"levels": ABYSS}));
            assert!(called.is_error());
            assert!(called.text().contains("128 levels"), "{}", called.text());
        }
        let server = built();
        let made = server.call_blocking("deep_step", json!({"levels": LIMIT}));
        assert_eq!(made.text(), "made");
        let made = server.call_blocking("deep_step", json!({"levels": ABYSS}));
        assert!(made.text().contains("128 levels"), "{}", made.text());
    });
}

/// Ask the model with a deep request.
#[mcp_tool]
async fn deep_sample(levels: usize, ctx: &Context) -> Result<String, ToolError> {
    let mut request = CreateMessageRequest::new(5).user("?");
    request.metadata = Some(meta(levels));
    let answer = ctx.sample("model", request).await?;
    Ok(answer.model)
}

/// What the user fills in.
#[derive(ElicitForm)]
struct Form {
    /// A name.
    name: String,
}

/// Ask for a name.
#[mcp_tool]
async fn name(ctx: &Context) -> Result<String, ToolError> {
    let named = ctx.elicit::<Form>("form", "?").await?;
    Ok(named.accepted().map(|form| form.name).unwrap_or_default())
}

#[test]
fn what_is_asked_and_answered_in_process_is_bounded() {
    on_a_small_stack(|| {
        let server = built();
        let answer =
            json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": "!"}});
        let client = server.client().sampling("model", answer);
        let asked = client
            .call_blocking("deep_sample", json!({"levels": 100}))
            .unwrap();
        assert_eq!(asked.text(), "m");
        let asked = client
            .call_blocking("deep_sample", json!({"levels": ABYSS}))
            .unwrap();
        assert!(asked.text().contains("128 levels"), "{}", asked.text());
        let error = server
            .client()
            .answer("form", value(ABYSS))
            .call_blocking("name", json!({}))
            .unwrap_err();
        assert!(
            error.to_string().ends_with("nested deeper than 128 levels"),
            "{error}"
        );
    });
}

#[test]
fn schemas_given_by_hand_are_bounded() {
    on_a_small_stack(|| {
        let deep = || {
            let mut schema = json!({"type": "object"});
            schema["properties"] = value(ABYSS);
            schema
        };
        let handler = |it: Value| Ok::<_, ToolError>(it);
        for profile in [Profile::Strict, Profile::Contract] {
            let error = server()
                .profile(profile)
                .register_tool("deep", "Deep.", deep(), handler)
                .build()
                .unwrap_err();
            assert!(
                error.to_string().ends_with("nested deeper than 128 levels"),
                "{error}"
            );
        }
        for name in ["deep", "not a name"] {
            assert!(
                built()
                    .register_tool(name, "Deep.", deep(), handler)
                    .is_err()
            );
        }
    });
}

/// A type whose schema is very deep.
struct Bottomless;

impl schemars::JsonSchema for Bottomless {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Bottomless".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut schema = schemars::Schema::default();
        schema.insert("const".into(), value(ABYSS));
        schema
    }
}

impl serde::Serialize for Bottomless {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

/// Give a type whose schema is very deep.
#[mcp_tool(group = "bottomless")]
fn bottomless() -> Bottomless {
    Bottomless
}

#[test]
fn schemas_of_types_are_bounded() {
    on_a_small_stack(|| {
        let error = server().groups(["bottomless"]).build().unwrap_err();
        assert!(
            error.to_string().ends_with("nested deeper than 256 levels"),
            "{error}"
        );
    });
}

#[test]
fn arguments_as_deep_as_a_message_may_be_are_served() {
    on_a_small_stack(|| {
        let server = built();
        // Four levels stand around the arguments of a call.
        let called = server.call_blocking("count", json!({"tree": tree(116)}));
        assert_eq!(called.text(), "58");
        let called = server.call_blocking("free", json!({"value": value(116)}));
        assert_eq!(called.text(), "1");
    });
}

#[test]
fn repaired_arguments_are_no_deeper_than_others() {
    on_a_small_stack(|| {
        let server = server().coerce_arguments().build().unwrap();
        for levels in [200, 100_000] {
            let text = ["[".repeat(levels), "]".repeat(levels)].concat();
            let called = server.call_blocking("free", json!({"value": text}));
            assert!(called.is_error());
            let children = r#"{"children":["#.repeat(levels);
            let text = [children, "]}".repeat(levels)].concat();
            let called = server.call_blocking("count", json!({"tree": text}));
            assert!(called.is_error());
        }
    });
}

#[test]
fn every_entry_in_process_refuses_deep_messages() {
    on_a_small_stack(|| {
        let server = built();
        let mut deep = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
            "name": "free",
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        }});
        // Put in its place, since `json!` would copy it and recurse.
        deep["params"]["arguments"] = value(ABYSS);
        let answers = [
            server.handle_request(&deep),
            ready(server.handle(&deep)),
            Some(
                server
                    .call_blocking("free", value(ABYSS))
                    .response()
                    .clone(),
            ),
            Some(ready(server.call("free", value(ABYSS))).response().clone()),
            Some(json!({"error": server.get_prompt_blocking("deep_prompt", value(ABYSS))})),
            Some(
                server
                    .client()
                    .call_blocking("free", value(ABYSS))
                    .unwrap()
                    .response()
                    .clone(),
            ),
        ];
        for answer in answers {
            let answer = answer.unwrap();
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(message.contains("nested deeper than 120"), "{answer}");
        }
        // Only its own maker can drop it, by any means it has.
        std::mem::forget(deep);
        let text = ["[".repeat(ABYSS), "]".repeat(ABYSS)].concat();
        let mut out = Vec::new();
        server.handle_message_blocking(text.as_bytes(), &mut out);
        assert!(String::from_utf8(out).unwrap().contains("nested deeper"));
    });
}

/// The end of a future that never waits.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Task::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("it has to be ready"),
    }
}
