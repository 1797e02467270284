//! What the threads share, behind one lock that is held while a message is read, and never while anything blocks.

use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::flight::Flight;
use super::input::Input;
use super::listeners::Listeners;
use super::output::Outbox;
use crate::dispatch::{CallControl, Core, Request};

/// How many names of slow tools are kept in mind, and as many of prompts and of resources.
const MAX_SLOW: usize = 1024;

/// What the leader is at, as far as it can take long.
#[derive(Debug)]
pub(super) enum Work {
    /// Nothing that takes long: it looks at the next line, or waits for one.
    None,
    /// It runs the call whose line stands at this place of the input's buffer.
    Call(Range<usize>, Arc<CallControl>),
    /// It writes.
    Write,
}

/// How far serving has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Calls come in.
    Open,
    /// No more calls come in; running ones have their time of grace.
    Ending,
    /// Nothing is written any more.
    Closed,
}

/// What the threads share.
#[derive(Debug)]
pub(super) struct State {
    /// `None` while the leader waits for input.
    pub(super) input: Option<Input>,
    /// Counts the leaders; a thread that took office in an earlier term does not lead any more.
    pub(super) term: u64,
    /// A leader is wanted.
    pub(super) vacant: bool,
    pub(super) work: Work,
    /// Counts the leader's works, and so the calls.
    pub(super) number: u64,
    pub(super) flight: Flight,
    pub(super) listeners: Listeners,
    pub(super) outbox: Outbox,
    /// Threads that wait to be of use, and have not been called.
    pub(super) spares: usize,
    /// Spares that have been called, and have not woken.
    pub(super) called: usize,
    /// Threads that have been called or made, and have not looked what is to be done.
    pub(super) coming: usize,
    /// Somebody is to write what stands in the outbox.
    pub(super) flush_wanted: bool,
    /// The last thread that was wanted could not be made.
    pub(super) lacks_threads: bool,
    /// Why it could not, if the log is still to be told.
    pub(super) complaint: Option<io::Error>,
    /// The supervisor must be woken when calls come in.
    pub(super) supervisor_sleeps: bool,
    pub(super) phase: Phase,
    /// The input has ended.
    pub(super) input_ended: bool,
    /// Why serving cannot go on.
    pub(super) failure: Option<io::Error>,
    /// By their methods, what was slow when it was last called: it is not run by a thread that leads.
    slow: HashMap<&'static str, HashSet<Box<str>>>,
}

impl State {
    pub(super) fn new(max_line: usize) -> Self {
        Self {
            input: Some(Input::new(max_line)),
            term: 0,
            vacant: true,
            work: Work::None,
            number: 0,
            flight: Flight::default(),
            listeners: Listeners::default(),
            outbox: Outbox::default(),
            spares: 0,
            called: 0,
            coming: 0,
            flush_wanted: false,
            lacks_threads: false,
            complaint: None,
            supervisor_sleeps: true,
            phase: Phase::Open,
            input_ended: false,
            failure: None,
            slow: HashMap::new(),
        }
    }

    /// Whether what is said about a call can still be written.
    pub(super) fn takes_notifications(&self) -> bool {
        self.phase != Phase::Closed
    }

    /// Whether nobody will come by to write what stands in the outbox.
    pub(super) fn nobody_writes(&self) -> bool {
        self.input.is_none() || self.input_ended || self.phase != Phase::Open
    }

    /// Whether a thread to write has been asked for in vain.
    pub(super) fn lacks_writer(&self) -> bool {
        self.lacks_threads && self.flush_wanted
    }

    /// Whether nothing is left to be done once no more calls come in.
    pub(super) fn is_done(&self) -> bool {
        self.flight.is_empty()
            && self.listeners.is_empty()
            && self.outbox.is_empty()
            && matches!(self.work, Work::None)
    }

    /// Whether what a request runs was slow when it was last called.
    pub(super) fn is_slow(&self, core: &Core, request: &Request<'_>) -> bool {
        let is_known = |method, name: &str| {
            let known = self.slow.get(method);
            known.is_some_and(|known| known.contains(name))
        };
        !self.slow.is_empty() && core.with_callee(request, is_known) == Some(true)
    }

    /// Keeps in mind whether what a request runs was slow.
    pub(super) fn note(&mut self, core: &Core, request: &Request<'_>, slow: bool) {
        core.with_callee(request, |method, name| {
            let known = self.slow.entry(method).or_default();
            if !slow {
                known.remove(name);
            } else if known.len() < MAX_SLOW {
                known.insert(name.into());
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::dispatch::Opened;
    use crate::server::ServerBuilder;
    use crate::{ResourceError, ToolError};

    #[test]
    fn what_was_slow_is_kept_in_mind_by_the_name_that_lists_show() {
        type Texts = BTreeMap<String, String>;
        let server = ServerBuilder::new("tested", "1.0.0")
            .register_prompt("same", "A prompt.", [], |_: Texts| Ok::<_, ToolError>(""))
            .register_resource_template("a://{x}", "a", "Some.", |_: Texts| {
                Ok::<_, ResourceError>("")
            })
            .build()
            .unwrap();
        let core = server.core();
        let requests = [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"same"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"same"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a://1"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a://2"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"b://1"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"name":"same"}}"#,
        ];
        let requests = requests.map(|text| match core.open(text.as_bytes()) {
            Opened::Request(request) => request,
            other => panic!("{other:?}"),
        });
        let mut state = State::new(1024);
        for (noted, slow) in [
            (0, [0].as_slice()),
            (1, &[1]),
            (2, &[2, 3]),
            (4, &[]),
            (5, &[]),
        ] {
            state.note(core, &requests[noted], true);
            for (index, request) in requests.iter().enumerate() {
                let expected = slow.contains(&index);
                assert_eq!(state.is_slow(core, request), expected, "{noted} {index}");
            }
            state.note(core, &requests[noted], false);
            assert!(!state.is_slow(core, &requests[noted]));
        }
    }
}
