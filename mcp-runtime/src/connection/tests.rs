//! Connections without threads, descriptors or a clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Wake, Waker};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::*;
use crate::ResourceError;
use crate::debounce::{MAX_PERIODS, QUIET_PERIOD};
use crate::dispatch::{Answer, SubscriberGroup};
use crate::server::{Server, ServerBuilder};

/// A transport of which a test has the clock.
struct Bench {
    server: Server,
    connection: Connection,
    subscribers: Arc<SubscriberGroup>,
    woken: Arc<Woken>,
    now: Instant,
}

#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn request(id: u32, method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

fn call(id: u32) -> String {
    request(id, "tools/call", json!({"name": "any"}))
}

fn cancel(id: u32) -> String {
    let params = json!({"requestId": id});
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string()
}

impl Bench {
    fn new(configure: impl FnOnce(ServerBuilder) -> ServerBuilder) -> Self {
        let builder = ServerBuilder::new("tested", "1.0.0").register_resource(
            "a:b",
            "a",
            "A.",
            |_: String| Ok::<_, ResourceError>("a"),
        );
        let server = configure(builder).build().unwrap();
        let woken = Arc::<Woken>::default();
        let subscribers = SubscriberGroup::together();
        Self {
            connection: Connection::new(
                Arc::clone(server.core()),
                &subscribers,
                Waker::from(Arc::clone(&woken)),
            ),
            server,
            subscribers,
            woken,
            now: Instant::now(),
        }
    }

    fn plain() -> Self {
        Self::new(|builder| builder)
    }

    /// Sends a request whose call goes on; `None` if it was refused.
    fn start(&mut self, message: &str) -> Option<(Key, Arc<CallHandle>)> {
        self.start_with(message, true)
    }

    /// The same for a call that runs a plain function, or another.
    fn start_with(&mut self, message: &str, is_blocking: bool) -> Option<(Key, Arc<CallHandle>)> {
        let core = Arc::clone(self.server.core());
        let mut readable = Vec::new();
        let Received::Call(call) = self
            .connection
            .receive(core.open(message.as_bytes(), &mut readable))
        else {
            return None;
        };
        let control = Arc::<CallHandle>::default();
        control.begin(Some(Duration::from_secs(60)));
        let now = self.now;
        let (key, _) = self.connection.start(&call, &control, is_blocking, now);
        Some((key, control))
    }

    fn cancel(&mut self, id: u32) {
        let core = Arc::clone(self.server.core());
        let message = cancel(id);
        let mut readable = Vec::new();
        match self
            .connection
            .receive(core.open(message.as_bytes(), &mut readable))
        {
            Received::Cancel { calls, .. } => calls.cancel(),
            other => panic!("{other:?}"),
        }
    }

    /// Opens a stream.
    fn listen(&mut self, id: u32) {
        let notifications = json!({"toolsListChanged": true, "resourcesListChanged": true,
            "resourceSubscriptions": ["a:b", "a:c"]});
        let message = request(
            id,
            "subscriptions/listen",
            json!({"notifications": notifications}),
        );
        let core = Arc::clone(self.server.core());
        let mut readable = Vec::new();
        let Received::Call(call) = self
            .connection
            .receive(core.open(message.as_bytes(), &mut readable))
        else {
            panic!("it is a request");
        };
        let control = CallHandle::default().with_subscriber_group(Arc::clone(&self.subscribers));
        let mut out = Vec::new();
        let answer = core.answer(&call.request, &Arc::new(control), &mut out);
        let Answer::Listening(listener) = answer else {
            panic!("no stream: {}", String::from_utf8_lossy(&out));
        };
        self.connection.listen(&call, listener, &mut out);
        assert_eq!(self.messages().len(), 1, "the acknowledgement");
    }

    /// Changes everything that a stream watches, and something else.
    fn change(&mut self) {
        let notify = self.server.notify();
        notify.tools_list_changed();
        notify.resource_updated("a:c");
        notify.resources_list_changed();
        notify.prompts_list_changed();
        notify.resource_updated("a:b");
        notify.resource_updated("a:d");
        if self.woken.0.swap(false, Ordering::Relaxed) {
            self.timeout();
        }
    }

    fn timeout(&mut self) {
        self.connection.handle_timeout(self.now).cancel();
    }

    /// The messages that are to be written.
    fn messages(&mut self) -> Vec<Value> {
        let Some(bytes) = self.connection.transmit() else {
            return Vec::new();
        };
        let lines = String::from_utf8(bytes.clone()).unwrap();
        let length = bytes.len();
        self.connection.has_written(bytes, length);
        lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Lets time pass; gives the methods of the notifications that are written then.
    fn pass(&mut self, time: Duration) -> Vec<String> {
        self.now += time;
        self.timeout();
        let method = |message: Value| message["method"].as_str().unwrap().to_owned();
        self.messages().into_iter().map(method).collect()
    }
}

#[test]
fn an_id_in_flight_is_refused_by_an_error_that_names_it() {
    let mut bench = Bench::plain();
    let (key, _) = bench.start(&call(7)).unwrap();
    assert!(bench.start(&call(7)).is_none());
    let refused = bench.messages();
    assert_eq!(refused[0].get("id"), None);
    assert_eq!(refused[0]["error"]["code"], -32600);
    assert!(
        refused[0]["error"]["message"]
            .as_str()
            .unwrap()
            .contains('7')
    );
    bench
        .connection
        .finish(&key, true, &mut br#"{"id":7}"#.to_vec());
    assert_eq!(bench.messages(), [json!({"id": 7})]);
    assert!(bench.start(&call(7)).is_some(), "the id is free again");
}

#[test]
fn a_cancelled_call_is_not_answered_and_not_notified_about() {
    let mut bench = Bench::plain();
    let (key, control) = bench.start(&call(1)).unwrap();
    assert!(bench.connection.notify(&control, b"{}".to_vec()));
    bench.cancel(1);
    assert!(control.is_cancelled());
    assert!(!bench.connection.notify(&control, b"{}".to_vec()));
    // A later call of this id is another one.
    let (later, _) = bench.start(&call(1)).unwrap();
    bench
        .connection
        .finish(&key, true, &mut br#"{"id":"old"}"#.to_vec());
    bench
        .connection
        .finish(&later, true, &mut br#"{"id":"new"}"#.to_vec());
    assert_eq!(bench.messages(), [json!({}), json!({"id": "new"})]);
}

#[test]
fn a_call_times_out_at_its_deadline() {
    let mut bench = Bench::plain();
    let (key, control) = bench.start(&call(1)).unwrap();
    let deadline = bench.connection.next_deadline().unwrap();
    assert_eq!(deadline, bench.now + Duration::from_secs(60));
    bench.now = deadline - Duration::from_nanos(1);
    bench.timeout();
    assert!(bench.messages().is_empty() && !control.is_cancelled());
    bench.now = deadline;
    bench.timeout();
    assert!(control.is_cancelled());
    assert_eq!(bench.messages()[0]["error"]["code"], -32603);
    assert_eq!(bench.connection.next_deadline(), None);
    bench
        .connection
        .finish(&key, true, &mut br#"{"id":1}"#.to_vec());
    assert!(bench.messages().is_empty());
}

#[test]
fn plain_functions_count_against_the_bound_until_they_return() {
    let mut bench = Bench::new(|builder| builder.max_calls_in_flight(2));
    let (first, _) = bench.start(&call(1)).unwrap();
    assert!(bench.start(&call(2)).is_some());
    bench.cancel(1);
    assert!(bench.start(&call(3)).is_none());
    let refused = bench.messages();
    assert_eq!(refused[0]["id"], 3);
    assert!(
        refused[0]["error"]["message"]
            .as_str()
            .unwrap()
            .contains('2')
    );
    let list = request(4, "tools/list", json!({}));
    let (listing, _) = bench.start(&list).expect("no function is run for it");
    bench
        .connection
        .finish(&first, true, &mut br#"{"id":1}"#.to_vec());
    bench.cancel(4);
    drop(bench.connection.in_flight.finish(&listing, true));
    assert!(bench.start(&call(5)).is_some());
}

#[test]
fn a_plain_function_within_layers_counts_until_it_is_released() {
    let mut bench = Bench::new(|builder| builder.max_calls_in_flight(1));
    let (key, control) = bench.start_with(&call(1), false).unwrap();
    bench.connection.note_blocking(&key);
    bench.cancel(1);
    assert!(control.is_cancelled());
    // The future that waited for the function ends at once.
    bench.connection.finish(&key, false, &mut Vec::new());
    assert!(bench.start(&call(2)).is_none());
    assert!(bench.connection.has_blocking());
    bench.connection.release(&key);
    assert!(!bench.connection.has_blocking());
    assert!(bench.start(&call(3)).is_some());
}

#[test]
fn a_release_before_the_answer_does_not_end_the_call() {
    let mut bench = Bench::plain();
    let (key, _) = bench.start_with(&call(1), false).unwrap();
    bench.connection.note_blocking(&key);
    bench.connection.release(&key);
    let mut answer = br#"{"id":1}"#.to_vec();
    bench.connection.finish(&key, false, &mut answer);
    assert_eq!(bench.messages(), [json!({"id": 1})]);
    assert!(!bench.connection.has_blocking());
}

#[test]
fn a_plain_function_that_a_layer_leaves_behind_counts_until_it_is_released() {
    let mut bench = Bench::new(|builder| builder.max_calls_in_flight(1));
    let (key, _) = bench.start_with(&call(1), false).unwrap();
    bench.connection.note_blocking(&key);
    let mut answer = br#"{"id":1}"#.to_vec();
    bench.connection.finish(&key, false, &mut answer);
    assert_eq!(bench.messages(), [json!({"id": 1})]);
    assert!(bench.start(&call(2)).is_none());
    bench.connection.release(&key);
    assert!(bench.start(&call(3)).is_some());
}

#[test]
fn a_connection_ends_once_all_is_answered_and_written_or_its_time_is_over() {
    let mut bench = Bench::plain();
    assert!(!bench.connection.has_ended(bench.now));
    let (key, _) = bench.start(&call(1)).unwrap();
    bench.connection.end(bench.now);
    assert!(!bench.connection.is_open());
    assert!(!bench.connection.has_ended(bench.now));
    bench
        .connection
        .finish(&key, true, &mut br#"{"id":1}"#.to_vec());
    assert!(!bench.connection.has_ended(bench.now), "it is not written");
    assert_eq!(bench.messages().len(), 1);
    assert!(bench.connection.has_ended(bench.now));

    let mut bench = Bench::plain();
    let (_, control) = bench.start(&call(1)).unwrap();
    bench.connection.end(bench.now);
    let end = bench.connection.next_deadline().unwrap();
    assert_eq!(end, bench.now + Duration::from_secs(1));
    assert!(bench.connection.has_ended(end));
    bench.connection.close().cancel();
    assert!(control.is_cancelled());
    assert!(!bench.connection.notify(&control, b"{}".to_vec()));
}

const ALL: [&str; 4] = [
    "notifications/tools/list_changed",
    "notifications/resources/updated",
    "notifications/resources/list_changed",
    "notifications/resources/updated",
];
const NOTHING: [&str; 0] = [];
const JUST_BEFORE: Duration = QUIET_PERIOD.saturating_sub(Duration::from_nanos(1));

#[test]
fn a_burst_of_changes_is_one_notification_for_each_topic_after_a_quiet_period() {
    let mut bench = Bench::plain();
    bench.listen(1);
    for _ in 0..2 {
        // A thousand changes in less than the longest time.
        for _ in 0..1_000 {
            bench.change();
            assert_eq!(
                bench.pass(QUIET_PERIOD * (MAX_PERIODS - 1) / 1_000),
                NOTHING
            );
        }
        let mut notified = Vec::new();
        while notified.is_empty() {
            notified = bench.pass(JUST_BEFORE);
        }
        assert_eq!(notified, ALL);
        for _ in 0..100 {
            assert_eq!(bench.pass(QUIET_PERIOD), NOTHING);
        }
    }
}

#[test]
fn changes_that_never_pause_are_notified_after_the_longest_time() {
    let mut bench = Bench::plain();
    bench.listen(1);
    for _ in 0..3 {
        // The first begins the first period; one more falls into each.
        bench.change();
        for _ in 1..MAX_PERIODS {
            bench.change();
            assert_eq!(bench.pass(QUIET_PERIOD), NOTHING);
        }
        bench.change();
        assert_eq!(bench.pass(QUIET_PERIOD), ALL);
    }
}

#[test]
fn a_single_change_waits_for_a_quiet_period() {
    let mut bench = Bench::plain();
    bench.listen(1);
    for _ in 0..2 {
        bench.change();
        assert_eq!(
            bench.connection.next_deadline(),
            Some(bench.now + QUIET_PERIOD)
        );
        assert_eq!(bench.pass(JUST_BEFORE), NOTHING);
        assert_eq!(bench.pass(Duration::from_nanos(1)).len(), 4);
    }
}

#[test]
fn a_client_that_does_not_read_is_told_nothing_twice() {
    let mut bench = Bench::plain();
    bench.listen(1);
    bench
        .connection
        .answer(&CallHandle::default(), &mut b"{}".to_vec());
    let bytes = bench.connection.transmit().unwrap();
    for _ in 0..10 {
        bench.change();
        bench.now += QUIET_PERIOD * MAX_PERIODS;
        bench.timeout();
        assert_eq!(bench.connection.unsent(), 0);
        assert_eq!(
            bench.connection.next_deadline(),
            None,
            "until all is written"
        );
    }
    let length = bytes.len();
    bench.connection.has_written(bytes, length);
    bench.timeout();
    assert_eq!(bench.pass(QUIET_PERIOD * MAX_PERIODS), ALL);
}

#[test]
fn a_cancelled_stream_is_closed() {
    let mut bench = Bench::plain();
    bench.listen(1);
    bench.cancel(1);
    bench.change();
    assert_eq!(bench.pass(QUIET_PERIOD * MAX_PERIODS), NOTHING);
    bench.listen(1);
}
