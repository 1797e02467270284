//! A graceful stop: running steps are committed, no step begins, and the next process goes on at once.

use serde_json::json;

use crate::client::{Folder, Server};

/// Longer than a signal takes to be heard on a busy machine.
const STEP: u32 = 1_500;

/// Ends a server in the middle of a step, and looks at what the next one does.
fn stop_within_a_step(how: &str, stop: fn(Server)) {
    let folder = Folder::new();
    // Only a lease that is given back lets the next server begin within the test.
    let mut server = Server::start_graceful(&folder, "old", 600_000, 60_000);
    let id = server.begin("plod", json!({"how": how, "ms": STEP}));
    folder.wait_for("began 0", 1);
    stop(server);
    assert_eq!(folder.effects_so_far(), ["began 0", "ended 0"], "{how}");
    let mut server = Server::start_graceful(&folder, "old", 600_000, 60_000);
    let task = loop {
        let task = server.get(&id);
        if task["status"] != "working" {
            break task;
        }
    };
    assert_eq!(task["result"]["content"][0]["text"], "plodded", "{task}");
    assert_eq!(
        folder.effects_so_far(),
        ["began 0", "ended 0", "began 1", "ended 1"],
        "{how}"
    );
    server.stop();
}

#[test]
fn a_step_that_waits_is_committed_on_sigterm() {
    stop_within_a_step("waits", Server::terminate);
}

#[test]
fn a_step_that_blocks_its_thread_is_committed_on_sigterm() {
    stop_within_a_step("blocks", Server::terminate);
}

#[test]
fn a_step_that_waits_for_a_spawned_task_is_committed_at_the_end_of_input() {
    stop_within_a_step("spawns", Server::stop);
}

#[test]
fn a_step_that_takes_longer_than_the_grace_runs_again_at_once() {
    let folder = Folder::new();
    let mut server = Server::start_graceful(&folder, "old", 600_000, 50);
    server.begin("plod", json!({"how": "waits", "ms": 3_600_000}));
    folder.wait_for("began 0", 1);
    server.terminate();
    assert_eq!(folder.effects_so_far(), ["began 0"]);
    let server = Server::start_graceful(&folder, "old", 600_000, 50);
    folder.wait_for("began 0", 2);
    server.stop();
}

#[test]
fn a_task_that_runs_no_step_does_not_delay_the_end() {
    let folder = Folder::new();
    // A grace that nothing waits for: the test would not end.
    let mut server = Server::start_graceful(&folder, "old", 600_000, u32::MAX);
    let id = server.begin("walk", json!({"number": 7}));
    while server.get(&id)["status"] != "input_required" {}
    server.terminate();
}
