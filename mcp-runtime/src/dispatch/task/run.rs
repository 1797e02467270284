//! A run of a task: its tool's handler, polled until it has a result, with everything saved on the way.

use std::collections::BTreeMap;
use std::fmt;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use serde_json::value::RawValue;

use super::Tasks;
use super::create::digest;
use super::ending::{Ending, ending};
use super::input_driver::{TaskInputDriver, json_size};
use super::record::{OpenQuestion, Progress, TaskRecord};
use crate::dispatch::conversation::{Conversation, Journal, Question};
use crate::dispatch::{
    CallHandle, Core, DispatchError, Environment, Opened, PendingCall, Principal, tools,
};
use crate::jsonrpc::{RawId, write_error};
use crate::task::{LeaseOwner, StoredTask, TaskFuture, TaskId};

/// A task that is worked on in this process.
pub(crate) struct TaskRun {
    pub(super) id: TaskId,
    /// As it stands in the store, as far as this process knows.
    kept: Mutex<Saved>,
    is_stored: AtomicBool,
    /// Until when the task is this process's for certain, in milliseconds since the Unix epoch.
    leased_until: AtomicU64,
    signal: Mutex<Signal>,
    questions: Mutex<Questions>,
}

/// What the task asks.
#[derive(Debug, Default)]
struct Questions {
    /// What an earlier run has asked stands until this one comes to it: it may be answered before.
    open: Vec<OpenQuestion>,
    /// Whoever waits for an answer, or to begin something.
    waiting: Vec<Waker>,
    /// The keys under which came what is no answer, which is not worth its room.
    refused: Vec<String>,
}

#[derive(Debug, Clone)]
struct Saved {
    stored: StoredTask,
    record: TaskRecord,
}

/// What the run has to hear of while it waits.
#[derive(Debug, Default)]
struct Signal {
    waker: Option<Waker>,
    /// The work is no longer this process's.
    is_abandoned: bool,
    /// The handler is being polled.
    is_polled: bool,
    /// No step begins any more, and the run ends as soon as none is being run.
    is_draining: bool,
    /// The lease has ended, and it is not known yet whose the work is.
    is_overdue: bool,
    /// What the handler has said of itself since it was saved.
    status: Option<String>,
}

impl fmt::Debug for TaskRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TaskRun({:?})", self.id)
    }
}

/// The task is not this process's any more: it has ended, is gone, or somebody else has its lease.
#[derive(Debug)]
pub(super) struct LeaseLost;

impl TaskRun {
    /// A run of a task that is about to be stored.
    pub(super) fn new(stored: StoredTask, record: TaskRecord) -> Self {
        let questions = Questions {
            open: record.asked().to_vec(),
            ..Questions::default()
        };
        Self {
            id: stored.id,
            leased_until: AtomicU64::new(stored.lease.map_or(0, |lease| lease.until)),
            kept: Mutex::new(Saved { stored, record }),
            is_stored: AtomicBool::new(false),
            signal: Mutex::default(),
            questions: Mutex::new(questions),
        }
    }

    /// A run of a task that somebody has begun.
    pub(super) fn taken_up(stored: StoredTask, record: TaskRecord) -> Self {
        let run = Self::new(stored, record);
        run.is_stored.store(true, Ordering::Release);
        run
    }

    /// Whether the store has it for certain.
    pub(super) fn is_stored(&self) -> bool {
        self.is_stored.load(Ordering::Acquire)
    }

    /// Whose task it is, without the claims that came with the request.
    pub(in crate::dispatch) fn principal(&self) -> Option<Principal> {
        self.kept().stored.principal.clone().map(Principal::new)
    }

    /// Who had its lease when this process last looked.
    pub(super) fn owner(&self) -> Option<LeaseOwner> {
        self.kept().stored.lease.map(|lease| lease.owner)
    }

    /// How long ago the task began, whichever run this is.
    pub(in crate::dispatch) fn age(&self, environment: &dyn Environment) -> Duration {
        let began = self.kept().record.created_at;
        Duration::from_millis(environment.unix_millis().saturating_sub(began))
    }

    /// The version that this process knows of.
    pub(super) fn version(&self) -> u64 {
        self.kept().stored.version
    }

    /// The task as this process knows it.
    pub(super) fn copy(&self) -> (StoredTask, TaskRecord) {
        let Saved { stored, record } = self.kept().clone();
        (stored, record)
    }

    /// Whether the work is no longer this process's.
    pub(super) fn is_abandoned(&self) -> bool {
        self.signal().is_abandoned
    }

    /// Takes note of what stands in the store, unless something newer is known.
    pub(super) fn learn(&self, stored: StoredTask, record: TaskRecord) {
        {
            let mut kept = self.kept();
            if stored.version <= kept.stored.version {
                return;
            }
            *kept = Saved { stored, record };
        }
        self.wake();
    }

    /// Takes note of what a later look at the task has found, under a lease of the same owner.
    pub(super) fn follow(&self, later: &Self) {
        self.prolong(later.leased_until.load(Ordering::Acquire));
        let (stored, record) = later.copy();
        self.learn(stored, record);
    }

    /// Takes note that the task stays this process's until then, which is earlier than before if the clock was set back.
    pub(super) fn prolong(&self, until: u64) {
        self.leased_until.store(until, Ordering::Release);
        // The handler, or what it has spawned, may have waited for that.
        if std::mem::take(&mut self.signal().is_overdue) {
            self.wake();
        }
    }

    /// Ends the run, and leaves the task as it stands in the store; tells whether the handler is at work at this moment, which
    /// goes on up to the place where it next waits.
    pub(super) fn abandon(&self) -> bool {
        let is_polled = {
            let mut signal = self.signal();
            signal.is_abandoned = true;
            signal.is_polled
        };
        self.wake();
        is_polled
    }

    /// Has the run begin no step any more, and end as soon as it runs none.
    pub(super) fn drain(&self) {
        self.signal().is_draining = true;
        self.wake();
    }

    fn is_draining(&self) -> bool {
        self.signal().is_draining
    }

    /// Whether the handler may begin a step.
    pub(super) fn may_begin_step(&self, now: u64) -> Poll<Result<(), LeaseLost>> {
        if self.is_draining() && !self.is_abandoned() {
            // The run ends when no step is being run, and its handler with it.
            return Poll::Pending;
        }
        self.may_begin(now)
    }

    /// Whether the handler may go on, and begin something.
    ///
    /// After a pause of the process somebody else may be at it, so nothing is begun that they may have done.
    pub(super) fn may_begin(&self, now: u64) -> Poll<Result<(), LeaseLost>> {
        let mut signal = self.signal();
        if signal.is_abandoned {
            return Poll::Ready(Err(LeaseLost));
        }
        if self.leased_until.load(Ordering::Acquire) < now {
            signal.is_overdue = true;
            return Poll::Pending;
        }
        Poll::Ready(Ok(()))
    }

    /// Says what the handler is at; it is saved when the handler next waits.
    pub(crate) fn set_status(&self, text: String) {
        self.signal().status = Some(text);
        self.wake();
    }

    /// Asks a question as long as it has no answer; the waker hears of one.
    ///
    /// If there is no room for it beside what is asked already, it is not asked, and the error is the room that all would take.
    pub(super) fn ask(&self, question: &Question, room: usize, waker: &Waker) -> Result<(), usize> {
        {
            let open = &mut self.questions().open;
            let there = open.iter().position(|open| open.key == question.key);
            // An earlier run may have asked in other words.
            if there.is_none_or(|there| open[there].request.get() != question.request) {
                let asked = OpenQuestion::new(question);
                let others = open.iter().filter(|open| open.key != question.key);
                let size = asked.size() + others.map(OpenQuestion::size).sum::<usize>();
                if size > room {
                    return Err(size);
                }
                match there {
                    Some(there) => open[there] = asked,
                    None => open.push(asked),
                }
            }
        }
        self.hear(waker);
        Ok(())
    }

    /// Wakes the waker when something has changed.
    pub(super) fn hear(&self, waker: &Waker) {
        let waiting = &mut self.questions().waiting;
        if !waiting.iter().any(|other| other.will_wake(waker)) {
            waiting.push(waker.clone());
        }
    }

    /// Asks no more.
    pub(super) fn withdraw(&self, key: &str) {
        self.questions().open.retain(|open| open.key != key);
    }

    /// Notes that what came under a key is no answer; it is asked again, and this saved with that.
    pub(super) fn refuse(&self, key: &str) {
        self.questions().refused.push(key.to_owned());
    }

    /// What the client was asked under the key of a question, if that is another one.
    pub(super) fn asked_otherwise(&self, question: &Question) -> Option<String> {
        self.kept().record.asked_otherwise(question)
    }

    /// What the client has answered under a key, and to what, if that is known.
    pub(super) fn answer(&self, key: &str) -> Option<(Box<RawValue>, Option<String>)> {
        self.kept().record.answered(key)
    }

    /// All that the client has answered.
    pub(super) fn answers(&self) -> BTreeMap<String, Box<RawValue>> {
        self.kept().record.answers.clone()
    }

    /// What earlier runs have left to remember, in bytes.
    pub(super) fn max_journal_size(&self) -> usize {
        json_size(&self.kept().record.journal)
    }

    /// The conversation of this run's handler, after those of earlier runs.
    pub(in crate::dispatch) fn conversation(self: &Arc<Self>, core: &Arc<Core>) -> Conversation {
        let driver = TaskInputDriver::new(Arc::clone(core), Arc::clone(self));
        let kept = self.kept();
        let (journal, id) = (kept.record.journal.clone(), kept.record.conversation);
        Conversation::with_driver(Box::new(driver), journal, id)
    }

    /// Whether something is to be told that the store does not know.
    fn has_news(&self) -> bool {
        if self.signal().status.is_some() {
            return true;
        }
        let questions = self.questions();
        !self.kept().record.asks(&questions.open)
    }

    fn wake(&self) {
        let waker = self.signal().waker.take();
        let waiting = std::mem::take(&mut self.questions().waiting);
        for waker in waker.into_iter().chain(waiting) {
            waker.wake();
        }
    }

    fn questions(&self) -> MutexGuard<'_, Questions> {
        self.questions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn kept(&self) -> MutexGuard<'_, Saved> {
        // It is replaced as a whole.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn signal(&self) -> MutexGuard<'_, Signal> {
        self.signal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why the handler is not polled on.
enum Step {
    /// The handler is done, with this response.
    Done(Vec<u8>),
    /// There is something to save before it goes on.
    Save,
    /// The client wants no result, and the handler was told so.
    Cancelled,
    TimedOut,
}

/// Hands a run to the spawner.
pub(super) fn spawn(core: &Arc<Core>, tasks: &Tasks, run: Arc<TaskRun>) {
    run.is_stored.store(true, Ordering::Release);
    tasks
        .spawner
        .spawn(Box::pin(work(Listed(Arc::clone(core), run))));
}

/// A run as long as it stands in the list of those of this process.
struct Listed(Arc<Core>, Arc<TaskRun>);

impl Drop for Listed {
    fn drop(&mut self) {
        let Self(core, run) = self;
        if let Some(tasks) = &core.tasks {
            tasks.unlist(run);
        }
    }
}

async fn work(listed: Listed) {
    let Listed(core, run) = &listed;
    let Some(tasks) = &core.tasks else { return };
    let ended = match perform(core, tasks, run).await {
        Ok(ending) => end(core, tasks, run, ending).await,
        Err(lost) => Err(lost),
    };
    if let Err(LeaseLost) = ended {
        tracing::debug!("the task {:?} is no longer worked on here", run.id);
    }
}

/// Saves how a task has ended.
async fn end(core: &Core, tasks: &Tasks, run: &TaskRun, ending: Ending) -> Result<(), LeaseLost> {
    let status = run.signal().status.take();
    let (progress, message) = match ending {
        Ending::Completed(result) => (Progress::Completed(result), None),
        Ending::Cancelled => (Progress::Cancelled, None),
        Ending::Failed(error, message) => (Progress::Failed(error), Some(message)),
    };
    run.save(core, tasks, |record| {
        record.progress = progress.clone();
        // No run comes any more that would need them.
        record.journal = Journal::default();
        record.answers.clear();
        record.subjects.clear();
        if let Some(message) = message.as_ref().or(status.as_ref()) {
            record.say(message);
        }
        true
    })
    .await
}

/// Runs the handler to its end.
async fn perform(core: &Arc<Core>, tasks: &Tasks, run: &Arc<TaskRun>) -> Result<Ending, LeaseLost> {
    if run.kept().record.is_cancelled {
        return Ok(Ending::Cancelled);
    }
    let control = Arc::new(CallHandle::of_task(Arc::clone(run)));
    let mut call = match begin(core, run, &control) {
        Ok(call) => call,
        Err(response) => return Ok(ending(&response)),
    };
    let age = run.age(&*core.sealing.environment);
    let left = control.timeout().map(|limit| limit.saturating_sub(age));
    if left.is_some_and(|left| left.is_zero()) {
        // An earlier run has used it up.
        return Ok(ending(&refused(core, &DispatchError::TimedOut)));
    }
    let mut limit = left.map(|left| tasks.spawner.sleep(left));
    loop {
        let environment = &*core.sealing.environment;
        let next = poll_fn(|context| {
            let now = environment.unix_millis();
            step(run, now, &control, &mut call, limit.as_mut(), context)
        });
        match next.await? {
            Step::Done(frame) => return Ok(ending(&frame)),
            Step::Cancelled => return Ok(Ending::Cancelled),
            Step::TimedOut => return Ok(ending(&refused(core, &DispatchError::TimedOut))),
            Step::Save => {
                let status = run.signal().status.take();
                let (open, refused) = {
                    let mut questions = run.questions();
                    let refused = std::mem::take(&mut questions.refused);
                    (questions.open.clone(), refused)
                };
                run.save(core, tasks, |record| {
                    for key in &refused {
                        record.refuse(key);
                    }
                    record.ask(&open);
                    if let Some(status) = &status {
                        record.say(status);
                    }
                    true
                })
                .await?;
            }
        }
    }
}

/// The id under which a run's response is written, which nobody sees.
const NO_ID: RawId<'static> = RawId::NULL;

/// A handler that is being polled.
struct Polled<'r>(&'r TaskRun);

impl Drop for Polled<'_> {
    fn drop(&mut self) {
        self.0.signal().is_polled = false;
    }
}

/// Polls the handler once, and looks at what else has happened.
fn step(
    run: &TaskRun,
    now: u64,
    control: &CallHandle,
    call: &mut PendingCall,
    limit: Option<&mut TaskFuture>,
    context: &mut Context<'_>,
) -> Poll<Result<Step, LeaseLost>> {
    {
        let mut signal = run.signal();
        signal.waker = Some(context.waker().clone());
        signal.is_polled = true;
    }
    let _polled = Polled(run);
    if let Err(lost) = std::task::ready!(run.may_begin(now)) {
        return Poll::Ready(Err(lost));
    }
    if run.is_draining() && !call.is_in_step() {
        return Poll::Ready(Err(LeaseLost));
    }
    // A handler that watches for it gets to say its last word.
    let is_cancelled = run.kept().record.is_cancelled;
    let is_late = limit.is_some_and(|limit| limit.as_mut().poll(context).is_ready());
    if is_cancelled || is_late {
        control.cancel();
    }
    if let Poll::Ready(frame) = call.poll(NO_ID, context) {
        return Poll::Ready(Ok(Step::Done(frame)));
    }
    if is_cancelled {
        Poll::Ready(Ok(Step::Cancelled))
    } else if is_late {
        Poll::Ready(Ok(Step::TimedOut))
    } else if run.is_draining() && !call.is_in_step() {
        Poll::Ready(Err(LeaseLost))
    } else if run.has_news() {
        Poll::Ready(Ok(Step::Save))
    } else {
        Poll::Pending
    }
}

/// Calls the tool with the arguments that the task began with; gives a response if there is nothing to wait for.
fn begin(
    core: &Arc<Core>,
    run: &TaskRun,
    control: &Arc<CallHandle>,
) -> Result<PendingCall, Vec<u8>> {
    let record = run.kept().record.clone();
    let refuse = |error| Err(refused(core, &error));
    let registry = core.registry.load();
    let Some(tool) = registry.tool(&record.tool) else {
        return refuse(DispatchError::ToolGone(record.tool));
    };
    if digest(tool).as_ref() != Some(&record.schema) {
        return refuse(DispatchError::ToolChanged(record.tool));
    }
    let mut readable = Vec::new();
    match core.open(record.request.get().as_bytes(), &mut readable) {
        Opened::Request(request) => tools::begin_task_call(core, tool, &request, control),
        // It was read before it was stored, with limits that may have been wider.
        Opened::Notification(_) | Opened::Response(_) | Opened::Invalid(_) => refuse(
            DispatchError::NotARequest("the task's own is not read here"),
        ),
    }
}

/// The response that refuses a task.
fn refused(core: &Core, error: &DispatchError) -> Vec<u8> {
    let mut response = Vec::new();
    write_error(&mut response, NO_ID, &error.to_wire(core.options.profile));
    response
}
