//! What is stored of a task and sent each time that somebody looks at it is bounded.

use super::*;

/// Say something, and fail with it if told to, or wait.
#[mcp_tool(task, crate = crate, group = "task-tests")]
async fn say(text: String, fails: bool, ctx: &Context) -> Result<String, ToolError> {
    if fails {
        return Err(ToolError::request(ErrorObject::new(-32_603, text)));
    }
    ctx.status(text);
    std::future::pending().await
}

/// Ask twice at one time, in so many letters.
#[mcp_tool(task, crate = crate, group = "task-tests")]
async fn ask_at_length(first: usize, last: usize, ctx: &Context) -> Result<String, ToolError> {
    let first = ctx.elicit::<Name>("first", "x".repeat(first));
    let last = ctx.elicit::<Name>("last", "x".repeat(last));
    tokio::try_join!(first, last)?;
    Ok("asked".to_owned())
}

#[test]
fn what_a_task_says_of_itself_ends_with_an_ellipsis_where_it_is_too_long() {
    let process = Process::on(&memory(), &world());
    for (said, told) in [
        ("x".repeat(1024), "x".repeat(1024)),
        ("x".repeat(1025), format!("{}…", "x".repeat(1021))),
        // A character of two bytes would be cut.
        ("é".repeat(1000), format!("{}…", "é".repeat(510))),
    ] {
        for fails in [false, true] {
            let id = process.begin("say", json!({"text": said, "fails": fails}));
            process.bench.settle();
            let task = process.get(&id);
            assert_eq!(task["statusMessage"], *told, "{fails}");
            if fails {
                assert_eq!(task["error"]["message"], *said, "the error is whole");
            }
        }
    }
}

#[test]
fn what_a_task_asks_at_one_time_is_bounded() {
    let process = Process::on(&memory(), &world());
    let ask = |first, last| {
        let id = process.begin("ask_at_length", json!({"first": first, "last": last}));
        process.bench.settle();
        process.get(&id)
    };
    assert_eq!(ask(100, 100)["status"], "input_required");
    for task in [ask(1_100_000, 1), ask(600_000, 600_000)] {
        let message = task["error"]["message"].as_str().unwrap_or_default();
        assert!(message.starts_with("with `"), "{task}");
        assert!(
            message.ends_with("bytes at one time; the limit is 1048576"),
            "{task}"
        );
    }
}
