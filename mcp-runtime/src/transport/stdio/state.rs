//! What the threads share, behind one lock that is held while a message is read, and never while anything blocks.

use std::collections::HashSet;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::flight::Flight;
use super::input::Input;
use super::listeners::Listeners;
use super::output::Outbox;
use crate::dispatch::{CallControl, Request};

/// How many names of slow tools are kept in mind.
const MAX_SLOW_TOOLS: usize = 1024;

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
    /// Threads that wait to be of use.
    pub(super) spares: usize,
    /// Somebody is to write what stands in the outbox.
    pub(super) flush_wanted: bool,
    /// The supervisor must be woken when calls come in.
    pub(super) supervisor_sleeps: bool,
    pub(super) phase: Phase,
    /// The input has ended.
    pub(super) input_ended: bool,
    /// Why serving cannot go on.
    pub(super) failure: Option<io::Error>,
    /// Tools whose last call was slow: they are not run by a thread that leads.
    slow_tools: HashSet<Box<str>>,
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
            flush_wanted: false,
            supervisor_sleeps: true,
            phase: Phase::Open,
            input_ended: false,
            failure: None,
            slow_tools: HashSet::new(),
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

    /// Whether nothing is left to be done once no more calls come in.
    pub(super) fn is_done(&self) -> bool {
        self.flight.is_empty()
            && self.listeners.is_empty()
            && self.outbox.is_empty()
            && matches!(self.work, Work::None)
    }

    pub(super) fn is_slow_tool(&self, request: &Request<'_>) -> bool {
        !self.slow_tools.is_empty()
            && request
                .tool_name()
                .is_some_and(|name| self.slow_tools.contains(&*name))
    }

    /// Keeps in mind whether the tool's last call was slow.
    pub(super) fn note_tool(&mut self, request: &Request<'_>, slow: bool) {
        let Some(name) = request.tool_name() else {
            return;
        };
        if !slow {
            self.slow_tools.remove(&*name);
        } else if self.slow_tools.len() < MAX_SLOW_TOOLS {
            self.slow_tools.insert((*name).into());
        }
    }
}
