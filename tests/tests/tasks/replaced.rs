//! A task file that is deleted or replaced while it is open.

use std::fs;

use serde_json::json;

use crate::client::{Folder, Server};

/// Does something to the file of a server that serves, which stores no more tasks and serves all else.
fn lose(change: fn(&Folder)) {
    let folder = Folder::new();
    let mut server = Server::start(&folder, "old");
    server.begin("walk", json!({"number": 1}));
    change(&folder);
    server.send(
        "tools/call",
        json!({"name": "walk", "arguments": {"number": 2}}),
    );
    let answer = server.read();
    let message = &answer["error"]["message"];
    assert_eq!(message, "tasks cannot be stored now", "{answer}");
    let answer = server.ask("tools/call", json!({"name": "be_there", "arguments": {}}));
    assert_eq!(answer["content"][0]["text"], "here");
    server.stop();
}

#[test]
fn a_task_file_that_is_deleted_is_noticed() {
    lose(|folder| fs::remove_file(folder.database()).unwrap());
}

#[test]
fn a_task_file_that_is_replaced_is_noticed() {
    lose(|folder| {
        let other = folder.database().with_extension("other");
        fs::write(&other, b"").unwrap();
        fs::rename(&other, folder.database()).unwrap();
    });
}

#[test]
fn a_task_file_that_is_moved_away_is_noticed() {
    lose(|folder| {
        let elsewhere = folder.database().with_extension("moved");
        fs::rename(folder.database(), elsewhere).unwrap();
    });
}

#[test]
fn a_log_file_of_the_task_file_that_is_deleted_is_noticed() {
    lose(|folder| {
        let log = format!("{}-wal", folder.database().display());
        fs::remove_file(log).unwrap();
    });
}
