//! Tasks that outlive their process, their tool, or their time.

use serde_json::{Value, json};

use super::*;
use crate::task::tests::wait;
use crate::task::{LeaseOwner, TaskId, TaskLease, TaskQuota};

#[test]
fn a_task_of_a_dead_process_is_taken_up_when_its_lease_has_ended() {
    let (store, world) = (memory(), world());
    let first = Process::on(&store, &world);
    let id = first.begin("pass", json!({}));
    first.bench.settle();
    drop(first);
    let second = Process::on(&store, &world);
    second.gate.add_permits(1);
    second.core.start_tasks();
    second.pass(Duration::from_secs(10));
    assert_eq!(second.get(&id)["status"], "working");
    second.pass(Duration::from_secs(12));
    assert_eq!(second.get(&id)["status"], "completed");
}

#[test]
fn a_process_that_lives_keeps_its_tasks() {
    let (store, world) = (memory(), world());
    let (first, second) = (Process::on(&store, &world), Process::on(&store, &world));
    let id = first.begin("pass", json!({}));
    second.gate.add_permits(1);
    second.core.start_tasks();
    for _ in 0..60 {
        first.pass(Duration::from_secs(1));
        second.bench.settle();
    }
    assert_eq!(second.get(&id)["status"], "working");
    first.gate.add_permits(1);
    first.bench.settle();
    assert_eq!(second.get(&id)["status"], "completed");
}

#[test]
fn a_process_that_was_paused_does_nothing_that_another_may_have_done() {
    let (store, world) = (memory(), world());
    let (first, second) = (Process::on(&store, &world), Process::on(&store, &world));
    let id = first.begin("act", json!({}));
    first.bench.settle();
    world.now.fetch_add(60_000, Ordering::Relaxed);
    second.core.start_tasks();
    second.bench.settle();
    // The run comes first, before the keeper has looked.
    first.bench.futures.lock().unwrap().reverse();
    first.gate.add_permits(1);
    first.bench.settle();
    assert_eq!(*first.effects.0.lock().unwrap(), [""; 0]);
    second.gate.add_permits(1);
    second.bench.settle();
    assert_eq!(first.get(&id)["status"], "completed");
    assert_eq!(*second.effects.0.lock().unwrap(), ["act"]);
}

#[test]
fn a_process_that_was_paused_goes_on_with_what_nobody_has_taken() {
    let process = Process::on(&memory(), &world());
    let id = process.begin("act", json!({}));
    process.bench.settle();
    process.bench.world.now.fetch_add(60_000, Ordering::Relaxed);
    process.bench.futures.lock().unwrap().reverse();
    process.gate.add_permits(1);
    process.bench.settle();
    assert_eq!(process.get(&id)["status"], "completed");
}

#[test]
fn a_stopped_server_leaves_its_tasks_to_the_next_at_once() {
    let (store, world) = (memory(), world());
    let first = Process::on(&store, &world);
    let id = first.begin("pass", json!({}));
    first.bench.settle();
    first.stop();
    first.gate.add_permits(1);
    first.bench.settle();
    let second = Process::on(&store, &world);
    second.core.start_tasks();
    second.bench.settle();
    assert_eq!(
        second.get(&id)["status"],
        "working",
        "the first has let go of it"
    );
    second.gate.add_permits(1);
    second.bench.settle();
    assert_eq!(second.get(&id)["status"], "completed");
    assert!(first.core.tasks.as_ref().unwrap().state().runs.is_empty());
}

#[test]
fn a_stopped_server_works_on_nothing_until_it_is_told_to() {
    let (store, world) = (memory(), world());
    let (first, second) = (Process::on(&store, &world), Process::on(&store, &world));
    let id = first.begin("pass", json!({}));
    let asking = first.begin("converse", json!({}));
    first.bench.settle();
    first.stop();
    assert_eq!(first.get(&id)["status"], "working");
    first.cancel(&asking);
    first.pass(Duration::from_secs(60));
    assert!(first.core.tasks.as_ref().unwrap().state().runs.is_empty());
    let refused = first.ask("tools/call", json!({"name": "pass"}));
    assert_eq!(
        refused["error"],
        json!({"code": -32_603, "message": "the server has stopped its work on tasks; call again later"})
    );
    second.core.start_tasks();
    second.bench.settle();
    assert_eq!(first.get(&asking)["status"], "cancelled");
    second.stop();
    first.core.start_tasks();
    first.gate.add_permits(1);
    first.bench.settle();
    assert_eq!(first.get(&id)["status"], "completed");
    first.begin("pass", json!({}));
}

#[test]
fn another_process_can_cancel() {
    let (store, world) = (memory(), world());
    let (first, second) = (Process::on(&store, &world), Process::on(&store, &world));
    let id = first.begin("pass", json!({}));
    first.bench.settle();
    second.cancel(&id);
    first.pass(Duration::from_secs(6));
    assert_eq!(second.get(&id)["status"], "cancelled");
}

#[test]
fn a_task_whose_tool_has_gone_fails_with_a_clear_text() {
    let (store, world) = (memory(), world());
    let first = Process::on(&store, &world);
    let id = first.begin("pass", json!({}));
    drop(first);
    let second = Process::with(&store, &world, TaskOptions::default(), |tool| {
        tool != "pass"
    });
    second.core.start_tasks();
    second.pass(Duration::from_secs(21));
    let task = second.get(&id);
    assert_eq!(task["status"], "failed");
    assert_eq!(
        task["error"]["message"],
        "the tool `pass` of the task is no longer served"
    );
}

#[test]
fn a_task_whose_tool_has_changed_fails_with_a_clear_text() {
    let (store, world) = (memory(), world());
    let first = Process::on(&store, &world);
    let id = first.begin("pass", json!({}));
    drop(first);
    let id_of_store: TaskId = id.parse().unwrap();
    let mut stored = wait(store.load(id_of_store)).unwrap().unwrap();
    let mut content: Value = serde_json::from_str(&stored.content).unwrap();
    content["schema"] = json!("of an older program");
    stored.content = content.to_string();
    assert!(wait(store.replace(stored)).unwrap());
    let second = Process::on(&store, &world);
    second.core.start_tasks();
    second.pass(Duration::from_secs(21));
    let task = second.get(&id);
    assert_eq!(task["status"], "failed");
    assert_eq!(
        task["error"]["message"],
        "the tool `pass` has changed since the task began; call it again"
    );
}

#[test]
fn an_expired_task_is_unknown_and_its_run_ends() {
    let (store, world) = (memory(), world());
    let options = TaskOptions {
        ttl: Some(Duration::from_secs(10)),
        ..TaskOptions::default()
    };
    let process = Process::with(&store, &world, options, |_| true);
    let waiting = process.begin("pass", json!({}));
    let done = process.begin("greet", json!({"name": "Ada"}));
    process.pass(Duration::from_secs(9));
    assert_eq!(process.get(&done)["status"], "completed");
    process.pass(Duration::from_secs(2));
    for id in [waiting, done] {
        let unknown = process.ask("tasks/get", json!({"taskId": id}));
        assert_eq!(unknown["error"]["code"], -32_602);
    }
    process.pass(Duration::from_secs(10));
    assert!(process.core.tasks.as_ref().unwrap().state().runs.is_empty());
}

#[test]
fn an_expired_task_is_unknown_before_it_is_forgotten() {
    let (store, world) = (memory(), world());
    let options = TaskOptions {
        ttl: Some(Duration::from_secs(10)),
        ..TaskOptions::default()
    };
    let process = Process::with(&store, &world, options, |_| true);
    let id = process.begin("greet", json!({"name": "Ada"}));
    process.bench.settle();
    // From here on nothing of the server runs that could forget it.
    let pass = |time| world.now.fetch_add(time, Ordering::Relaxed);
    pass(10_000);
    assert_eq!(process.get(&id)["status"], "completed");
    pass(1);
    for (method, params) in [
        ("tasks/get", json!({"taskId": id})),
        ("tasks/cancel", json!({"taskId": id})),
        ("tasks/update", json!({"taskId": id, "inputResponses": {}})),
    ] {
        let unknown = process.ask(method, params);
        assert_eq!(unknown["error"]["code"], -32_602, "{method}: {unknown}");
    }
}

#[test]
fn nobody_may_have_more_tasks_than_the_limits_say() {
    let options = TaskOptions {
        quota: TaskQuota {
            active: 2,
            stored: 3,
        },
        ..TaskOptions::default()
    };
    let process = Process::with(&memory(), &world(), options, |_| true);
    let first = process.begin("pass", json!({}));
    process.begin("pass", json!({}));
    let call = json!({"name": "pass"});
    let refused = process.ask("tools/call", call.clone());
    assert_eq!(refused["error"]["code"], -32_603);
    assert_eq!(
        refused["error"]["message"],
        "Too many tasks: 2 tasks are running; wait for one to end, or cancel it"
    );
    process.cancel(&first);
    process.bench.settle();
    process.begin("pass", json!({}));
    let refused = process.ask("tools/call", call);
    assert_eq!(
        refused["error"]["message"],
        "Too many tasks: 2 tasks are running; wait for one to end, or cancel it"
    );
}

#[test]
fn a_task_that_has_ended_makes_room_for_another() {
    let options = TaskOptions {
        ttl: None,
        quota: TaskQuota {
            active: 9,
            stored: 2,
        },
        ..TaskOptions::default()
    };
    let process = Process::with(&memory(), &world(), options, |_| true);
    let greet = || {
        let id = process.begin("greet", json!({"name": "Ada"}));
        process.bench.settle();
        id
    };
    let (first, second) = (greet(), greet());
    let third = process.begin("pass", json!({}));
    let unknown = process.ask("tasks/get", json!({"taskId": first}));
    assert_eq!(unknown["error"]["code"], -32_602);
    assert_eq!(process.get(&second)["status"], "completed");
    process.begin("pass", json!({}));
    let refused = process.ask("tools/call", json!({"name": "pass"}));
    assert_eq!(refused["error"]["code"], -32_603);
    assert_eq!(
        refused["error"]["message"],
        "Too many tasks: 2 tasks are kept, and none of them has ended; wait for one to end, or cancel it"
    );
    assert_eq!(process.get(&third)["status"], "working");
}

/// Changes what stands in the store of a task, as another program may do.
fn rewrite(store: &Arc<dyn TaskStore>, id: &str, change: impl FnOnce(&mut Value)) {
    let mut stored = wait(store.load(id.parse().unwrap())).unwrap().unwrap();
    let mut content: Value = serde_json::from_str(&stored.content).unwrap();
    change(&mut content);
    stored.content = content.to_string();
    assert!(wait(store.replace(stored)).unwrap());
}

#[test]
fn what_cannot_be_read_is_left_to_who_can() {
    let (store, world) = (memory(), world());
    let dead = Process::on(&store, &world);
    let id = dead.begin("pass", json!({}));
    dead.bench.settle();
    drop(dead);
    rewrite(&store, &id, |content| {
        content["of_a_newer_program"] = json!(1)
    });
    let process = Process::on(&store, &world);
    let own = process.begin("pass", json!({}));
    process.pass(Duration::from_secs(21));
    let now = || wait(store.load(id.parse().unwrap())).unwrap().unwrap();
    let before = now();
    assert_eq!(before.lease, None, "it is given back");
    process.pass(Duration::from_secs(60));
    assert_eq!(now(), before, "it is not claimed again");
    let refused = process.ask("tasks/get", json!({"taskId": id}));
    assert_eq!(refused["error"]["message"], "tasks cannot be stored now");
    // The other program takes it up at once, and nothing else.
    let lease = TaskLease {
        owner: LeaseOwner::from_bytes([9; 16]),
        until: u64::MAX,
    };
    let time = world.now.load(Ordering::Relaxed);
    let claimed = wait(store.claim(lease, time, 9, &[])).unwrap();
    assert_eq!(claimed.len(), 1);
    assert_eq!(claimed[0].id.to_string(), id);
    assert_eq!(process.get(&own)["status"], "working");
}

#[test]
fn a_run_whose_record_a_newer_program_has_written_is_left_to_it() {
    let (store, world) = (memory(), world());
    let process = Process::on(&store, &world);
    let (waiting, saving) = (
        process.begin("pass", json!({})),
        process.begin("converse", json!({})),
    );
    process.bench.settle();
    rewrite(&store, &waiting, |content| {
        content["of_a_newer_program"] = json!(1)
    });
    rewrite(&store, &saving, |content| {
        content["of_a_newer_program"] = json!(1);
        content["is_cancelled"] = json!(true);
    });
    process.gate.add_permits(1);
    process.bench.settle();
    process.pass(Duration::from_secs(11));
    for id in [waiting, saving] {
        let stored = wait(store.load(id.parse().unwrap())).unwrap().unwrap();
        assert!(stored.is_active, "nothing was written over it");
        assert_eq!(stored.lease, None);
    }
    assert!(process.core.tasks.as_ref().unwrap().state().runs.is_empty());
}
