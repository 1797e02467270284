//! Tools that can be tasks, for clients that do not know tasks.

use serde_json::{Value, json};

use super::client::Client;

fn text(result: &Value) -> String {
    let text = result["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("{result}")).to_owned()
}

#[test]
fn a_task_runs_to_its_end_as_a_call_and_only_its_own_limit_ends_it() {
    // Other calls have a millisecond.
    let mut client = Client::with_tasks("", json!({"elicitation": {}}));
    let call = client.request("tools/call", json!({"name": "job"}));
    let question = client.message();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let answer = json!({"action": "accept", "content": {"name": "Ada"}});
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}));
    let response = client.message();
    assert_eq!(response["id"], call);
    assert_eq!(
        response["result"]["structuredContent"],
        json!({"name": "Ada"})
    );
}

#[test]
fn a_job_survives_the_death_of_its_process() {
    let database = std::env::temp_dir().join(format!("legacy-tasks-{}.db", std::process::id()));
    let database = database.to_str().unwrap();
    let mut client = Client::with_tasks(database, json!({}));
    // Its calls return a sentence, so it promises no structure.
    assert_eq!(client.tool("job").get("outputSchema"), None);
    let begun = text(&client.call("job", json!({})));
    assert!(begun.contains("task_status"), "{begun}");
    let id = begun
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .find(|word| word.len() > 20)
        .expect(&begun)
        .to_owned();
    // The client dies with the process, which is killed.
    drop(client);
    let mut client = Client::with_tasks(database, json!({}));
    let of_id = json!({"id": id});
    let status = loop {
        let status = client.call("task_status", of_id.clone())["structuredContent"].clone();
        if status["status"] != "working" {
            break status;
        }
    };
    assert_eq!(status["status"], "input_required", "{status}");
    assert!(status["inputRequests"]["person"].is_object(), "{status}");
    let early = client.call("task_result", of_id.clone());
    assert_eq!(early["isError"], true, "{early}");
    let answer =
        |key: &str| json!({"id": id, "key": key, "action": "accept", "content": {"name": "Ada"}});
    let other = client.call("task_answer", answer("other"));
    assert_eq!(other["isError"], true, "{other}");
    let passed_on = client.call("task_answer", answer("person"));
    assert_eq!(passed_on.get("isError"), None, "{passed_on}");
    let result = loop {
        let result = client.call("task_result", of_id.clone());
        if result.get("isError").is_none() {
            break result;
        }
    };
    assert_eq!(result["structuredContent"], json!({"name": "Ada"}));
    let cancelled = text(&client.call("job", json!({})));
    let id = cancelled
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .find(|word| word.len() > 20)
        .expect(&cancelled)
        .to_owned();
    client.call("task_cancel", json!({"id": id}));
    loop {
        let status = client.call("task_status", json!({"id": id}))["structuredContent"].clone();
        if status["status"] == "cancelled" {
            break;
        }
    }
    let unknown = client.call("task_status", json!({"id": "no such"}));
    assert_eq!(text(&unknown), "Error: there is no such task");
    drop(client);
    std::fs::remove_file(database).unwrap();
}
