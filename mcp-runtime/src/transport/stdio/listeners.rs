//! The open streams of `subscriptions/listen`, which share the channel with all answers.
//!
//! What they have to tell is fetched when it can be written, and not before: until then it is kept by the dispatcher,
//! where equal notifications become one.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use super::crew::Crew;
use super::flight::Key;
use super::output::Outbox;
use super::state::State;
use crate::dispatch::{Listener, Told};
use crate::jsonrpc::RawId;
use crate::transport::settle::{MOMENT, MOST};

/// All open streams.
#[derive(Debug, Default)]
pub(super) struct Listeners {
    open: HashMap<Key, Open>,
    /// The streams that have something to tell, each once.
    due: Vec<Key>,
    /// When these are looked at.
    look: Option<Instant>,
}

#[derive(Debug)]
struct Open {
    listener: Listener,
    /// Tells it from a later stream with the same id.
    number: u64,
    waker: Waker,
    /// The moments for which its news have waited.
    moments: u32,
}

/// Notes that a stream has something to tell.
struct Knock {
    crew: Weak<Crew>,
    key: Key,
    number: u64,
}

impl Wake for Knock {
    fn wake(self: Arc<Self>) {
        let Some(crew) = self.crew.upgrade() else {
            return;
        };
        let mut state = crew.lock();
        let now = Instant::now();
        if state.listeners.knock(&self.key, self.number, now) {
            crew.bell.ring();
        }
    }
}

impl Listeners {
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether the id is that of an open stream.
    pub(super) fn contains(&self, id: RawId<'_>) -> bool {
        !self.open.is_empty() && self.open.contains_key(&Key::Id(id.to_owned()))
    }

    /// Closes a stream whose client does not want it any more; an id that is not of one is ignored.
    pub(super) fn close(&mut self, id: RawId<'_>) {
        if !self.open.is_empty() {
            self.open.remove(&Key::Id(id.to_owned()));
        }
    }

    pub(super) fn close_all(&mut self) {
        self.open.clear();
        self.due.clear();
        self.look = None;
    }

    /// Whether something is to be told, now or in a moment.
    pub(super) fn are_due(&self) -> bool {
        self.look.is_some()
    }

    /// Lets nothing wait any longer.
    pub(super) fn hurry(&mut self) {
        if let Some(look) = &mut self.look {
            *look = Instant::now();
        }
    }

    /// How long until there is something to be told; `None` if nothing is.
    pub(super) fn next_look(&self, now: Instant) -> Option<Duration> {
        self.look.map(|look| look.saturating_duration_since(now))
    }

    /// Notes that a stream has something to tell; whether the supervisor must look at the clock again.
    fn knock(&mut self, key: &Key, number: u64, now: Instant) -> bool {
        let Some(open) = self.open.get_mut(key).filter(|open| open.number == number) else {
            return false;
        };
        open.moments = 0;
        // Asked here, so that the next answer is about what changes from now on.
        let _unsettled = open.listener.has_settled();
        // It is woken once for each time that it was asked and had nothing.
        self.due.push(key.clone());
        if self.look.is_some() {
            return false;
        }
        self.look = Some(now + MOMENT);
        true
    }

    /// Puts what is due and has settled into the outbox, if it is time to look; whether that is anything.
    fn tell(&mut self, outbox: &mut Outbox, now: Instant) -> bool {
        if self.look.is_none_or(|look| look > now) {
            return false;
        }
        let mut told = false;
        let mut unsettled = Vec::new();
        for key in std::mem::take(&mut self.due) {
            let Some(open) = self.open.get_mut(&key) else {
                continue;
            };
            open.moments += 1;
            if !open.listener.has_settled() && open.moments < MOST {
                unsettled.push(key);
                continue;
            }
            let tell = |message: &[u8]| outbox.write(|out| out.extend_from_slice(message));
            told = true;
            match open.listener.tell(tell) {
                Told::All => {
                    self.open.remove(&key);
                }
                Told::SoFar => {
                    open.moments = 0;
                    if is_ready(open) {
                        unsettled.push(key);
                    }
                }
            }
        }
        self.look = (!unsettled.is_empty()).then(|| now + MOMENT);
        self.due = unsettled;
        told
    }
}

/// Whether a stream has something to tell by now; else it will knock.
fn is_ready(open: &Open) -> bool {
    let context = Context::from_waker(&open.waker);
    open.listener.poll_news(&context) == Poll::Ready(())
}

impl State {
    /// Puts what the streams have to tell behind everything else, if that has been written; whether that is anything.
    ///
    /// A client that does not read must not be told one thing twice.
    pub(super) fn tell_listeners(&mut self) -> bool {
        self.listeners.are_due()
            && self.outbox.has_no_frames()
            && self.listeners.tell(&mut self.outbox, Instant::now())
    }
}

impl Crew {
    /// Lets a spare write what the streams have to tell.
    pub(super) fn tell_listeners(self: &Arc<Self>, state: &mut State) {
        if state.outbox.is_empty() && state.tell_listeners() {
            self.ask_for_flush(state);
        }
    }

    /// Keeps a stream whose acknowledgement is a frame, and which is told what comes.
    pub(super) fn listen(
        self: &Arc<Self>,
        state: &mut State,
        (key, number): (Key, u64),
        listener: Listener,
        frame: &mut Vec<u8>,
    ) {
        state.outbox.push(frame);
        let waker = Waker::from(Arc::new(Knock {
            crew: Arc::downgrade(self),
            key: key.clone(),
            number,
        }));
        let open = Open {
            listener,
            number,
            waker,
            moments: 0,
        };
        let is_ready = is_ready(&open);
        state.listeners.open.insert(key.clone(), open);
        if is_ready && state.listeners.knock(&key, number, Instant::now()) {
            self.bell.ring();
        }
        if state.nobody_writes() {
            self.ask_for_flush(state);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use serde_json::Value;

    use super::*;
    use crate::ResourceError;
    use crate::dispatch::{Answer, Audience, CallControl, Opened};
    use crate::server::{Server, ServerBuilder};

    const LISTEN: &str = r#"{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{
        "notifications":{"toolsListChanged":true,"resourcesListChanged":true,
        "resourceSubscriptions":["a:b","a:c"]},"_meta":{
        "io.modelcontextprotocol/protocolVersion":"2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":{}}}}"#;

    /// A stream whose knocks are passed on by the test, which has the clock.
    struct Bench {
        server: Server,
        listeners: Listeners,
        outbox: Outbox,
        key: Key,
        knocked: Arc<Knocked>,
        now: Instant,
    }

    #[derive(Default)]
    struct Knocked(AtomicBool);

    impl Wake for Knocked {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    impl Bench {
        fn new() -> Self {
            let server = ServerBuilder::new("tested", "1.0.0")
                .register_resource("a:b", "a", "A.", |_: String| Ok::<_, ResourceError>("a"))
                .build()
                .unwrap();
            let Opened::Request(request) = server.core().open(LISTEN.as_bytes()) else {
                panic!("no request");
            };
            let control = CallControl::default().with_audience(Audience::together());
            let mut out = Vec::new();
            let answer = server.core().answer(&request, &Arc::new(control), &mut out);
            let Answer::Listening(listener) = answer else {
                panic!("no stream: {}", String::from_utf8_lossy(&out));
            };
            let key = Key::new(request.id, 1);
            let knocked = Arc::<Knocked>::default();
            let open = Open {
                listener,
                number: 1,
                waker: Waker::from(Arc::clone(&knocked)),
                moments: 0,
            };
            assert!(!is_ready(&open));
            let mut listeners = Listeners::default();
            listeners.open.insert(key.clone(), open);
            Self {
                server,
                listeners,
                outbox: Outbox::default(),
                key,
                knocked,
                now: Instant::now(),
            }
        }

        /// Changes everything that the stream watches, and something else.
        fn change(&mut self) {
            let notify = self.server.notify();
            notify.tools_list_changed();
            notify.resource_updated("a:c");
            notify.resources_list_changed();
            notify.prompts_list_changed();
            notify.resource_updated("a:b");
            notify.resource_updated("a:d");
            if self.knocked.0.swap(false, Ordering::Relaxed) {
                self.listeners.knock(&self.key, 1, self.now);
            }
        }

        /// Lets time pass, at whose end somebody looks; gives the methods that are told.
        fn pass(&mut self, time: Duration) -> Vec<String> {
            self.now += time;
            self.listeners.tell(&mut self.outbox, self.now);
            let mut told = Vec::new();
            for line in self.outbox.written().split(|byte| *byte == b'\n') {
                if let Ok(message) = serde_json::from_slice::<Value>(line) {
                    told.push(message["method"].as_str().unwrap().to_owned());
                }
            }
            told
        }
    }

    const ALL: [&str; 4] = [
        "notifications/tools/list_changed",
        "notifications/resources/updated",
        "notifications/resources/list_changed",
        "notifications/resources/updated",
    ];
    const NOTHING: [&str; 0] = [];
    const JUST_BEFORE: Duration = MOMENT.saturating_sub(Duration::from_nanos(1));

    #[test]
    fn a_burst_is_told_once_for_each_topic_when_nothing_has_changed_for_a_moment() {
        let mut bench = Bench::new();
        for _ in 0..2 {
            // A thousand changes in less than the longest time, whoever looks meanwhile.
            for _ in 0..1_000 {
                bench.change();
                assert_eq!(bench.pass(MOMENT * (MOST - 1) / 1_000), NOTHING);
            }
            let mut told = Vec::new();
            while told.is_empty() {
                told = bench.pass(JUST_BEFORE);
            }
            assert_eq!(told, ALL);
            for _ in 0..100 {
                assert_eq!(bench.pass(MOMENT), NOTHING);
            }
        }
    }

    #[test]
    fn changes_without_an_end_are_told_all_the_same() {
        let mut bench = Bench::new();
        for _ in 0..3 {
            // The first begins the first moment; one more falls into each.
            bench.change();
            for _ in 1..MOST {
                bench.change();
                assert_eq!(bench.pass(MOMENT), NOTHING);
            }
            bench.change();
            assert_eq!(bench.pass(MOMENT), ALL);
        }
    }

    #[test]
    fn a_single_change_waits_for_a_moment() {
        let mut bench = Bench::new();
        for _ in 0..2 {
            bench.change();
            assert_eq!(bench.pass(JUST_BEFORE), NOTHING);
            assert_eq!(bench.pass(Duration::from_nanos(1)).len(), 4);
        }
    }
}
