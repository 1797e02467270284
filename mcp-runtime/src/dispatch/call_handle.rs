//! The strings that a transport holds to a call while it runs.

use std::collections::BTreeMap;
use std::fmt;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use super::conversation::{AskedRound, ResponseSlot, ResumeState};
use super::task::TaskRun;
use super::{Principal, SubscriberGroup, Verdict};
use crate::bound::{Bound, Full, Permit, Sender};
use crate::exec::Execution;
use crate::protocol::Session;

/// Smaller answers are not counted, which would cost more than they take.
const COUNTED_ANSWER: usize = 4096;

/// What a function finds around it, such as a runtime for its timers.
pub(crate) trait RuntimeContext: fmt::Debug + Send + Sync {
    /// Runs a function of this execution within them, once, or fails without having run it.
    fn enter(&self, execution: Execution, run: &mut dyn FnMut()) -> Result<(), NoRuntimeContext>;
}

/// The surroundings of a function cannot be had; the reason is in the log.
#[derive(Debug)]
pub(crate) struct NoRuntimeContext;

/// Where the notifications of a call go before its response (basic/patterns/progress, server/utilities/logging).
pub(crate) trait Outbox: fmt::Debug + Send + Sync {
    /// Hands over one whole message of a call, without a newline; `false` if it will not be sent, since nobody can take it
    /// or the call has ended.
    ///
    /// This never waits.
    fn send(&self, call: &CallHandle, frame: Vec<u8>) -> bool;

    /// Sends a request about a call, an `InputRequest` as JSON, to the client of the call's session; gives its id.
    ///
    /// This never waits.
    ///
    /// # Errors
    ///
    /// Why it cannot be sent.
    fn ask(
        &self,
        call: &CallHandle,
        request: &str,
        slot: &Arc<ResponseSlot>,
    ) -> Result<u64, String> {
        let _ = (call, request, slot);
        Err("the client cannot be asked over this transport".to_owned())
    }

    /// Takes a request back whose response nobody waits for; one that has its response is no more known.
    fn withdraw(&self, id: u64) {
        let _ = id;
    }
}

/// The time in which a call waits for its client.
#[derive(Debug, Default)]
struct Rest {
    /// The questions that are open.
    open: usize,
    /// When the first of them was asked.
    since: Option<Duration>,
    /// The time of earlier ones.
    total: Duration,
}

/// Which functions may be run where a request is dispatched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Permitted {
    /// All of them.
    #[default]
    All,
    /// Those that do not block: inline and async ones.
    NonBlocking,
    /// Inline ones.
    InlineOnly,
}

impl Permitted {
    /// Whether functions of this execution are among them.
    pub(super) fn includes(self, execution: Execution) -> bool {
        match self {
            Self::All => true,
            Self::NonBlocking => execution != Execution::Blocking,
            Self::InlineOnly => execution == Execution::Inline,
        }
    }
}

/// Who waits for the cancellation of a call, each in a place of its own.
#[derive(Debug, Default)]
struct Waiting {
    wakers: BTreeMap<u64, Waker>,
    /// The place of the next one.
    next: u64,
}

/// One who waits for the cancellation of a call, until it is dropped.
#[derive(Debug)]
pub(super) struct Awaiting<'c> {
    control: &'c CallHandle,
    place: Option<u64>,
}

impl Awaiting<'_> {
    /// Wakes the task, instead of the one that waited here before, once the call is cancelled.
    pub(super) fn wake(&mut self, waker: &Waker) {
        let mut waiting = self.control.waiting();
        let place = *self.place.get_or_insert_with(|| {
            waiting.next += 1;
            waiting.next
        });
        let other = waiting.wakers.insert(place, waker.clone());
        // A task may be dropped with its last waker, and what it holds may come here.
        drop(waiting);
        drop(other);
        // A cancellation that came between the caller's look and the insertion would have missed this waker.
        if self.control.is_cancelled() {
            waker.wake_by_ref();
        }
    }
}

impl Drop for Awaiting<'_> {
    fn drop(&mut self) {
        if let Some(place) = self.place {
            let waker = self.control.waiting().wakers.remove(&place);
            drop(waker);
        }
    }
}

/// A call's limit of time, its cancellation, and the way to its client.
///
/// A transport makes one and uses it again for the next call unless somebody still holds on to it.
#[derive(Debug, Default)]
pub(crate) struct CallHandle {
    /// What functions find around them; `None` leaves that to the caller.
    surroundings: Option<Arc<dyn RuntimeContext>>,
    cancelled: AtomicBool,
    /// The response has been written.
    ended: AtomicBool,
    /// In milliseconds; 0 means without limit.
    timeout: AtomicU64,
    waiting: Mutex<Waiting>,
    verdict: AtomicU8,
    outbox: Option<Arc<dyn Outbox>>,
    /// The time since some moment in the past; `None` where nobody bounds the time of calls.
    clock: Option<fn() -> Duration>,
    principal: Option<Principal>,
    /// The session that the request belongs to.
    session: Option<Arc<Session>>,
    rest: Mutex<Rest>,
    /// What the function of a session has asked by returning, until the client is asked.
    asked: Mutex<Option<AskedRound>>,
    /// What the client has answered, until the function is run again.
    answered: Mutex<Option<ResumeState>>,
    subscriber_group: Option<Arc<SubscriberGroup>>,
    /// The task that the call is a run of.
    task: Option<Arc<TaskRun>>,
    permitted: AtomicU8,
    /// The sender of the request, if senders are counted apart.
    sender: Option<Sender>,
    /// Held by the answer until the transport takes it along.
    max_answer_memory: Mutex<Option<Permit>>,
}

impl CallHandle {
    /// Controls a run of a task.
    pub(super) fn of_task(task: Arc<TaskRun>) -> Self {
        Self {
            principal: task.principal(),
            task: Some(task),
            ..Self::default()
        }
    }

    /// The task that the call is a run of.
    pub(super) fn task(&self) -> Option<&Arc<TaskRun>> {
        self.task.as_ref()
    }

    /// Controls calls whose functions are begun in surroundings of the transport's.
    #[cfg_attr(
        not(any(feature = "stdio", feature = "http")),
        expect(dead_code, reason = "there are no surroundings without a runtime")
    )]
    pub(crate) fn within(surroundings: Arc<dyn RuntimeContext>) -> Self {
        Self {
            surroundings: Some(surroundings),
            ..Self::default()
        }
    }

    /// The same for a call whose client can be sent notifications before the response.
    pub(crate) fn with_outbox(mut self, outbox: Arc<dyn Outbox>) -> Self {
        self.outbox = Some(outbox);
        self
    }

    /// The same for calls whose time is measured, and bounded, by who runs them.
    pub(crate) fn with_clock(mut self, clock: fn() -> Duration) -> Self {
        self.clock = Some(clock);
        self
    }

    /// The same for a call on somebody's behalf.
    pub(crate) fn with_principal(mut self, principal: Option<Principal>) -> Self {
        self.principal = principal;
        self
    }

    /// The same for a request of a session.
    pub(crate) fn set_session(&mut self, session: Option<Arc<Session>>) {
        self.session = session;
    }

    /// The session that the request belongs to.
    pub(crate) fn session(&self) -> Option<&Arc<Session>> {
        self.session.as_ref()
    }

    /// The same for a call of a sender that is counted apart from others.
    #[cfg(feature = "http")]
    pub(crate) fn with_sender(mut self, sender: Sender) -> Self {
        self.sender = Some(sender);
        self
    }

    /// The sender of the request, if senders are counted apart.
    pub(super) fn sender(&self) -> Option<Sender> {
        self.sender
    }

    /// Holds memory for an answer of a size, instead of what was held for one before it.
    pub(super) fn hold_answer(&self, bound: &Arc<Bound>, size: usize) -> Result<(), Full> {
        let mut held = self.max_answer_memory();
        *held = None;
        if size >= COUNTED_ANSWER {
            *held = Some(bound.acquire(self.sender, size)?);
        }
        Ok(())
    }

    /// Takes the memory of the answer along, to be held until the client has taken it.
    pub(crate) fn take_answer_memory(&self) -> Option<Permit> {
        self.max_answer_memory().take()
    }

    fn max_answer_memory(&self) -> MutexGuard<'_, Option<Permit>> {
        // Every change is one assignment.
        self.max_answer_memory
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the client of the session; gives the id of the request.
    pub(super) fn ask(&self, request: &str, slot: &Arc<ResponseSlot>) -> Result<u64, String> {
        match &self.outbox {
            Some(outbox) => outbox.ask(self, request, slot),
            None => Err("the client cannot be asked".to_owned()),
        }
    }

    /// Takes a question back, unless it is answered.
    pub(super) fn withdraw_question(&self, id: u64) {
        if let Some(outbox) = &self.outbox {
            outbox.withdraw(id);
        }
    }

    /// Notes that a question is open: the time of the call rests until all are answered.
    pub(super) fn question_begins(&self) {
        let now = self.now();
        let mut rest = lock(&self.rest);
        rest.open += 1;
        if rest.open == 1 {
            rest.since = now;
        }
    }

    /// Notes that a question is answered, or taken back.
    pub(super) fn question_ends(&self) {
        let now = self.now();
        let mut rest = lock(&self.rest);
        rest.open = rest.open.saturating_sub(1);
        if rest.open == 0
            && let (Some(since), Some(now)) = (rest.since.take(), now)
        {
            rest.total += now.saturating_sub(since);
        }
    }

    /// Returns `true` while the call waits for its client.
    pub(crate) fn is_resting(&self) -> bool {
        lock(&self.rest).open > 0
    }

    /// How long the call has waited for its client.
    pub(crate) fn rested(&self) -> Duration {
        let rest = lock(&self.rest);
        let now = rest
            .since
            .and_then(|since| Some(self.now()?.saturating_sub(since)));
        rest.total + now.unwrap_or_default()
    }

    /// Has the client asked what a function has returned.
    pub(super) fn ask_round(&self, round: AskedRound) {
        *lock(&self.asked) = Some(round);
    }

    /// Takes what the client is to be asked before the function is run again.
    pub(super) fn take_asked_round(&self) -> Option<AskedRound> {
        self.session.as_ref()?;
        lock(&self.asked).take()
    }

    /// Notes what the next run of the function is to know.
    pub(super) fn run_again(&self, earlier: ResumeState) {
        *lock(&self.answered) = Some(earlier);
    }

    /// Returns `true` if the function is to be run again, with what its client has answered.
    pub(crate) fn runs_again(&self) -> bool {
        self.session.is_some() && lock(&self.answered).is_some()
    }

    /// Takes what the client has answered.
    pub(super) fn take_answered(&self) -> Option<ResumeState> {
        lock(&self.answered).take()
    }

    /// Says which functions may be run where the request is dispatched next; all of them unless it is said.
    pub(crate) fn permit(&self, permitted: Permitted) {
        self.permitted.store(permitted as u8, Ordering::Relaxed);
    }

    /// Which functions may be run here.
    pub(super) fn permitted(&self) -> Permitted {
        let permitted = self.permitted.load(Ordering::Relaxed);
        [Permitted::NonBlocking, Permitted::InlineOnly]
            .into_iter()
            .find(|other| *other as u8 == permitted)
            .unwrap_or_default()
    }

    /// The time since some moment in the past, if the time of the call is bounded.
    pub(super) fn now(&self) -> Option<Duration> {
        self.clock.map(|clock| clock())
    }

    /// On whose behalf the call is made, if that is known.
    pub(crate) fn principal(&self) -> Option<&Principal> {
        self.principal.as_ref()
    }

    /// The same for a request that may be answered with a stream, which then is one of these.
    pub(crate) fn with_subscriber_group(mut self, subscriber_group: Arc<SubscriberGroup>) -> Self {
        self.subscriber_group = Some(subscriber_group);
        self
    }

    /// The streams that a stream would be one of; `None` if the transport has none.
    pub(super) fn subscriber_group(&self) -> Option<&Arc<SubscriberGroup>> {
        self.subscriber_group.as_ref()
    }

    /// Begins a function within its surroundings; fails if these cannot be had.
    pub(crate) fn enter(
        &self,
        execution: Execution,
        begin: &mut dyn FnMut(),
    ) -> Result<(), NoRuntimeContext> {
        match &self.surroundings {
            Some(surroundings) => surroundings.enter(execution, begin),
            None => {
                begin();
                Ok(())
            }
        }
    }

    /// Sends a notification about the call, if the transport can and the call still runs; tells whether it did.
    pub(super) fn notify(&self, frame: Vec<u8>) -> bool {
        let outbox = self.outbox.as_ref();
        outbox.is_some_and(|outbox| outbox.send(self, frame))
    }

    /// Notes that the response has been written: nothing may be sent about the call any more.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Release);
    }

    /// Whether somebody still waits for what the call has to say.
    pub(crate) fn is_heard(&self) -> bool {
        !self.ended.load(Ordering::Acquire) && !self.is_cancelled()
    }

    /// Notes how far the request came.
    pub(super) fn judge(&self, verdict: Verdict) {
        self.verdict.store(verdict as u8, Ordering::Relaxed);
    }

    #[cfg(feature = "http")]
    /// How far the request came; to be asked when the response is written.
    pub(crate) fn verdict(&self) -> Verdict {
        let verdict = self.verdict.load(Ordering::Relaxed);
        [
            Verdict::Malformed,
            Verdict::UnknownMethod,
            Verdict::Overloaded,
        ]
        .into_iter()
        .find(|other| *other as u8 == verdict)
        .unwrap_or_default()
    }

    /// Notes how long the call may take; the dispatcher says so before the handler runs.
    pub(crate) fn begin(&self, timeout: Option<Duration>) {
        let millis = timeout.map_or(0, |timeout| {
            u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX)
        });
        self.timeout.store(millis, Ordering::Relaxed);
        self.ended.store(false, Ordering::Relaxed);
    }

    /// How long the call may take, counted from its beginning; `None` is without limit.
    pub(crate) fn timeout(&self) -> Option<Duration> {
        match self.timeout.load(Ordering::Relaxed) {
            0 => None,
            millis => Some(Duration::from_millis(millis)),
        }
    }

    /// Notes that nobody waits for the answer any more, where nobody may be woken yet: [`cancel`](Self::cancel) is to follow.
    pub(crate) fn note_cancelled(&self) {
        self.cancelled.store(true, Ordering::Release);
    }

    /// Tells the handler that nobody waits for its answer any more.
    pub(crate) fn cancel(&self) {
        self.note_cancelled();
        let woken = std::mem::take(&mut self.waiting().wakers);
        for waker in woken.into_values() {
            waker.wake();
        }
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }

    /// Ready once the call is cancelled.
    pub(crate) async fn cancelled(&self) {
        let mut awaiting = self.awaiting();
        poll_fn(|task| {
            if self.is_cancelled() {
                return Poll::Ready(());
            }
            awaiting.wake(task.waker());
            Poll::Pending
        })
        .await;
    }

    /// A place for somebody who waits for the cancellation.
    pub(super) fn awaiting(&self) -> Awaiting<'_> {
        Awaiting {
            control: self,
            place: None,
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        lock(&self.waiting)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every change under these locks is one insertion, removal or assignment.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
