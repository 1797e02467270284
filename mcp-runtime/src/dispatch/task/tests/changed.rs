//! Tasks that go on in another version of their program, which asks something else.

use serde_json::{Value, json};

use super::*;
use crate::task::TaskId;
use crate::task::tests::wait;

/// Fits the same answers as a name.
struct Nickname(String);

impl ElicitForm for Nickname {
    fn requested_schema() -> &'static str {
        r#"{"type":"object","properties":{"name":{"type":"string","title":"Nickname"}},"required":["name"]}"#
    }

    fn from_content(
        content: &serde_json::value::RawValue,
    ) -> Result<Self, Vec<crate::form::FormFault>> {
        Name::from_content(content).map(|Name(name)| Self(name))
    }
}

/// Which version of the program this is stands where its effects do.
fn is_version(effects: &Effects, version: &str) -> bool {
    effects.0.lock().unwrap().iter().any(|it| it == version)
}

/// Ask, and then again something else.
#[mcp_tool(task, crate = crate, group = "task-tests")]
async fn rename(effects: State<Effects>, ctx: &Context) -> Result<String, ToolError> {
    let answer = if is_version(&effects, "other form") {
        let name = ctx.elicit::<Nickname>("name", "Your nickname?").await?;
        name.accepted().map(|Nickname(name)| name)
    } else {
        let words = is_version(&effects, "other words").then_some("What is your name?");
        let name = ctx.elicit::<Name>("name", words.unwrap_or("Your name?"));
        name.await?.accepted().map(|Name(name)| name)
    };
    Ok(format!("called {answer:?}"))
}

/// A task that asks, and whose process is gone.
fn begun(store: &Arc<dyn TaskStore>, world: &Arc<World>) -> String {
    let first = Process::on(store, world);
    let id = first.begin("rename", json!({}));
    first.bench.settle();
    assert_eq!(message_of(&first.get(&id)), "Your name?");
    id
}

fn next_version(store: &Arc<dyn TaskStore>, world: &Arc<World>, version: &str) -> Process {
    let next = Process::on(store, world);
    next.effects.0.lock().unwrap().push(version.to_owned());
    next
}

fn message_of(task: &Value) -> &str {
    let message = &task["inputRequests"]["name"]["params"]["message"];
    message.as_str().unwrap_or_else(|| panic!("{task}"))
}

fn ada() -> Value {
    json!({"name": {"action": "accept", "content": {"name": "Ada"}}})
}

fn go_on(process: &Process) {
    process.core.start_tasks();
    process.pass(Duration::from_secs(21));
}

#[track_caller]
fn assert_refused(task: &Value) {
    assert_eq!(task["status"], "failed", "{task}");
    let message = task["error"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("the client was asked a form ") && message.contains(" under `name`"),
        "{message}"
    );
}

#[test]
fn a_question_that_stands_is_not_taken_for_another_one() {
    let (store, world) = (memory(), world());
    let id = begun(&store, &world);
    let next = next_version(&store, &world, "other form");
    go_on(&next);
    assert_refused(&next.get(&id));
}

#[test]
fn an_answer_is_not_taken_for_one_to_another_question() {
    let (store, world) = (memory(), world());
    let id = begun(&store, &world);
    let next = next_version(&store, &world, "other form");
    next.answer(&id, ada());
    go_on(&next);
    assert_refused(&next.get(&id));
}

#[test]
fn a_question_in_other_words_is_shown_in_these() {
    let (store, world) = (memory(), world());
    let id = begun(&store, &world);
    let next = next_version(&store, &world, "other words");
    go_on(&next);
    assert_eq!(message_of(&next.get(&id)), "What is your name?");
    next.answer(&id, ada());
    next.bench.settle();
    let text = next.get(&id)["result"]["content"][0]["text"].take();
    assert_eq!(text, r#"called Some("Ada")"#);
}

#[test]
fn a_record_that_does_not_say_what_was_answered_is_read_all_the_same() {
    let (store, world) = (memory(), world());
    let id = begun(&store, &world);
    let next = Process::on(&store, &world);
    next.answer(&id, ada());
    let mut stored = wait(store.load(id.parse::<TaskId>().unwrap()))
        .unwrap()
        .unwrap();
    let mut content: Value = serde_json::from_str(&stored.content).unwrap();
    content
        .as_object_mut()
        .unwrap()
        .remove("subjects")
        .expect("this program says it");
    stored.content = content.to_string();
    assert!(wait(store.replace(stored)).unwrap());
    go_on(&next);
    let text = next.get(&id)["result"]["content"][0]["text"].take();
    assert_eq!(text, r#"called Some("Ada")"#);
}
