//! A client that listens to its task instead of looking at it again and again.

use serde_json::{Value, json};

use crate::client::{Folder, Server};

/// The state that a notification tells of a task.
fn status<'m>(message: &'m Value, id: &str) -> &'m str {
    assert_eq!(message["method"], "notifications/tasks", "{message}");
    assert_eq!(message["params"]["taskId"], id);
    message["params"]["status"].as_str().unwrap()
}

#[test]
fn a_task_is_told_to_its_end_on_the_pipe_of_its_client() {
    let folder = Folder::new();
    let mut server = Server::start(&folder, "old");
    let id = server.begin("walk", json!({"number": 1}));
    let other = server.begin("walk", json!({"number": 2}));
    server.send(
        "subscriptions/listen",
        json!({"notifications": {"taskIds": [id]}}),
    );
    let acknowledged = server.read();
    assert_eq!(
        acknowledged["method"],
        "notifications/subscriptions/acknowledged"
    );
    assert_eq!(
        acknowledged["params"]["notifications"],
        json!({"taskIds": [id]})
    );
    loop {
        let told = server.read();
        if status(&told, &id) == "input_required" {
            assert!(told["params"]["inputRequests"].get("name").is_some());
            break;
        }
    }
    let name = json!({"action": "accept", "content": {"name": "Ada"}});
    for task in [&id, &other] {
        let params = json!({"taskId": task, "inputResponses": {"name": name}});
        server.send("tasks/update", params);
    }
    // Answers come between what is told, in any order; of the other task nothing is told.
    let (mut answers, mut ended) = (0, false);
    while answers < 2 || !ended {
        let message = server.read();
        if message.get("id").is_some() {
            assert!(message.get("result").is_some(), "{message}");
            answers += 1;
        } else if status(&message, &id) == "completed" {
            let text = &message["params"]["result"]["content"][0]["text"];
            assert_eq!(text, "Ada walked 1");
            ended = true;
        }
    }
    server.kill();
}
