//! Questions that the command line puts to a person, who may be a script that writes lines.

use std::process::Command;

use super::{DONE, FAILED, USAGE, with_input};

/// Exit code and both streams of a call of the server of conversations.
fn call(line: &[&str], input: &str) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_conversation-server"));
    with_input(command.args(line), input)
}

#[test]
fn questions_are_answered_line_by_line_over_several_rounds() {
    let (exit, out, err) = call(&["call", "leave", "door=back"], "yes\nno\n\n");
    assert_eq!(
        out,
        "the back door: [Some(true), Some(false)], Accepted(())\n"
    );
    assert_eq!(
        err,
        "It is cold outside.\n  \
         Go on, Go on? (yes | no): \
         Lock it?\n  \
         Go on, Go on? (yes | no): \
         See the weather.\n  \
         https://example.com/weather\n  \
         Enter when you are done: "
    );
    assert_eq!(exit, DONE);
}

#[test]
fn a_person_declines_or_is_not_there() {
    let (_, out, _) = call(&["call", "leave", "door=back"], "yes\n/decline\n/decline\n");
    assert_eq!(out, "the back door: [Some(true), None], Declined\n");
    let (exit, out, _) = call(&["call", "leave", "door=back"], "");
    assert_eq!(out, "the back door: [None, None], Cancelled\n");
    assert_eq!(exit, DONE);
}

#[test]
fn a_prompt_asks_too() {
    let (exit, out, err) = call(&["prompt", "recommend"], "yes\n");
    assert_eq!(out, "[user]\nRecommend the house: true\n");
    assert_eq!(err, "Do you mean it?\n  Go on, Go on? (yes | no): ");
    assert_eq!(exit, DONE);
}

#[test]
fn a_resource_is_read_as_its_type_wants() {
    let (exit, out, _) = call(&["read", "house://rules"], "");
    assert_eq!((exit, out.as_str()), (DONE, "Be exact.\n"));
    let (_, out, _) = call(&["read", "house://rooms/7"], "");
    assert_eq!(out, "{\n  \"to\": \"room 7\",\n  \"length\": null\n}\n");
    let (_, out, _) = call(&["read", "house://key"], "");
    assert_eq!(out, "[house://key: application/octet-stream, 3 bytes]\n");
    let (exit, out, err) = call(&["read", "house://nowhere"], "");
    assert_eq!((exit, out.as_str()), (FAILED, ""));
    assert!(err.contains("(-32602)"), "{err}");
}

#[test]
fn a_prompt_that_is_not_there_has_a_neighbour() {
    let (exit, _, err) = call(&["prompt", "recomend"], "");
    assert_eq!(exit, USAGE);
    assert_eq!(
        err,
        "error: no prompt is called `recomend`; did you mean `recommend`?\n"
    );
}
