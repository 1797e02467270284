//! What a client sees of a task, from its beginning to its end.

use serde_json::json;

use super::*;

#[test]
fn a_task_is_there_when_it_is_told_and_ends_with_its_result() {
    let process = Process::on(&memory(), &world());
    let created = process.ask(
        "tools/call",
        json!({"name": "greet", "arguments": {"name": "Ada"}}),
    );
    let created = &created["result"];
    assert_eq!(created["status"], "working");
    assert_eq!(created["createdAt"], "1970-01-01T00:16:40.000Z");
    assert_eq!(created["lastUpdatedAt"], created["createdAt"]);
    assert_eq!(created["ttlMs"], 86_400_000);
    assert_eq!(created["pollIntervalMs"], 1_000);
    for absent in ["result", "error", "inputRequests", "requestState"] {
        assert_eq!(created.get(absent), None);
    }
    let id = created["taskId"].as_str().unwrap();
    assert_eq!(process.get(id)["status"], "working");
    process.bench.settle();
    let task = process.get(id);
    assert_eq!(task["status"], "completed");
    assert_eq!(task["result"]["content"][0]["text"], "Hello, Ada!");
    assert_eq!(task["result"]["resultType"], "complete");
    assert_eq!(task.get("error"), None);
}

#[test]
fn a_client_without_the_extension_gets_calls_and_refusals() {
    let process = Process::on(&memory(), &world());
    let call = |name| json!({"name": name, "arguments": {"name": "Ada"}});
    let plain = process.ask_as("tools/call", call("greet"), json!({}));
    assert_eq!(plain["result"]["content"][0]["text"], "Hello, Ada!");
    let required = json!({"extensions": {TASKS_EXTENSION: {}}});
    for (method, params) in [
        ("tools/call", json!({"name": "watch"})),
        ("tasks/get", json!({"taskId": "gate-test"})),
        ("tasks/update", json!({"taskId": 7})),
        ("tasks/cancel", json!({})),
    ] {
        let refused = process.ask_as(method, params, json!({"extensions": {}}));
        assert_eq!(refused["error"]["code"], -32_021, "{method}");
        assert_eq!(refused["error"]["data"]["requiredCapabilities"], required);
    }
}

#[test]
fn ids_that_were_not_given_out_are_unknown() {
    let process = Process::on(&memory(), &world());
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        for id in [
            json!("tasks-conformance-nonexistent-12345"),
            json!("0".repeat(32)),
        ] {
            let params = json!({"taskId": id, "inputResponses": {}});
            let unknown = process.ask(method, params);
            assert_eq!(unknown["error"]["code"], -32_602);
            assert_eq!(
                unknown["error"]["message"],
                "Invalid params: task not found"
            );
        }
        for params in [json!({}), json!({"taskId": 7}), json!({"taskId": null})] {
            assert_eq!(process.ask(method, params)["error"]["code"], -32_602);
        }
    }
    for method in ["tasks/list", "tasks/result"] {
        assert_eq!(process.ask(method, json!({}))["error"]["code"], -32_601);
    }
}

#[test]
fn arguments_that_do_not_fit_are_told_at_once() {
    let process = Process::on(&memory(), &world());
    let answer = process.ask("tools/call", json!({"name": "greet", "arguments": {}}));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert_eq!(answer["result"]["resultType"], "complete");
}

#[test]
fn a_failing_tool_completes_and_a_failing_request_fails() {
    let process = Process::on(&memory(), &world());
    let run = |how| {
        let id = process.begin("fail", json!({"how": how}));
        process.bench.settle();
        process.get(&id)
    };
    let task = run("tool");
    assert_eq!(task["status"], "completed");
    assert_eq!(task["result"]["isError"], true);
    assert_eq!(task["result"]["content"][0]["text"], "Error: no");
    let task = run("panic");
    assert_eq!(task["status"], "completed");
    assert_eq!(
        task["result"]["content"][0]["text"],
        "Error: the tool failed"
    );
    let task = run("request");
    assert_eq!(task["status"], "failed");
    assert_eq!(
        task["error"],
        json!({"code": -32_603, "message": "no quota left"})
    );
    assert_eq!(task["statusMessage"], "no quota left");
    assert_eq!(task.get("result"), None);
}

#[test]
fn a_cancelled_task_stops_where_it_waits() {
    let process = Process::on(&memory(), &world());
    let id = process.begin("pass", json!({}));
    process.bench.settle();
    let acknowledged = process.cancel(&id);
    let members = acknowledged["result"].as_object().unwrap();
    assert_eq!(members.keys().collect::<Vec<_>>(), ["_meta", "resultType"]);
    process.bench.settle();
    assert_eq!(process.get(&id)["status"], "cancelled");
    // Again, and after the end, it is acknowledged all the same.
    assert_eq!(process.cancel(&id), acknowledged);
    process.gate.add_permits(1);
    process.bench.settle();
    assert_eq!(process.get(&id)["status"], "cancelled");
}

#[test]
fn a_tool_that_watches_its_cancellation_has_the_last_word() {
    let process = Process::on(&memory(), &world());
    let id = process.begin("watch", json!({}));
    process.bench.settle();
    assert_eq!(process.get(&id)["status"], "working");
    process.cancel(&id);
    process.bench.settle();
    let task = process.get(&id);
    assert_eq!(task["status"], "completed");
    assert_eq!(task["result"]["content"][0]["text"], "seen");
}

#[test]
fn what_a_tool_says_of_itself_is_seen_while_it_waits() {
    let process = Process::on(&memory(), &world());
    let id = process.begin("pass", json!({}));
    assert_eq!(process.get(&id).get("statusMessage"), None);
    process.bench.settle();
    assert_eq!(process.get(&id)["statusMessage"], "at the gate");
    process.gate.add_permits(1);
    process.bench.settle();
    let task = process.get(&id);
    assert_eq!(
        (&task["status"], &task["statusMessage"]),
        (&json!("completed"), &json!("at the gate"))
    );
}

#[test]
fn the_limit_of_the_tool_holds_for_its_tasks() {
    let process = Process::on(&memory(), &world());
    let id = process.begin("linger", json!({}));
    process.pass(Duration::from_millis(1_900));
    assert_eq!(process.get(&id)["status"], "working");
    process.pass(Duration::from_millis(200));
    let task = process.get(&id);
    assert_eq!(task["status"], "failed");
    assert_eq!(
        task["error"],
        json!({"code": -32_603, "message": "tool timed out"})
    );
    // Without a limit of its own a task has none.
    let id = process.begin("pass", json!({}));
    process.pass(Duration::from_secs(120));
    assert_eq!(process.get(&id)["status"], "working");
}

#[test]
fn a_server_with_tasks_says_so() {
    let process = Process::on(&memory(), &world());
    let discovered = process.ask("server/discover", json!({}));
    let capabilities = &discovered["result"]["capabilities"];
    assert_eq!(capabilities["extensions"], json!({TASKS_EXTENSION: {}}));
    assert_eq!(capabilities.get("tasks"), None);
}

#[test]
fn a_task_belongs_to_its_principal() {
    let process = Process::on(&memory(), &world());
    let ask =
        |principal, method, params| process.ask_by(principal, method, params, both_capabilities());
    let created = ask(Some("ada"), "tools/call", json!({"name": "pass"}));
    let id = created["result"]["taskId"].as_str().unwrap();
    process.bench.settle();
    for stranger in [None, Some("eve")] {
        for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
            let unknown = ask(
                stranger,
                method,
                json!({"taskId": id, "inputResponses": {}}),
            );
            assert_eq!(
                unknown["error"]["message"],
                "Invalid params: task not found"
            );
        }
    }
    process.bench.settle();
    let own = ask(Some("ada"), "tasks/get", json!({"taskId": id}));
    assert_eq!(own["result"]["status"], "working");
}

#[test]
fn a_task_remembers_no_more_than_it_may() {
    let hoard = |journal| {
        let options = TaskOptions {
            journal,
            ..TaskOptions::default()
        };
        let process = Process::with(&memory(), &world(), options, |_| true);
        let id = process.begin("hoard", json!({}));
        process.bench.settle();
        process.get(&id)
    };
    let task = hoard(6_000);
    assert_eq!(task["result"]["content"][0]["text"], "all kept");
    let task = hoard(3_000);
    assert_eq!(task["status"], "failed");
    assert_eq!(
        task["error"],
        json!({
            "code": -32_603,
            "message": "with `step 2` the task has 3065 bytes to remember; the limit is 3000",
        })
    );
}

#[test]
fn what_earlier_runs_have_remembered_counts_too() {
    let (store, world) = (memory(), world());
    let with = |journal| {
        let options = TaskOptions {
            journal,
            ..TaskOptions::default()
        };
        Process::with(&store, &world, options, |_| true)
    };
    let first = with(100);
    let id = first.begin("converse", json!({}));
    first.bench.settle();
    first.answer(&id, json!({"first": {"action": "decline"}}));
    first.bench.settle();
    drop(first);
    let second = with(100);
    second.core.start_tasks();
    second.pass(Duration::from_secs(21));
    assert_eq!(second.get(&id)["status"], "input_required");
    second.answer(&id, json!({"last": {"action": "decline"}}));
    second.bench.settle();
    let task = second.get(&id);
    let message = task["error"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("with `last` the task has "),
        "{message}"
    );
}

#[test]
fn the_limit_counts_from_the_beginning_of_the_task() {
    let (store, world) = (memory(), world());
    let process = Process::on(&store, &world);
    let (id, other) = (
        process.begin("hurry", json!({})),
        process.begin("hurry", json!({})),
    );
    world.now.fetch_add(10_000, Ordering::Relaxed);
    process.bench.settle();
    let effects = |process: &Process| std::mem::take(&mut *process.effects.0.lock().unwrap());
    assert_eq!(effects(&process), ["Some(50) s left", "Some(50) s left"]);
    drop(process);
    world.now.fetch_add(20_000, Ordering::Relaxed);
    let process = Process::on(&store, &world);
    process.core.start_tasks();
    process.bench.settle();
    assert_eq!(effects(&process), ["Some(30) s left", "Some(30) s left"]);
    process.cancel(&other);
    process.pass(Duration::from_secs(29));
    assert_eq!(process.get(&id)["status"], "working");
    process.pass(Duration::from_secs(2));
    assert_eq!(process.get(&id)["error"]["message"], "tool timed out");
}

#[test]
fn a_task_whose_time_is_over_is_not_run_again() {
    let (store, world) = (memory(), world());
    let process = Process::on(&store, &world);
    let id = process.begin("hurry", json!({}));
    process.bench.settle();
    drop(process);
    world.now.fetch_add(61_000, Ordering::Relaxed);
    let process = Process::on(&store, &world);
    process.core.start_tasks();
    process.bench.settle();
    assert_eq!(process.get(&id)["error"]["message"], "tool timed out");
    assert_eq!(*process.effects.0.lock().unwrap(), [""; 0]);
}
