//! Several live processes on one file: what one is asked, another may run.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::client::{Folder, Server};

/// In milliseconds; so long that no process of a busy machine counts as dead.
const LEASE: u32 = 6_000;

fn answer(server: &mut Server, id: &str, name: &str) {
    let answer = json!({"action": "accept", "content": {"name": name}});
    let params = json!({"taskId": id, "inputResponses": {"name": answer}});
    server.ask("tasks/update", params);
}

/// Looks at a task until it has a status.
fn wait_for(server: &mut Server, id: &str, status: &str) -> Value {
    loop {
        let task = server.get(id);
        if task["status"] == status {
            return task;
        }
        let may_change = ["working", "input_required"].contains(&task["status"].as_str().unwrap());
        assert!(may_change, "{task}");
        std::thread::yield_now();
    }
}

#[test]
fn what_one_process_runs_is_run_by_no_other_and_answered_and_cancelled_by_any() {
    let folder = Folder::new();
    let mut one = Server::start_with(&folder, "old", LEASE);
    let mut two = Server::start_with(&folder, "old", LEASE);
    let walks: Vec<_> = (0..10)
        .map(|number| {
            let server = if number % 2 == 0 { &mut one } else { &mut two };
            server.begin("walk", json!({"number": number}))
        })
        .collect();
    let morph = one.begin("morph", json!({}));
    wait_for(&mut two, &morph, "input_required");
    two.ask("tasks/cancel", json!({"taskId": morph}));
    for (number, id) in walks.iter().enumerate() {
        // Each is answered by the process that does not run it.
        let server = if number % 2 == 0 { &mut two } else { &mut one };
        wait_for(server, id, "input_required");
        answer(server, id, "Ada");
    }
    for (number, id) in walks.iter().enumerate() {
        let task = wait_for(&mut one, id, "completed");
        let text = task["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(text, format!("Ada walked {number}"));
    }
    wait_for(&mut one, &morph, "cancelled");
    let effects = folder.effects_so_far();
    assert_eq!(effects.len(), walks.len() * 6 * 2);
    let once: HashSet<_> = effects.iter().collect();
    assert_eq!(once.len(), effects.len(), "nothing was done twice");
    one.stop();
    two.stop();
}

#[test]
fn who_listens_to_one_process_hears_of_a_task_of_the_other() {
    let folder = Folder::new();
    let mut one = Server::start_with(&folder, "old", LEASE);
    let mut two = Server::start_with(&folder, "old", LEASE);
    let id = one.begin("walk", json!({"number": 1}));
    two.send(
        "subscriptions/listen",
        json!({"notifications": {"taskIds": [id]}}),
    );
    let acknowledged = two.read();
    assert_eq!(
        acknowledged["method"],
        "notifications/subscriptions/acknowledged"
    );
    let mut hear = |status| {
        loop {
            let message = two.read();
            assert_eq!(message["method"], "notifications/tasks", "{message}");
            assert_eq!(message["params"]["taskId"], *id);
            if message["params"]["status"] == status {
                return message;
            }
        }
    };
    let asked = hear("input_required");
    assert!(asked["params"]["inputRequests"].get("name").is_some());
    answer(&mut one, &id, "Ada");
    let ended = hear("completed");
    let text = &ended["params"]["result"]["content"][0]["text"];
    assert_eq!(text, "Ada walked 1");
    one.stop();
    two.kill();
}

#[test]
fn several_processes_may_make_the_file_at_one_time() {
    for _ in 0..5 {
        let folder = Folder::new();
        let mut servers: Vec<_> = (0..4)
            .map(|_| Server::start_with(&folder, "old", LEASE))
            .collect();
        let tasks: Vec<_> = servers
            .iter_mut()
            .map(|server| server.begin("morph", json!({})))
            .collect();
        for server in &mut servers {
            for id in &tasks {
                wait_for(server, id, "input_required");
            }
        }
        servers.into_iter().for_each(Server::stop);
    }
}
