//! The driver of a conversation inside a task: the handler waits for its answers, and each entry of the journal is in the
//! store before the handler goes on.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use serde::Serialize;
use serde_json::value::RawValue;

use super::run::{LeaseLost, TaskRun};
use crate::convert::ToolError;
use crate::dispatch::Core;
use crate::dispatch::conversation::{
    Ended, Entry, InputDriver, Journal, NextKey, Question, RoundEnded, failed, fits, other_question,
};

/// The driver of one run.
pub(crate) struct TaskInputDriver {
    core: Arc<Core>,
    run: Arc<TaskRun>,
    state: Mutex<State>,
    /// The entries that are being stored.
    pending: Arc<Mutex<BTreeMap<String, Entry>>>,
}

/// What a task may ask at one time, in bytes, or as much as it may remember if that is more.
const QUESTIONS: usize = 1024 * 1024;

/// An entry on its way into the store.
type Saving = Pin<Box<dyn Future<Output = Result<(), LeaseLost>> + Send>>;

#[derive(Default)]
struct State {
    /// The keys whose answers this run has read.
    taken: HashSet<String>,
    /// Who waits until an entry is stored.
    keeping: HashMap<String, Saving>,
    /// What the task has to remember, in bytes; `None` until it is first asked for.
    remembered: Option<usize>,
}

impl fmt::Debug for TaskInputDriver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TaskInputDriver").field(&self.run).finish()
    }
}

impl TaskInputDriver {
    pub(crate) fn new(core: Arc<Core>, run: Arc<TaskRun>) -> Self {
        Self {
            core,
            run,
            state: Mutex::default(),
            pending: Arc::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl InputDriver for TaskInputDriver {
    fn poll_answer(
        &self,
        question: &Question,
        context: &mut Context<'_>,
    ) -> Poll<Result<Box<RawValue>, ToolError>> {
        if let Some(other) = self.run.asked_otherwise(question) {
            return Poll::Ready(Err(other_question(
                &question.key,
                &other,
                &question.subject,
            )));
        }
        // Before the look, so that an answer that comes behind it wakes the task.
        let limit = self.journal_limit().max(QUESTIONS);
        if let Err(size) = self.run.ask(question, limit, context.waker()) {
            return Poll::Ready(Err(failed(format!(
                "with `{}` the task asks {size} bytes at one time; the limit is {limit}",
                question.key
            ))));
        }
        match self.take_answer(&question.key, &question.subject) {
            Ok(None) => Poll::Pending,
            Ok(Some(answer)) => {
                self.run.withdraw(&question.key);
                Poll::Ready(Ok(answer))
            }
            Err(error) => Poll::Ready(Err(error)),
        }
    }

    fn is_answered(&self, _: &str) -> bool {
        // Nothing is asked twice under one key.
        false
    }

    fn take_answer(&self, key: &str, subject: &str) -> Result<Option<Box<RawValue>>, ToolError> {
        let mut state = self.state();
        if state.taken.contains(key) {
            return Ok(None);
        }
        let Some((answer, asked)) = self.run.answer(key) else {
            return Ok(None);
        };
        if let Some(other) = asked.filter(|asked| !fits(asked, subject)) {
            return Err(other_question(key, &other, subject));
        }
        state.taken.insert(key.to_owned());
        Ok(Some(answer))
    }

    fn show_answers(&self) -> Vec<(String, Box<RawValue>)> {
        let state = self.state();
        let answers = self.run.answers().into_iter();
        answers
            .filter(|(key, _)| !state.taken.contains(key))
            .collect()
    }

    fn open(&self, _: Question) -> bool {
        // Only a function that is run again for its answer asks so, and a task is not.
        false
    }

    fn refuse(&self, key: &str) -> NextKey {
        self.run.refuse(key);
        // A key is used once over the life of a task (SEP-2663, "Task Update Requests").
        NextKey::Numbered
    }

    fn withdraw(&self, key: &str) {
        self.run.withdraw(key);
    }

    fn poll_begin(&self, context: &mut Context<'_>) -> Poll<Result<(), RoundEnded>> {
        let now = self.core.sealing.environment.unix_millis();
        let mut may_begin = self.run.may_begin_step(now);
        if may_begin.is_pending() {
            self.run.hear(context.waker());
            // Whatever has changed before the waker stood there is seen now.
            may_begin = self.run.may_begin_step(now);
        }
        may_begin.map_err(|LeaseLost| RoundEnded)
    }

    fn poll_save(
        &self,
        key: &str,
        entry: &Entry,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), ToolError>> {
        // It is taken out while it is polled: nothing else may wait for the lock meanwhile.
        let kept = self.state().keeping.remove(key);
        let mut kept = match kept {
            Some(kept) => kept,
            None => {
                self.make_room(key, entry)?;
                self.keep(key.to_owned(), entry.clone())
            }
        };
        match kept.as_mut().poll(context) {
            Poll::Ready(Ok(())) => Poll::Ready(Ok(())),
            Poll::Ready(Err(LeaseLost)) => {
                // Somebody else goes on with the task, so this handler must not.
                self.run.abandon();
                Poll::Pending
            }
            Poll::Pending => {
                self.state().keeping.insert(key.to_owned(), kept);
                Poll::Pending
            }
        }
    }

    fn leave(&self, _: &mut Journal) {
        // What the client has answered stands in the record.
    }

    fn held_back(&self) -> Option<String> {
        // It has no rounds: the client is told of a question at once.
        None
    }

    fn end(&self, _: &mut Journal) -> Option<Ended> {
        None
    }
}

impl TaskInputDriver {
    /// What a task may remember, in bytes.
    fn journal_limit(&self) -> usize {
        let tasks = self.core.tasks.as_ref();
        tasks.map_or(0, |tasks| tasks.options.journal)
    }

    /// Counts an entry in, if the task may remember that much.
    fn make_room(&self, key: &str, entry: &Entry) -> Result<(), ToolError> {
        let limit = self.journal_limit();
        let mut state = self.state();
        let before = match state.remembered {
            Some(size) => size,
            None => self.run.max_journal_size(),
        };
        // The key stands between quotes, and before a colon and a comma.
        let size = before + key.len() + 4 + json_size(entry);
        if size > limit {
            return Err(failed(format!(
                "with `{key}` the task has {size} bytes to remember; the limit is {limit}"
            )));
        }
        state.remembered = Some(size);
        Ok(())
    }

    /// Stores an entry, and with it all others that wait to be stored: whoever is overtaken by such a write need not write.
    fn keep(&self, key: String, entry: Entry) -> Saving {
        let (core, run) = (Arc::clone(&self.core), Arc::clone(&self.run));
        let pending = Arc::clone(&self.pending);
        lock(&pending).insert(key.clone(), entry);
        Box::pin(async move {
            let Some(tasks) = &core.tasks else {
                return Err(LeaseLost);
            };
            run.save(&core, tasks, |record| {
                // The record is as it stands in the store.
                if record.journal.get(&key).is_some() {
                    return false;
                }
                for (key, entry) in &*lock(&pending) {
                    record.keep(key, entry);
                }
                true
            })
            .await?;
            lock(&pending).remove(&key);
            Ok(())
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every change under these locks is one insertion or removal.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The length of something as it is stored.
pub(super) fn json_size(value: &impl Serialize) -> usize {
    // What cannot be written fails when it is to be stored.
    serde_json::to_string(value).map_or(0, |json| json.len())
}
