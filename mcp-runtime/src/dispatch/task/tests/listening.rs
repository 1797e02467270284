//! Clients that listen for tasks instead of polling (SEP-2663, "Task Status Notifications").

use serde_json::{Value, json};

use super::super::record::TaskRecord;
use super::failing::Failing;
use super::*;
use crate::dispatch::{Listener, Principal, SubscriberGroup};
use crate::task::tests::wait;

/// Opens a stream; gives its acknowledgement or the error.
fn listen(
    process: &Process,
    ids: Value,
    capabilities: &Value,
    principal: Option<&str>,
) -> (Value, Option<Listener>) {
    let message = json!({
        "jsonrpc": "2.0", "id": "s", "method": "subscriptions/listen",
        "params": {
            "notifications": {"taskIds": ids},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": capabilities,
            },
        },
    })
    .to_string();
    let mut readable = Vec::new();
    let Opened::Request(request) = process.core.open(message.as_bytes(), &mut readable) else {
        panic!("{message}");
    };
    let control = CallHandle::default()
        .with_subscriber_group(SubscriberGroup::together())
        .with_principal(principal.map(Principal::new));
    let mut out = Vec::new();
    let listener = match process.core.answer(&request, &Arc::new(control), &mut out) {
        Answer::Listening(listener) => Some(listener),
        _ => None,
    };
    (serde_json::from_slice(&out).unwrap(), listener)
}

fn told(listener: &Listener) -> Vec<Value> {
    let mut all = Vec::new();
    listener.tell(|message| all.push(serde_json::from_slice(message).unwrap()));
    all
}

#[test]
fn a_listener_is_told_of_each_state_of_its_tasks() {
    let process = Process::on(&memory(), &world());
    let (id, other) = (
        process.begin("pass", json!({})),
        process.begin("pass", json!({})),
    );
    let (acknowledged, listener) = listen(
        &process,
        json!([id, "no id", id]),
        &both_capabilities(),
        None,
    );
    assert_eq!(
        acknowledged["method"],
        "notifications/subscriptions/acknowledged"
    );
    assert_eq!(
        acknowledged["params"]["notifications"],
        json!({"taskIds": [id]})
    );
    let listener = listener.unwrap();
    process.bench.settle();
    let messages = told(&listener);
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert_eq!(messages[0]["method"], "notifications/tasks");
    assert_eq!(messages[0]["params"]["statusMessage"], "at the gate");
    assert_eq!(
        messages[0]["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"],
        "s"
    );
    process.cancel(&other);
    process.gate.add_permits(1);
    process.bench.settle();
    let mut messages = told(&listener);
    assert_eq!(messages.len(), 1, "{messages:?}");
    // It is what a client would get that asks at this moment.
    let mut shown = process.get(&id);
    for task in [&mut messages[0]["params"], &mut shown] {
        let task = task.as_object_mut().unwrap();
        task.remove("_meta");
        task.remove("resultType");
    }
    assert_eq!(messages[0]["params"], shown);
    assert_eq!(shown["status"], "completed");
    assert!(told(&listener).is_empty());
}

#[test]
fn who_begins_to_listen_is_told_how_the_task_stands() {
    let process = Process::on(&memory(), &world());
    let done = process.begin("greet", json!({"name": "Ada"}));
    let asks = process.begin("converse", json!({}));
    process.bench.settle();
    let open = |principal| {
        let (_, listener) = listen(
            &process,
            json!([done, asks]),
            &both_capabilities(),
            principal,
        );
        process.bench.settle();
        listener.unwrap()
    };
    let listener = open(None);
    let messages = told(&listener);
    let states = messages.iter().map(|message| &message["params"]["status"]);
    assert_eq!(states.collect::<Vec<_>>(), ["completed", "input_required"]);
    // Another one's question is no news for the first.
    assert_eq!(told(&open(None)).len(), 2);
    assert!(told(&listener).is_empty());
    assert!(told(&open(Some("eve"))).is_empty());
}

#[test]
fn what_is_told_too_late_is_not_told_behind_what_is_newer() {
    let process = Process::on(&memory(), &world());
    let id = process.begin("greet", json!({"name": "Ada"}));
    let stored = wait(
        process
            .core
            .tasks
            .as_ref()
            .unwrap()
            .store
            .load(id.parse().unwrap()),
    );
    let old = stored.unwrap().unwrap();
    let (_, listener) = listen(&process, json!([id]), &both_capabilities(), None);
    process.bench.settle();
    let listener = listener.unwrap();
    assert_eq!(told(&listener)[0]["params"]["status"], "completed");
    TaskRecord::read(&old).unwrap().tell(&process.core, &old);
    assert!(told(&listener).is_empty());
}

#[test]
fn listening_for_tasks_takes_the_extension() {
    let process = Process::on(&memory(), &world());
    let (refused, listener) = listen(&process, json!(["0".repeat(32)]), &json!({}), None);
    assert_eq!(refused["error"]["code"], -32_021);
    assert!(listener.is_none());
    let (refused, _) = listen(&process, json!("id"), &both_capabilities(), None);
    assert_eq!(refused["error"]["code"], -32_602);
}

#[test]
fn nobody_hears_of_tasks_of_another_principal() {
    let process = Process::on(&memory(), &world());
    let id = process.begin("pass", json!({}));
    let (_, listener) = listen(&process, json!([id]), &both_capabilities(), Some("eve"));
    process.bench.settle();
    assert!(told(&listener.unwrap()).is_empty());
}

#[test]
fn who_listens_to_one_process_hears_of_what_another_does() {
    let (store, world) = (memory(), world());
    let (first, second) = (Process::on(&store, &world), Process::on(&store, &world));
    let (id, other) = (
        first.begin("pass", json!({})),
        first.begin("pass", json!({})),
    );
    let (_, listener) = listen(&second, json!([id]), &both_capabilities(), None);
    let (_, stranger) = listen(&second, json!([id]), &both_capabilities(), Some("eve"));
    let (listener, stranger) = (listener.unwrap(), stranger.unwrap());
    second.bench.settle();
    assert_eq!(told(&listener)[0]["params"].get("statusMessage"), None);
    first.bench.settle();
    first.cancel(&other);
    second.pass(Duration::from_secs(6));
    let messages = told(&listener);
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert_eq!(messages[0]["params"]["statusMessage"], "at the gate");
    // What has not changed is not told again.
    second.pass(Duration::from_secs(6));
    assert!(told(&listener).is_empty());
    first.gate.add_permits(1);
    first.bench.settle();
    second.pass(Duration::from_secs(6));
    assert_eq!(told(&listener)[0]["params"]["status"], "completed");
    assert!(told(&stranger).is_empty());
}

#[test]
fn what_changes_no_more_is_not_looked_at_again() {
    let store = Arc::new(Failing::default());
    let process = Process::on(&(Arc::clone(&store) as Arc<_>), &world());
    let done = process.begin("greet", json!({"name": "Ada"}));
    let unknown = "0".repeat(32);
    process.bench.settle();
    let (_, listener) = listen(&process, json!([done, unknown]), &both_capabilities(), None);
    process.pass(Duration::from_secs(6));
    let loads = store.loads.load(Ordering::Relaxed);
    process.pass(Duration::from_secs(30));
    assert_eq!(store.loads.load(Ordering::Relaxed), loads);
    drop(listener);
}
