use std::cell::Cell;
use std::task::{Context as TaskContext, Wake, Waker};

use serde_json::json;

use super::*;
use crate::dispatch::{Answer, Opened};
use crate::server::ServerBuilder;

thread_local! {
    static TIME: Cell<Duration> = const { Cell::new(Duration::from_secs(1000)) };
}

/// Lets time pass.
fn pass(time: Duration) {
    TIME.set(TIME.get() + time);
}

/// A call of the tool that looks.
fn look() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "look",
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    }})
}

/// What a call finds of its time at first, after a second, and after an hour.
fn remaining(builder: ServerBuilder, control: CallHandle) -> Value {
    let server = builder
        .register_tool(
            "look",
            "Look at the clock.",
            json!({"type": "object"}),
            |_: Value, context: Context| {
                let seconds = || context.remaining_time().map(|left| left.as_secs());
                let first = seconds();
                pass(Duration::from_secs(1));
                let second = seconds();
                pass(Duration::from_secs(3600));
                Ok::<_, crate::ToolError>((first, second, seconds()))
            },
        )
        .build()
        .unwrap();
    let (message, mut out) = (look().to_string(), Vec::new());
    let mut readable = Vec::new();
    let Opened::Request(request) = server.core().open(message.as_bytes(), &mut readable) else {
        panic!("it is a request");
    };
    let answer = server.core().answer(&request, &Arc::new(control), &mut out);
    assert!(matches!(answer, Answer::Written));
    let answer: Value = serde_json::from_slice(&out).unwrap();
    answer["result"]["structuredContent"].clone()
}

#[test]
fn the_time_that_remains_runs_from_the_limit_to_zero() {
    let builder = || ServerBuilder::new("times", "0.0.0");
    let timed = || CallHandle::default().with_clock(|| TIME.get());
    let minute = builder().call_timeout(Duration::from_secs(60));
    assert_eq!(remaining(minute, timed()), json!([60, 59, 0]));
    assert_eq!(
        remaining(builder().call_timeout(None), timed()),
        json!([null, null, null])
    );
    assert_eq!(
        remaining(builder(), CallHandle::default()),
        json!([null, null, null])
    );
}

/// Whom a cancellation would wake.
struct Sleeper;

impl Wake for Sleeper {
    fn wake(self: Arc<Self>) {}
}

#[test]
fn nothing_is_kept_of_who_waits_for_a_cancellation_no_more() {
    let server = ServerBuilder::new("looks", "0.0.0")
        .register_tool(
            "look",
            "Look for a cancellation.",
            json!({"type": "object"}),
            |_: Value, context: Context| {
                let sleepers = [Arc::new(Sleeper), Arc::new(Sleeper)];
                let mut cancelled = Box::pin(context.cancelled());
                for sleeper in &sleepers {
                    let waker = Waker::from(Arc::clone(sleeper));
                    let mut task = TaskContext::from_waker(&waker);
                    assert!(cancelled.as_mut().poll(&mut task).is_pending());
                }
                let counts = || sleepers.each_ref().map(Arc::strong_count);
                // One who waits is known by the task that polled last.
                assert_eq!(counts()[0], 1);
                assert!(counts()[1] > 1);
                drop(cancelled);
                assert_eq!(counts(), [1, 1]);
                Ok::<_, crate::ToolError>("looked")
            },
        )
        .build()
        .unwrap();
    let answer = server.handle_request(&look()).unwrap();
    assert_eq!(answer["result"]["content"][0]["text"], "looked");
}

#[test]
fn the_time_of_a_call_rests_while_its_client_has_a_question() {
    let handle = CallHandle::default().with_clock(|| TIME.get());
    let seconds = Duration::from_secs;
    handle.question_begins();
    pass(seconds(100));
    assert!(handle.is_resting());
    assert_eq!(handle.rested(), seconds(100));
    handle.question_ends();
    pass(seconds(5));
    assert!(!handle.is_resting());
    assert_eq!(handle.rested(), seconds(100));
    // Questions that are open at one time count once.
    for _ in 0..2 {
        handle.question_begins();
    }
    for _ in 0..2 {
        pass(seconds(1));
        assert!(handle.is_resting());
        handle.question_ends();
    }
    assert!(!handle.is_resting());
    assert_eq!(handle.rested(), seconds(102));
}
