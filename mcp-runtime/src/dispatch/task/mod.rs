//! Tasks: calls of tools that go on after they were answered (SEP-2663, extension `io.modelcontextprotocol/tasks`).
//!
//! A task is a record in a store, and, while somebody has its lease, a *run* of its tool. Everything that a run has learnt
//! is in the record before anybody depends on it, so a run can end at any moment and another one begin from the top, in
//! this process or in the next.
//!
//! Deliberately not here: threads, timers and files. These belong to the spawner and to the store.

mod create;
mod ending;
mod input_driver;
mod lease_renewal;
mod method;
mod record;
mod remote_changes;
mod run;
mod save;
mod time;
mod tools;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

pub(super) use self::create::created_at_once;
pub(super) use self::method::answer_later;
pub(crate) use self::run::TaskRun;
use super::{Environment, NoRandomness};
use crate::task::{LeaseOwner, TaskId, TaskLease, TaskQuota, TaskSpawner, TaskStore};

/// What the builder says about tasks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TaskOptions {
    /// How long a task is kept, counted from its beginning; `None` is for ever.
    pub(crate) ttl: Option<Duration>,
    /// How often clients are asked to poll.
    pub(crate) poll_interval: Duration,
    /// How long a lease lasts that nobody prolongs.
    pub(crate) lease: Duration,
    /// What a task may remember, in bytes.
    pub(crate) journal: usize,
    /// How many tasks a principal may have.
    pub(crate) quota: TaskQuota,
    /// Clients without tasks have plain tools for them.
    pub(crate) has_tools: bool,
}

impl Default for TaskOptions {
    fn default() -> Self {
        Self {
            ttl: Some(Duration::from_secs(24 * 60 * 60)),
            poll_interval: Duration::from_secs(1),
            lease: Duration::from_secs(15),
            journal: 1024 * 1024,
            quota: TaskQuota {
                active: 100,
                stored: 1_000,
            },
            has_tools: false,
        }
    }
}

/// The tasks of a server.
#[derive(Debug)]
pub(crate) struct Tasks {
    store: Arc<dyn TaskStore>,
    spawner: Arc<dyn TaskSpawner>,
    options: TaskOptions,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Who this server is to others on the same store; made when it begins to work, and given up when it stops.
    owner: Option<LeaseOwner>,
    /// Counts the beginnings and ends of work, so that a keeper knows when it is no longer wanted.
    epoch: u64,
    work: Work,
    runs: HashMap<TaskId, Arc<TaskRun>>,
    /// Wakes whoever waits until no run is left.
    drained: Vec<Waker>,
    /// Tasks whose records cannot be read, each told once.
    unreadable: HashSet<TaskId>,
}

/// Whether this server works on tasks.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Work {
    /// Not yet: whatever has to do with tasks begins it.
    #[default]
    Due,
    /// A keeper renews leases and looks for tasks that nobody works on.
    Saved,
    /// Running steps are committed; leases are renewed, and nothing new begins.
    Draining,
    /// Not until somebody says so.
    Stopped,
}

impl State {
    /// The runs that the store has: what it does not have before it is asked, it need not have in its answer.
    fn stored_runs(&self) -> Vec<Arc<TaskRun>> {
        let runs = self.runs.values().filter(|run| run.is_stored());
        runs.cloned().collect()
    }

    /// The lease that this server takes or prolongs now.
    fn lease(
        &mut self,
        time: Duration,
        environment: &dyn Environment,
    ) -> Result<TaskLease, NoRandomness> {
        let owner = match self.owner {
            Some(owner) => owner,
            None => {
                let mut bytes = [0; 16];
                environment.fill_random(&mut bytes)?;
                *self.owner.insert(LeaseOwner::from_bytes(bytes))
            }
        };
        let until = environment.unix_millis().saturating_add(millis(time));
        Ok(TaskLease { owner, until })
    }
}

impl Tasks {
    pub(crate) fn new(
        store: Arc<dyn TaskStore>,
        spawner: Arc<dyn TaskSpawner>,
        options: TaskOptions,
    ) -> Self {
        Self {
            store,
            spawner,
            options,
            state: Mutex::default(),
        }
    }

    /// Returns `true` if no task is worked on here, and none will be unless somebody asks for it.
    pub(crate) fn is_at_rest(&self) -> bool {
        let state = self.state();
        matches!(state.work, Work::Due | Work::Stopped) && state.runs.is_empty()
    }

    /// What runs tasks.
    pub(crate) fn spawner(&self) -> &Arc<dyn TaskSpawner> {
        &self.spawner
    }

    /// The run of a task in this process.
    fn run(&self, id: TaskId) -> Option<Arc<TaskRun>> {
        self.state().runs.get(&id).cloned()
    }

    /// Takes a run out of the list, unless the task is in another one by now: after a stop and a start it may be.
    fn unlist(&self, run: &Arc<TaskRun>) {
        let (removed, drained) = {
            let mut state = self.state();
            let listed = state.runs.get(&run.id);
            let is_listed = listed.is_some_and(|listed| Arc::ptr_eq(listed, run));
            let removed = is_listed.then(|| state.runs.remove(&run.id));
            let drained = match state.runs.is_empty() {
                true => std::mem::take(&mut state.drained),
                false => Vec::new(),
            };
            (removed, drained)
        };
        drop(removed);
        for waker in drained {
            waker.wake();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change under the lock is one insertion, removal or assignment.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A duration as the protocol and the stores count.
fn millis(duration: Duration) -> u64 {
    // Beyond this, readers that hold numbers as doubles see another one.
    u64::try_from(duration.as_millis())
        .unwrap_or(u64::MAX)
        .min((1 << 53) - 1)
}

#[cfg(test)]
mod tests;
