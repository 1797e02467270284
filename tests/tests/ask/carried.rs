//! Prompts and resources that ask, over two and three rounds: each round opens the state of the one before, and no other.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use mcp_runtime::prelude::*;
use mcp_runtime::{resource::CacheScope, sampling::CreateMessageRequest};
use serde_json::{Value, json};

#[derive(ElicitForm)]
struct Name {
    name: String,
}

/// How often the step of a topic has run.
static STEPS: Mutex<BTreeMap<String, u32>> = Mutex::new(BTreeMap::new());

async fn step(topic: &str) -> Result<u32, ToolError> {
    tokio::task::yield_now().await;
    let mut steps = STEPS.lock()?;
    let count = steps.entry(topic.to_owned()).or_default();
    *count += 1;
    Ok(*count)
}

async fn greet(topic: String, ctx: &Context) -> Result<String, ToolError> {
    let step = ctx.once("step", step(&topic)).await?;
    let name = ctx.elicit::<Name>("name", "Your name?").await?.accepted();
    Ok(format!(
        "{topic}, step {step}, {:?}",
        name.map(|name| name.name)
    ))
}

async fn interview(topic: String, ctx: &Context) -> Result<String, ToolError> {
    let step = ctx.once("step", step(&topic)).await?;
    let (name, visited) = tokio::try_join!(
        ctx.elicit::<Name>("name", "Your name?"),
        ctx.elicit_url("visit", "Look at this.", "https://example.com/"),
    )?;
    let question = CreateMessageRequest::new(20).user("A greeting?");
    let (greeting, roots) =
        tokio::try_join!(ctx.sample("greeting", question), ctx.list_roots("roots"),)?;
    let name = name.accepted().map(|name| name.name);
    let (greeting, root) = (greeting.text(), &roots[0].uri);
    Ok(format!(
        "{topic}, step {step}, {name:?}, {visited:?}, {greeting}, {root}"
    ))
}

/// Take a step and ask for a name.
#[mcp_prompt(name = "greet", group = "carried")]
async fn greeting_prompt(topic: String, ctx: &Context) -> Result<String, ToolError> {
    greet(topic, ctx).await
}

/// Take a step and ask for a name.
#[mcp_resource("greet://{topic}", group = "carried", ttl = "1h", cache = "public")]
async fn greeting(topic: String, ctx: &Context) -> Result<String, ToolError> {
    greet(topic, ctx).await
}

/// Take a step and ask two questions twice.
#[mcp_prompt(name = "interview", group = "carried")]
async fn interview_prompt(topic: String, ctx: &Context) -> Result<String, ToolError> {
    interview(topic, ctx).await
}

/// Take a step and ask two questions twice.
#[mcp_resource("interview://{topic}", group = "carried")]
async fn interviewed(topic: String, ctx: &Context) -> Result<String, ToolError> {
    interview(topic, ctx).await
}

fn server() -> Server {
    mcp_runtime::server!().groups(["carried"]).build().unwrap()
}

/// What asks.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Prompt,
    Resource,
}

use Kind::{Prompt, Resource};

impl Kind {
    /// The parameters of a request.
    fn request(self, name: &str, topic: &str) -> Value {
        match self {
            Prompt => json!({"name": name, "arguments": {"topic": topic}}),
            Resource => json!({"uri": format!("{name}://{topic}")}),
        }
    }

    fn send(self, server: &Server, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {
                "elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {},
            },
        });
        let method = match self {
            Prompt => "prompts/get",
            Resource => "resources/read",
        };
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        server.handle_request(&request).unwrap()
    }

    #[track_caller]
    fn text(self, answer: &Value) -> &str {
        let text = match self {
            Prompt => &answer["result"]["messages"][0]["content"]["text"],
            Resource => &answer["result"]["contents"][0]["text"],
        };
        text.as_str().unwrap_or_else(|| panic!("{answer}"))
    }

    /// A topic of no other test and kind, whose steps nobody else counts.
    fn topic(self, test: &str) -> String {
        format!("{test}-{self:?}")
    }
}

/// The next round: the same request with the state of the last one, and answers.
fn next(params: &Value, last: &Value, answers: Value) -> Value {
    let mut next = params.clone();
    next["requestState"] = last["result"]["requestState"].clone();
    next["inputResponses"] = answers;
    next
}

#[track_caller]
fn assert_asks(answer: &Value, keys: &[&str]) {
    let result = &answer["result"];
    assert_eq!(result["resultType"], "input_required", "{answer}");
    let asked = result["inputRequests"].as_object().unwrap();
    assert_eq!(asked.keys().collect::<Vec<_>>(), keys);
    assert!(result["requestState"].is_string(), "{answer}");
}

#[track_caller]
fn assert_refused(answer: &Value) {
    let error = &answer["error"];
    assert_eq!(error["code"], -32602, "{answer}");
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("requestState was not issued by this server for this request"),
        "{message}"
    );
}

fn named() -> Value {
    json!({"name": {"action": "accept", "content": {"name": "Ada"}}})
}

fn named_and_visited() -> Value {
    let mut answers = named();
    answers["visit"] = json!({"action": "accept"});
    answers
}

fn greeted_and_rooted() -> Value {
    json!({
        "greeting": {
            "role": "assistant", "content": {"type": "text", "text": "Ahoy"}, "model": "m",
        },
        "roots": {"roots": [{"uri": "file:///home"}]},
    })
}

#[test]
fn two_rounds() {
    for kind in [Prompt, Resource] {
        let server = server();
        let params = kind.request("greet", &kind.topic("two"));
        let first = kind.send(&server, params.clone());
        assert_asks(&first, &["name"]);
        let done = kind.send(&server, next(&params, &first, named()));
        assert_eq!(
            kind.text(&done),
            format!(r#"{}, step 1, Some("Ada")"#, kind.topic("two"))
        );
    }
}

#[test]
fn three_rounds() {
    for kind in [Prompt, Resource] {
        let server = server();
        let params = kind.request("interview", &kind.topic("three"));
        let first = kind.send(&server, params.clone());
        assert_asks(&first, &["name", "visit"]);
        let second = kind.send(&server, next(&params, &first, named_and_visited()));
        assert_asks(&second, &["greeting", "roots"]);
        let done = kind.send(&server, next(&params, &second, greeted_and_rooted()));
        assert_eq!(
            kind.text(&done),
            format!(
                r#"{}, step 1, Some("Ada"), Accepted(()), Ahoy, file:///home"#,
                kind.topic("three")
            )
        );
    }
}

#[test]
fn other_states_are_refused() {
    for kind in [Prompt, Resource] {
        let server = server();
        let params = kind.request("interview", &kind.topic("forged"));
        let first = kind.send(&server, params.clone());
        let good = next(&params, &first, named_and_visited());
        let state = good["requestState"].as_str().unwrap();
        let middle = state.len() / 2;
        let mut others = vec![
            json!("forged"),
            json!(""),
            json!(7),
            json!(null),
            json!(state[..middle]),
            json!(format!("{state}A")),
        ];
        for at in [0, middle] {
            let mut altered = state.to_owned();
            let other = if &state[at..=at] == "A" { "B" } else { "A" };
            altered.replace_range(at..=at, other);
            others.push(json!(altered));
        }
        let greeted = kind.send(&server, kind.request("greet", &kind.topic("forged")));
        others.push(greeted["result"]["requestState"].clone());
        let other_topic = kind.send(&server, kind.request("interview", &kind.topic("other")));
        others.push(other_topic["result"]["requestState"].clone());
        for other in others {
            let mut request = good.clone();
            request["requestState"] = other;
            assert_refused(&kind.send(&server, request));
        }
        assert_asks(&kind.send(&server, good), &["greeting", "roots"]);
    }
}

#[test]
fn a_state_is_good_for_its_own_arguments_alone() {
    let server = server();
    let params = Prompt.request("greet", "own");
    let first = Prompt.send(&server, params.clone());
    let mut other = next(&params, &first, named());
    other["arguments"]["topic"] = json!("another");
    assert_refused(&Prompt.send(&server, other));
    let done = Prompt.send(&server, next(&params, &first, named()));
    assert_eq!(Prompt.text(&done), r#"own, step 1, Some("Ada")"#);
}

#[test]
fn what_depends_on_answers_is_not_kept() {
    let server = server();
    let hints = |answer: &Value| {
        let result = &answer["result"];
        assert_eq!(result["resultType"], "complete", "{answer}");
        (result["ttlMs"].clone(), result["cacheScope"].clone())
    };
    let nothing = (json!(0), json!("private"));
    let params = Resource.request("greet", "kept");
    let first = Resource.send(&server, params.clone());
    let done = Resource.send(&server, next(&params, &first, named()));
    assert_eq!(hints(&done), nothing);
    for uri in ["kept://by-attribute", "kept://by-result"] {
        let plain = json!({ "uri": uri });
        let answer = Resource.send(&server, plain.clone());
        assert_eq!(hints(&answer), (json!(3_600_000), json!("public")));
        let mut answered = plain.clone();
        answered["inputResponses"] = json!({});
        assert_eq!(hints(&Resource.send(&server, answered)), nothing, "{uri}");
    }
}

/// Be kept for an hour.
#[mcp_resource("kept://by-attribute", group = "carried", ttl = "1h", cache = "public")]
fn by_attribute() -> &'static str {
    "kept"
}

/// Say oneself to be kept for an hour.
#[mcp_resource("kept://by-result", group = "carried")]
fn by_result() -> ResourceResult {
    ResourceResult::new([ResourceContents::text("", "kept")])
        .cache(Duration::from_secs(3600), CacheScope::Public)
}

#[test]
fn arguments_are_nothing_to_a_resource() {
    let server = server();
    for stray in [
        json!({"a": 1}),
        json!({}),
        json!([]),
        json!("x"),
        json!(null),
    ] {
        let mut params = Resource.request(
            "greet",
            &format!("stray{stray}").replace(['{', '}', '"'], "."),
        );
        params["arguments"] = stray;
        let first = Resource.send(&server, params.clone());
        assert_asks(&first, &["name"]);
        let mut without = next(&params, &first, named());
        let done = Resource.send(&server, without.clone());
        assert!(
            Resource.text(&done).ends_with(r#"step 1, Some("Ada")"#),
            "{done}"
        );
        without.as_object_mut().unwrap().remove("arguments");
        assert_eq!(
            Resource.text(&Resource.send(&server, without)),
            Resource.text(&done)
        );
    }
}
