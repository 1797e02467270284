//! What the threads do for each other while a client reads nothing, or not before a test does.
#![cfg(unix)]

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, OnceLock, Weak};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::crew::Crew;
use super::flight::{Call, Key};
use super::output::BACKLOG;
use super::wire::Wire;
use crate::ToolError;
use crate::jsonrpc::RawId;
use crate::server::{Server, ServerBuilder};

/// Longer than anything takes on a busy machine; a test waits so long only if it fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// More than a socket holds.
const LARGE: usize = 4 << 20;

/// The client's ends of the streams.
struct Client {
    input: UnixStream,
    output: UnixStream,
}

impl Client {
    /// Waits until something is being written, and takes a byte of it.
    fn begin(&mut self) {
        self.output.read_exact(&mut [0]).unwrap();
    }

    /// Takes so many bytes.
    fn read(&mut self, count: usize) {
        self.output.read_exact(&mut vec![0; count]).unwrap();
    }
}

fn crew_of(server: &Server) -> (Arc<Crew>, Client) {
    let (input, theirs) = UnixStream::pair().unwrap();
    let (output, ours) = UnixStream::pair().unwrap();
    let wire = Wire::between(theirs, ours);
    let crew = Crew::new(Arc::clone(server.core()), wire).unwrap();
    // Tests do themselves what a leader does.
    crew.lock().vacant = false;
    output.set_read_timeout(Some(PATIENCE)).unwrap();
    let client = Client { input, output };
    (crew, client)
}

fn crew() -> (Arc<Crew>, Client) {
    crew_of(&ServerBuilder::new("tested", "1.0.0").build().unwrap())
}

/// Something to be written.
fn frame(length: usize) -> Vec<u8> {
    vec![b'x'; length]
}

/// Does something with a crew on a thread of its own, and tells when it is done.
fn aside(crew: &Arc<Crew>, work: impl FnOnce(&Arc<Crew>) + Send + 'static) -> Receiver<()> {
    let (tell, told) = channel();
    let crew = Arc::clone(crew);
    thread::spawn(move || {
        work(&crew);
        // A test that has failed does not listen any more.
        let _heard = tell.send(());
    });
    told
}

#[test]
fn the_leader_goes_on_once_somebody_writes_its_backlog() {
    let (crew, mut client) = crew();
    let _writer = aside(&crew, |crew| {
        let mut state = crew.lock();
        state.outbox.push(&mut frame(LARGE));
        drop(crew.flush(state, None));
    });
    client.begin();
    let leader = aside(&crew, |crew| {
        let mut state = crew.lock();
        state.outbox.push(&mut frame(BACKLOG + 1));
        let term = state.term;
        drop(crew.flush(state, Some(term)));
    });
    // From then on it waits, since it holds the lock until it does.
    while crew.lock().outbox.len() <= BACKLOG {
        thread::yield_now();
    }
    client.read(LARGE - 1);
    // Nobody reads the rest.
    leader.recv_timeout(PATIENCE).unwrap();
}

#[test]
fn async_calls_do_not_wait_for_a_client_that_does_not_read() {
    let (crew, mut client) = crew();
    // As while the leader waits for input.
    crew.lock().input = None;
    let lengths = [1, 10_000, LARGE, 1, 10_000];
    for (number, length) in (1..).zip(lengths) {
        let answered = aside(&crew, move |crew| {
            let mut state = crew.lock();
            let key = Key::Number(number);
            let call = Call {
                number,
                id: RawId::NULL.keep(),
                since: Instant::now(),
                control: Arc::default(),
                task: None,
            };
            state.flight.insert(key.clone(), call);
            drop(crew.answer(state, (&key, number), false, &mut frame(length)));
        });
        answered.recv_timeout(PATIENCE).unwrap();
    }
    client.read(lengths.iter().sum());
}

#[test]
fn one_thread_comes_to_write_a_burst_of_frames() {
    let (crew, mut client) = crew();
    let mut state = crew.lock();
    for _ in 0..100 {
        state.outbox.push(&mut frame(10));
        crew.ask_for_flush(&mut state);
    }
    // The threads that were made have the crew, and have to wait for the lock.
    assert!(Arc::strong_count(&crew) <= 2);
    drop(state);
    client.read(1_000);
}

#[test]
fn as_many_threads_come_as_are_called() {
    let (crew, _client) = crew();
    crew.summon(&mut crew.lock()).unwrap();
    let mut state = crew.lock();
    while state.spares == 0 {
        drop(state);
        thread::yield_now();
        state = crew.lock();
    }
    crew.summon(&mut state).unwrap();
    crew.summon(&mut state).unwrap();
    assert_eq!(Arc::strong_count(&crew), 3, "one waited, and one was made");
}

/// Comes back to the crew when it is dropped.
struct Returning(Arc<OnceLock<Weak<Crew>>>);

impl Returning {
    fn crew(&self) -> Arc<Crew> {
        self.0.get().unwrap().upgrade().unwrap()
    }
}

impl Drop for Returning {
    fn drop(&mut self) {
        drop(self.crew().lock());
    }
}

#[test]
fn a_call_that_waits_when_serving_has_ended_is_dropped_without_the_lock() {
    let shared = Arc::<OnceLock<Weak<Crew>>>::default();
    let handler = {
        let shared = Arc::clone(&shared);
        move |_: Value| {
            let returning = Returning(Arc::clone(&shared));
            async move {
                // As if another thread found the client gone meanwhile.
                let crew = returning.crew();
                crew.fail(&mut crew.lock(), std::io::ErrorKind::BrokenPipe.into());
                crew.runtime.shut_down();
                drop(crew);
                std::future::pending::<Result<String, ToolError>>().await
            }
        }
    };
    let server = ServerBuilder::new("tested", "1.0.0")
        .register_tool("end", "End.", json!({"type": "object"}), handler)
        .build()
        .unwrap();
    let (crew, mut client) = crew_of(&server);
    assert!(shared.set(Arc::downgrade(&crew)).is_ok());
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
    "name": "end", "arguments": {}, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }}});
    writeln!(client.input, "{request}").unwrap();
    let led = aside(&crew, |crew| drop(super::leader::lead(crew, crew.lock())));
    led.recv_timeout(PATIENCE).unwrap();
    assert!(crew.lock().flight.is_empty());
}
