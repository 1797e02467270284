//! Standard streams: output is for messages alone, whatever tools do.
#![cfg(unix)]

use serde_json::json;

use crate::client::{Client, call, text};

#[test]
fn what_tools_and_children_print_goes_to_standard_error() {
    let mut client = Client::start(&[]);
    let answer = client.ask(call(1, "print_noise", &json!({})));
    assert_eq!(
        text(&answer),
        "0",
        "what a child can read of standard input"
    );
    let lines = client.wait_for_error("noise of a child");
    assert!(
        lines
            .iter()
            .any(|line| line == "noise without an end, noise"),
        "{lines:?}"
    );
    client.serves();
    client.close_input();
    let (status, answers) = client.end();
    assert!(status.success());
    assert!(answers.is_empty(), "{answers:?}");
}
