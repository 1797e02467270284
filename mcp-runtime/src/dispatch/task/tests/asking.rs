//! Tasks that ask, remember, and begin as calls.

use serde_json::{Value, json};

use super::*;
use crate::task::TaskId;
use crate::task::tests::wait;

fn accepted(name: &str) -> Value {
    json!({"action": "accept", "content": {"name": name}})
}

fn keys(task: &Value) -> Vec<&str> {
    let asked = task.get("inputRequests").and_then(Value::as_object);
    let asked = asked.into_iter().flatten();
    asked.map(|(key, _)| key.as_str()).collect()
}

#[test]
fn a_task_waits_for_its_answers_one_by_one() {
    let process = Process::on(&memory(), &world());
    process.gate.add_permits(1);
    let id = process.begin("converse", json!({}));
    process.bench.settle();
    let task = process.get(&id);
    assert_eq!(task["status"], "input_required");
    assert_eq!(keys(&task), ["first", "last"]);
    let request = &task["inputRequests"]["first"];
    assert_eq!(request["method"], "elicitation/create");
    assert_eq!(request["params"]["message"], "Your first name?");
    // Unknown keys are ignored, whatever stands under them.
    let acknowledged = process.answer(&id, json!({"other": {"ignored": true}}));
    assert_eq!(acknowledged["result"]["resultType"], "complete");
    assert_eq!(keys(&process.get(&id)), ["first", "last"]);
    // The effect is seen at once, before the task has even heard of it.
    process.answer(&id, json!({"first": accepted("Ada")}));
    let task = process.get(&id);
    assert_eq!(
        (&task["status"], keys(&task)),
        (&json!("input_required"), vec!["last"])
    );
    process.bench.settle();
    assert_eq!(keys(&process.get(&id)), ["last"]);
    // What is answered is answered.
    process.answer(
        &id,
        json!({"first": accepted("Eve"), "last": {"action": "decline"}}),
    );
    assert_eq!(process.get(&id)["status"], "working");
    process.bench.settle();
    let task = process.get(&id);
    assert_eq!(task["result"]["content"][0]["text"], "Ada nobody 1");
    // And after the end nothing changes.
    process.answer(&id, json!({"last": accepted("L")}));
    assert_eq!(process.get(&id), task);
}

#[test]
fn what_is_no_answer_is_asked_again_under_another_key() {
    let process = Process::on(&memory(), &world());
    process.gate.add_permits(1);
    let id = process.begin("converse", json!({}));
    process.bench.settle();
    process.answer(
        &id,
        json!({"first": {"action": "accept", "content": {"name": 7}}, "last": accepted("L")}),
    );
    process.bench.settle();
    let task = process.get(&id);
    assert_eq!(keys(&task), ["first#2"]);
    process.answer(
        &id,
        json!({"first": accepted("late"), "first#2": accepted("Ada")}),
    );
    process.bench.settle();
    assert_eq!(process.get(&id)["result"]["content"][0]["text"], "Ada L 1");
}

#[test]
fn what_is_no_answer_takes_no_room_and_ends_the_task_at_last() {
    let store = memory();
    let process = Process::on(&store, &world());
    let id = process.begin("converse", json!({}));
    process.bench.settle();
    process.answer(&id, json!({"last": accepted("L")}));
    for attempt in 1..=11 {
        let key = match attempt {
            1 => "first".to_owned(),
            _ => format!("first#{attempt}"),
        };
        process.bench.settle();
        assert_eq!(keys(&process.get(&id)), [&key]);
        let mut wrong = json!({});
        wrong[&key] = json!("x".repeat(10_000));
        process.answer(&id, wrong);
        process.bench.settle();
        let stored = wait(store.load(id.parse().unwrap())).unwrap().unwrap();
        assert!(stored.content.len() < 5_000, "{}", stored.content.len());
    }
    let task = process.get(&id);
    assert_eq!(task["status"], "failed");
    assert_eq!(
        task["error"]["message"],
        "`first` is not answered after 10 attempts, which is the limit"
    );
}

/// A process whose task was given one answer and something that is none.
fn half_answered(store: &Arc<dyn TaskStore>, world: &Arc<World>) -> (Process, String) {
    let process = Process::on(store, world);
    let id = process.begin("converse", json!({}));
    process.bench.settle();
    process.answer(&id, json!({"first": 7, "last": accepted("L")}));
    process.bench.settle();
    (process, id)
}

#[test]
fn what_came_and_was_no_answer_is_none_on_later_runs_either() {
    let (store, world) = (memory(), world());
    let (first, id) = half_answered(&store, &world);
    drop(first);
    let second = Process::on(&store, &world);
    second.core.start_tasks();
    second.pass(Duration::from_secs(21));
    assert_eq!(keys(&second.get(&id)), ["first#2"]);
}

#[test]
fn what_was_asked_again_and_answered_is_not_asked_for_once_more() {
    let (store, world) = (memory(), world());
    let (first, id) = half_answered(&store, &world);
    first.answer(&id, json!({"first#2": accepted("Ada")}));
    first.bench.settle();
    assert_eq!(first.get(&id)["status"], "working", "at the gate");
    drop(first);
    let second = Process::on(&store, &world);
    second.core.start_tasks();
    second.pass(Duration::from_secs(21));
    assert_eq!(second.get(&id)["status"], "working", "at the gate");
}

#[test]
fn answers_have_to_be_an_object() {
    let process = Process::on(&memory(), &world());
    let id = process.begin("converse", json!({}));
    process.bench.settle();
    for wrong in [Value::Null, json!([]), json!("first")] {
        let refused = process.answer(&id, wrong);
        assert_eq!(refused["error"]["code"], -32_602);
    }
    let refused = process.ask("tasks/update", json!({"taskId": id}));
    assert_eq!(refused["error"]["code"], -32_602);
}

#[test]
fn a_crash_loses_no_answer_and_runs_no_step_twice() {
    let (store, world) = (memory(), world());
    let first = Process::on(&store, &world);
    let id = first.begin("converse", json!({}));
    first.bench.settle();
    // One answer is read, the other only acknowledged when the process dies.
    first.answer(&id, json!({"first": accepted("Ada")}));
    first.bench.settle();
    first.answer(&id, json!({"last": accepted("L")}));
    drop(first);
    let second = Process::on(&store, &world);
    second.core.start_tasks();
    second.pass(Duration::from_secs(21));
    assert_eq!(second.get(&id)["status"], "working", "at the gate");
    assert_eq!(second.effects.0.lock().unwrap().len(), 1);
    drop(second);
    let third = Process::on(&store, &world);
    third.gate.add_permits(1);
    third.core.start_tasks();
    third.pass(Duration::from_secs(21));
    assert_eq!(third.get(&id)["result"]["content"][0]["text"], "Ada L 1");
    assert!(third.effects.0.lock().unwrap().is_empty());
}

#[test]
fn what_was_asked_stands_until_the_next_run_asks() {
    let (store, world) = (memory(), world());
    let first = Process::on(&store, &world);
    let id = first.begin("converse", json!({}));
    first.bench.settle();
    drop(first);
    let second = Process::on(&store, &world);
    assert_eq!(keys(&second.get(&id)), ["first", "last"]);
    second.answer(
        &id,
        json!({"first": accepted("Ada"), "last": accepted("L")}),
    );
    second.gate.add_permits(1);
    second.core.start_tasks();
    second.pass(Duration::from_secs(21));
    assert_eq!(second.get(&id)["result"]["content"][0]["text"], "Ada L 1");
}

#[test]
fn a_step_that_was_cut_before_it_was_kept_has_the_same_key_on_the_next_run() {
    let (store, world) = (memory(), world());
    let first = Process::on(&store, &world);
    let id = first.begin("converse", json!({}));
    first.bench.settle();
    first.answer(
        &id,
        json!({"first": accepted("Ada"), "last": accepted("L")}),
    );
    // The step is run, and its entry never reaches the store: another process is thought to have the lease.
    let of_store: TaskId = id.parse().unwrap();
    first.bench.settle();
    let keys = first.effects.0.lock().unwrap().clone();
    drop(first);
    let mut stored = wait(store.load(of_store)).unwrap().unwrap();
    let mut content: Value = serde_json::from_str(&stored.content).unwrap();
    content["journal"]
        .as_object_mut()
        .unwrap()
        .remove("keep")
        .unwrap();
    stored.content = content.to_string();
    assert!(wait(store.replace(stored)).unwrap());
    let second = Process::on(&store, &world);
    second.gate.add_permits(1);
    second.core.start_tasks();
    second.pass(Duration::from_secs(21));
    assert_eq!(second.get(&id)["status"], "completed");
    assert_eq!(*second.effects.0.lock().unwrap(), keys);
    assert_eq!(keys.len(), 1);
}

#[test]
fn another_process_can_answer() {
    let (store, world) = (memory(), world());
    let (first, second) = (Process::on(&store, &world), Process::on(&store, &world));
    first.gate.add_permits(1);
    let id = first.begin("converse", json!({}));
    first.bench.settle();
    second.answer(
        &id,
        json!({"first": accepted("Ada"), "last": accepted("L")}),
    );
    first.pass(Duration::from_secs(6));
    assert_eq!(second.get(&id)["result"]["content"][0]["text"], "Ada L 1");
}

#[test]
fn a_question_without_the_capability_fails_the_task() {
    let process = Process::on(&memory(), &world());
    let capabilities = json!({"extensions": {TASKS_EXTENSION: {}}});
    let created = process.ask_as("tools/call", json!({"name": "converse"}), capabilities);
    let id = created["result"]["taskId"].as_str().unwrap().to_owned();
    process.bench.settle();
    let task = process.get(&id);
    assert_eq!(task["status"], "failed");
    assert_eq!(task["error"]["code"], -32_021);
}

#[test]
fn a_call_goes_on_as_a_task_with_all_that_it_has_learnt() {
    let process = Process::on(&memory(), &world());
    let call = |params: Value| process.ask("tools/call", params);
    let round = call(json!({"name": "hand_over"}));
    assert_eq!(round["result"]["resultType"], "input_required", "{round}");
    let mut answered = json!({"name": "hand_over", "inputResponses": {"name": accepted("Ada")}});
    if let Some(state) = round["result"].get("requestState") {
        answered["requestState"] = state.clone();
    }
    let created = call(answered);
    assert_eq!(created["result"]["resultType"], "task", "{created}");
    for absent in ["requestState", "inputRequests"] {
        assert_eq!(created["result"].get(absent), None);
    }
    let id = created["result"]["taskId"].as_str().unwrap();
    process.bench.settle();
    assert_eq!(keys(&process.get(id)), ["colour"]);
    process.answer(id, json!({"colour": accepted("blue")}));
    process.bench.settle();
    assert_eq!(
        process.get(id)["result"]["content"][0]["text"],
        "Ada likes blue"
    );
    assert_eq!(*process.effects.0.lock().unwrap(), ["step"]);
}

#[test]
fn with_a_client_that_knows_no_tasks_the_call_goes_on() {
    let process = Process::on(&memory(), &world());
    let call = |responses: Value| {
        let params = json!({"name": "hand_over", "inputResponses": responses});
        process.ask_as("tools/call", params, json!({"elicitation": {}}))
    };
    let answered = call(json!({"name": accepted("Ada")}));
    assert_eq!(answered["result"]["resultType"], "input_required");
    assert!(
        answered["result"]["inputRequests"].get("colour").is_some(),
        "{answered}"
    );
}

/// Claim within a step to have a long way to go.
#[mcp_tool(task = "deferred", crate = crate, group = "task-tests")]
async fn hasten(ctx: &Context) -> Result<String, ToolError> {
    let step = async {
        ctx.into_task().await?;
        Ok::<_, ToolError>("done".to_owned())
    };
    ctx.once("step", step).await
}

#[test]
fn a_step_cannot_become_a_task() {
    let process = Process::on(&memory(), &world());
    // A client without tasks shows the mistake as well.
    for capabilities in [both_capabilities(), json!({})] {
        let refused = process.ask_as("tools/call", json!({"name": "hasten"}), capabilities);
        assert_eq!(refused["error"]["code"], -32_603, "{refused}");
        assert_eq!(
            refused["error"]["message"],
            "the tool `hasten` wants to go on as a task within the step `step`, which later runs skip: \
             call `into_task` before it or after it"
        );
    }
}

#[test]
fn a_tool_that_said_nothing_of_tasks_cannot_become_one() {
    let process = Process::on(&memory(), &world());
    // A client without tasks shows the mistake as well.
    for capabilities in [both_capabilities(), json!({})] {
        let refused = process.ask_as("tools/call", json!({"name": "presume"}), capabilities);
        assert_eq!(refused["error"]["code"], -32_603, "{refused}");
        assert_eq!(
            refused["error"]["message"],
            "the tool `presume` cannot go on as a task; that takes `#[mcp_tool(task = \"deferred\")]`"
        );
    }
}

#[test]
fn a_call_that_has_to_remember_more_than_a_task_may_does_not_become_one() {
    let options = TaskOptions {
        journal: 40,
        ..TaskOptions::default()
    };
    let process = Process::with(&memory(), &world(), options, |_| true);
    let round = process.ask("tools/call", json!({"name": "hand_over"}));
    let mut answered = json!({"name": "hand_over", "inputResponses": {"name": accepted("Ada")}});
    if let Some(state) = round["result"].get("requestState") {
        answered["requestState"] = state.clone();
    }
    let refused = process.ask("tools/call", answered);
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.ends_with("bytes; the limit is 40"), "{message}");
}

/// Ask at once, and beside that once the gate opens.
#[mcp_tool(task, crate = crate, group = "task-tests")]
async fn ask_late(gate: State<Semaphore>, ctx: &Context) -> Result<String, ToolError> {
    let late = async {
        gate.acquire().await?.forget();
        ctx.elicit::<Name>("late", "And now?").await
    };
    let (early, late) = tokio::try_join!(ctx.elicit::<Name>("early", "Now?"), late)?;
    let [early, late] = [early, late].map(|name| name.accepted().map_or(String::new(), |it| it.0));
    Ok(format!("{early} {late}"))
}

#[test]
fn what_an_earlier_run_has_asked_can_be_answered_before_the_next_one_comes_to_it() {
    let (store, world) = (memory(), world());
    let first = Process::on(&store, &world);
    first.gate.add_permits(1);
    let id = first.begin("ask_late", json!({}));
    first.bench.settle();
    let asked = |process: &Process| process.get(&id)["inputRequests"].clone();
    assert_eq!(asked(&first).as_object().unwrap().len(), 2);
    drop(first);
    let second = Process::on(&store, &world);
    second.core.start_tasks();
    second.pass(Duration::from_secs(21));
    assert_eq!(asked(&second).as_object().unwrap().len(), 2, "both stand");
    second.answer(&id, json!({"late": accepted("Ada")}));
    second.bench.settle();
    assert!(asked(&second).get("late").is_none(), "it is answered");
    second.answer(&id, json!({"early": accepted("Bob")}));
    second.bench.settle();
    assert_eq!(second.get(&id)["status"], "working");
    second.gate.add_permits(1);
    second.bench.settle();
    let task = second.get(&id);
    assert_eq!(task["result"]["content"][0]["text"], "Bob Ada", "{task}");
}
