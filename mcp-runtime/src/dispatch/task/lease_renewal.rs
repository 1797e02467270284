//! The keeper: renews leases, hears of what other processes have changed, takes over tasks that nobody works on, and
//! forgets those that have expired.
//!
//! Deliberately not here: tasks that are only listened to, which [`watch`] looks at.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::task::Poll;

use super::record::TaskRecord;
use super::remote_changes::watch;
use super::run::{self, TaskRun};
use super::{Tasks, Work};
use crate::dispatch::Core;
use crate::panic::catch;
use crate::task::{LeaseOwner, StoredTask, TaskId, TaskLease, TaskStoreError};

/// The most tasks that are taken over at a time, so that nobody waits long for the first.
const CLAIM: usize = 1_000;
/// How often a lease is renewed while it lasts: one or two renewals may fail.
pub(super) const RENEWALS: u32 = 3;

impl Core {
    /// Begins to work on tasks, those of earlier processes too, unless this server does already or has none.
    pub(crate) fn start_tasks(self: &Arc<Self>) {
        self.keep_tasks(true);
    }

    /// The same for who only needs them, which does not undo a stop.
    pub(super) fn begin_tasks(self: &Arc<Self>) {
        self.keep_tasks(false);
    }

    fn keep_tasks(self: &Arc<Self>, resumes: bool) {
        let Some(tasks) = &self.tasks else { return };
        let epoch = {
            let mut state = tasks.state();
            match state.work {
                Work::Saved => return,
                Work::Draining | Work::Stopped if !resumes => return,
                Work::Draining | Work::Stopped | Work::Due => {}
            }
            state.work = Work::Saved;
            state.epoch += 1;
            state.epoch
        };
        let keeper = Keeper {
            core: Arc::downgrade(self),
            epoch,
        };
        tasks
            .spawner
            .spawn_keeper(Box::pin(keeper.keep_and_watch()));
    }

    /// Has runs begin no step any more, and end as soon as they run none: what a running step does is still committed.
    ///
    /// Leases are renewed meanwhile. [`stop_tasks`](Self::stop_tasks) ends what is left.
    pub(crate) fn begin_drain(&self) {
        let Some(tasks) = &self.tasks else { return };
        let runs: Vec<_> = {
            let mut state = tasks.state();
            if !matches!(state.work, Work::Due | Work::Saved) {
                return;
            }
            state.work = Work::Draining;
            state.runs.values().cloned().collect()
        };
        for run in runs {
            run.drain();
        }
    }

    /// The same, ready when no run is left.
    pub(crate) async fn drain_tasks(&self) {
        self.begin_drain();
        let Some(tasks) = &self.tasks else { return };
        poll_fn(|context| {
            let mut state = tasks.state();
            if state.runs.is_empty() || state.work != Work::Draining {
                return Poll::Ready(());
            }
            state.drained.push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }

    /// Ends the work on tasks so that it can be taken up at once, by this server or by another on the same store.
    ///
    /// Handlers are dropped where they wait. The task of one that is at work at this moment, and does not wait, can be taken up
    /// when its lease has ended.
    pub(crate) async fn stop_tasks(&self) {
        let Some(tasks) = &self.tasks else { return };
        let drained;
        let (owner, runs) = {
            let mut state = tasks.state();
            state.work = Work::Stopped;
            state.epoch += 1;
            drained = std::mem::take(&mut state.drained);
            let runs: Vec<_> = state.runs.drain().map(|(_, run)| run).collect();
            // Whoever works here later is another one, so that what is still under way for this one stays apart.
            (state.owner.take(), runs)
        };
        for waker in drained {
            waker.wake();
        }
        let (busy, idle): (Vec<_>, Vec<_>) = runs.into_iter().partition(|run| run.abandon());
        let Some(owner) = owner else { return };
        if busy.is_empty() {
            tasks.give_back(owner, None).await;
        } else {
            for run in idle {
                tasks.give_back(owner, Some(run.id)).await;
            }
        }
    }
}

impl Tasks {
    /// Ends the leases of an owner that works no more, or that of one task.
    pub(super) async fn give_back(&self, owner: LeaseOwner, only: Option<TaskId>) {
        if let Err(error) = self.store.release(owner, only).await {
            tracing::error!("tasks can be taken up only when their leases have ended: {error}");
        }
    }
}

/// Who keeps the tasks of a server, from a beginning of its work to the end.
struct Keeper {
    core: Weak<Core>,
    epoch: u64,
}

impl Drop for Keeper {
    /// If it was lost before its end, whoever next has to do with tasks makes another.
    fn drop(&mut self) {
        let Some(core) = self.core.upgrade() else {
            return;
        };
        let Some(tasks) = &core.tasks else { return };
        let mut state = tasks.state();
        if state.epoch == self.epoch && state.work == Work::Saved {
            state.work = Work::Due;
            tracing::error!("nobody renews the leases of tasks until the next request for one");
        }
    }
}

impl Keeper {
    /// Keeps the tasks of a server, and watches those of others, until it stops or is gone.
    async fn keep_and_watch(self) {
        let mut watched = pin!(watch(&self.core));
        let mut kept = pin!(self.keep());
        poll_fn(|context| {
            if kept.as_mut().poll(context).is_ready() || watched.as_mut().poll(context).is_ready() {
                return Poll::Ready(());
            }
            Poll::Pending
        })
        .await;
    }

    async fn keep(&self) {
        while let Some(core) = self.core.upgrade() {
            let Some(tasks) = &core.tasks else { return };
            if tasks.state().epoch != self.epoch {
                return;
            }
            log_failure(self.look(&core, tasks)).await;
            let pause = tasks.spawner.sleep(tasks.options.lease / RENEWALS);
            drop(core);
            pause.await;
        }
    }

    /// Does all that is to be done now.
    async fn look(&self, core: &Arc<Core>, tasks: &Tasks) -> Result<(), TaskStoreError> {
        let environment = &*core.sealing.environment;
        let now = environment.unix_millis();
        let (lease, is_idle, runs, is_draining) = {
            let mut state = tasks.state();
            if state.epoch != self.epoch {
                return Ok(());
            }
            let is_draining = state.work == Work::Draining;
            let Ok(lease) = state.lease(tasks.options.lease, environment) else {
                tracing::error!("tasks wait, since the system has no random bytes");
                return Ok(());
            };
            (
                lease,
                state.runs.is_empty(),
                state.stored_runs(),
                is_draining,
            )
        };
        if !is_idle {
            self.renew(core, tasks, lease, runs).await?;
        }
        if is_draining {
            return Ok(());
        }
        loop {
            let except: Vec<_> = tasks.state().unreadable.iter().copied().collect();
            let claimed = tasks.store.claim(lease, now, CLAIM, &except).await?;
            let (all, any) = (claimed.len() < CLAIM, !claimed.is_empty());
            for stored in claimed {
                self.take_up(core, tasks, stored).await?;
            }
            if tasks.state().epoch != self.epoch {
                // The server was stopped meanwhile, and what was claimed behind that is still its.
                if tasks.state().owner != Some(lease.owner) {
                    tasks.give_back(lease.owner, None).await;
                }
                return Ok(());
            }
            if any {
                // What came between the claim and the list was told to nobody.
                let runs = tasks.state().stored_runs();
                self.renew(core, tasks, lease, runs).await?;
            }
            if all {
                break;
            }
        }
        // Last, since nobody waits for it.
        tasks.store.purge(now).await?;
        Ok(())
    }

    /// Prolongs the leases of tasks, and hears of what others have made of these.
    async fn renew(
        &self,
        core: &Arc<Core>,
        tasks: &Tasks,
        lease: TaskLease,
        runs: Vec<Arc<TaskRun>>,
    ) -> Result<(), TaskStoreError> {
        let held: HashMap<_, _> = tasks.store.renew(lease).await?.into_iter().collect();
        for run in runs {
            if held.contains_key(&run.id) {
                run.prolong(lease.until);
            }
            match held.get(&run.id) {
                Some(version) if *version > run.version() => {
                    let stored = tasks.store.load(run.id).await?;
                    let read = match stored {
                        Some(stored) => read_or_give_back(tasks, stored).await?,
                        None => None,
                    };
                    match read {
                        Some((stored, record)) => {
                            record.tell(core, &stored);
                            run.learn(stored, record);
                        }
                        None => {
                            run.abandon();
                        }
                    }
                }
                Some(_) => {}
                // It has ended, has expired, or is somebody else's by now.
                None => {
                    run.abandon();
                }
            }
        }
        for id in held.into_keys() {
            // Its creation was given up between the store and the first step.
            if tasks.run(id).is_none()
                && let Some(stored) = tasks.store.load(id).await?
            {
                self.take_up(core, tasks, stored).await?;
            }
        }
        Ok(())
    }

    /// Runs a task whose lease this server has, unless it does already; what it cannot read it gives back.
    async fn take_up(
        &self,
        core: &Arc<Core>,
        tasks: &Tasks,
        stored: StoredTask,
    ) -> Result<(), TaskStoreError> {
        if !stored.is_active {
            return Ok(());
        }
        let Some((stored, record)) = read_or_give_back(tasks, stored).await? else {
            return Ok(());
        };
        let run = Arc::new(TaskRun::taken_up(stored, record));
        let there = {
            let mut state = tasks.state();
            // Before a look at the list and the entry in it nothing may come between.
            let is_ours = run.owner().is_some_and(|it| Some(it) == state.owner);
            if state.epoch != self.epoch || state.work != Work::Saved || !is_ours {
                return Ok(());
            }
            match state.runs.entry(run.id) {
                Entry::Occupied(there) => Some(Arc::clone(there.get())),
                Entry::Vacant(place) => {
                    place.insert(Arc::clone(&run));
                    None
                }
            }
        };
        match there {
            // The lease had ended unnoticed; the run goes on under a new one.
            Some(there) => there.follow(&run),
            None => run::spawn(core, tasks, run),
        }
        Ok(())
    }
}

/// Waits for a look at the store; neither its failure nor its panic ends who looks again later.
pub(super) async fn log_failure(look: impl Future<Output = Result<(), TaskStoreError>>) {
    let mut look = pin!(look);
    poll_fn(|context| match catch(|| look.as_mut().poll(context)) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(Ok(()))) => Poll::Ready(()),
        Ok(Poll::Ready(Err(error))) => {
            tracing::error!("{error}");
            Poll::Ready(())
        }
        Err(panic) => {
            tracing::error!("the task store panicked: {panic}");
            Poll::Ready(())
        }
    })
    .await;
}

/// A task of this server's with its record; one that cannot be read goes to a program that can, and at once.
pub(super) async fn read_or_give_back(
    tasks: &Tasks,
    stored: StoredTask,
) -> Result<Option<(StoredTask, TaskRecord)>, TaskStoreError> {
    let (id, lease) = (stored.id, stored.lease);
    let read = readable(tasks, stored);
    if read.is_none()
        && let Some(lease) = lease
        && tasks.state().owner == Some(lease.owner)
    {
        tasks.store.release(lease.owner, Some(id)).await?;
    }
    Ok(read)
}

/// A task with its record; one that cannot be read is told once and left to a program that can.
pub(super) fn readable(tasks: &Tasks, stored: StoredTask) -> Option<(StoredTask, TaskRecord)> {
    match TaskRecord::read(&stored) {
        Ok(record) => Some((stored, record)),
        Err(error) => {
            if tasks.state().unreadable.insert(stored.id) {
                tracing::error!("the task {:?} cannot be read: {error}", stored.id);
            }
            None
        }
    }
}
