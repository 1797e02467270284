//! The keeper: renews leases, hears of what other processes have changed, takes over tasks that nobody works on, and
//! forgets those that have expired.
//!
//! Deliberately not here: tasks that are only listened to, which [`watch`] looks at.

use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::task::Poll;

use super::Tasks;
use super::record::TaskRecord;
use super::run::{self, TaskRun};
use super::watch::watch;
use crate::dispatch::Core;
use crate::task::{StoredTask, TaskStoreError};

/// The most tasks that are taken over at a time, so that nobody waits long for the first.
const CLAIM: usize = 1_000;
/// How often a lease is renewed while it lasts: one or two renewals may fail.
pub(super) const RENEWALS: u32 = 3;

impl Core {
    /// Begins to work on tasks, those of earlier processes too, unless this server does already or has none.
    pub(crate) fn start_tasks(self: &Arc<Self>) {
        let Some(tasks) = &self.tasks else { return };
        let epoch = {
            let mut state = tasks.state();
            if state.is_kept {
                return;
            }
            state.is_kept = true;
            state.epoch
        };
        let keeper = keep_and_watch(Arc::downgrade(self), epoch);
        tasks.spawner.spawn_keeper(Box::pin(keeper));
    }

    /// Ends the work on tasks so that it can be taken up at once, by this server or by another on the same store.
    ///
    /// Handlers are dropped where they wait.
    pub(crate) async fn stop_tasks(&self) {
        let Some(tasks) = &self.tasks else { return };
        let (owner, runs) = {
            let mut state = tasks.state();
            state.is_kept = false;
            state.epoch += 1;
            let runs: Vec<_> = state.runs.drain().map(|(_, run)| run).collect();
            (state.owner, runs)
        };
        for run in runs {
            run.abandon();
        }
        if let Some(owner) = owner
            && let Err(error) = tasks.store.release(owner).await
        {
            tracing::error!("tasks can be taken up only when their leases have ended: {error}");
        }
    }
}

/// Keeps the tasks of a server, and watches those of others, until it stops or is gone.
async fn keep_and_watch(core: Weak<Core>, epoch: u64) {
    let mut watched = pin!(watch(Weak::clone(&core)));
    let mut kept = pin!(keep(core, epoch));
    poll_fn(|context| {
        if kept.as_mut().poll(context).is_ready() || watched.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        Poll::Pending
    })
    .await;
}

/// Keeps the tasks of a server until it stops or is gone.
async fn keep(core: Weak<Core>, epoch: u64) {
    while let Some(core) = core.upgrade() {
        let Some(tasks) = &core.tasks else { return };
        if tasks.state().epoch != epoch {
            return;
        }
        if let Err(error) = look(&core, tasks).await {
            tracing::error!("{error}");
        }
        let pause = tasks.spawner.sleep(tasks.options.lease / RENEWALS);
        drop(core);
        pause.await;
    }
}

/// Does all that is to be done now.
async fn look(core: &Arc<Core>, tasks: &Tasks) -> Result<(), TaskStoreError> {
    let now = core.sealing.environment.unix_millis();
    let Ok(lease) = tasks.lease(&*core.sealing.environment) else {
        tracing::error!("tasks wait, since the system has no random bytes");
        return Ok(());
    };
    let (is_idle, runs) = {
        let state = tasks.state();
        // What the store does not have before it is asked, it need not have in its answer.
        let runs = state.runs.values().filter(|run| run.is_stored());
        let runs: Vec<Arc<TaskRun>> = runs.cloned().collect();
        (state.runs.is_empty(), runs)
    };
    if !is_idle {
        let held: HashMap<_, _> = tasks.store.renew(lease).await?.into_iter().collect();
        for run in runs {
            if held.contains_key(&run.id) {
                run.prolong(lease.until);
            }
            match held.get(&run.id) {
                Some(version) if *version > run.version() => {
                    let stored = tasks.store.load(run.id).await?;
                    if let Some((stored, record)) = stored.and_then(|task| readable(tasks, task)) {
                        record.tell(core, &stored);
                        run.learn(stored, record);
                    }
                }
                Some(_) => {}
                // It has ended, has expired, or is somebody else's by now.
                None => run.abandon(),
            }
        }
        for id in held.into_keys() {
            // Its creation was given up between the store and the first step.
            if tasks.run(id).is_none()
                && let Some(stored) = tasks.store.load(id).await?
            {
                take_up(core, tasks, stored);
            }
        }
    }
    loop {
        let claimed = tasks.store.claim(lease, now, CLAIM).await?;
        let all = claimed.len() < CLAIM;
        for stored in claimed {
            take_up(core, tasks, stored);
        }
        if all {
            break;
        }
    }
    // Last, since nobody waits for it.
    tasks.store.purge(now).await?;
    Ok(())
}

/// Runs a task whose lease this server has, unless it does already.
fn take_up(core: &Arc<Core>, tasks: &Tasks, stored: StoredTask) {
    let is_ours = stored.lease.map(|lease| lease.owner) == tasks.state().owner;
    if !stored.is_active || !is_ours {
        return;
    }
    let Some((stored, record)) = readable(tasks, stored) else {
        return;
    };
    if let Some(run) = tasks.run(stored.id) {
        // The lease had ended unnoticed; the run goes on under a new one.
        run.prolong(stored.lease.map_or(0, |lease| lease.until));
        run.learn(stored, record);
        return;
    }
    let run = Arc::new(TaskRun::taken_up(stored, record));
    {
        let mut state = tasks.state();
        if !state.is_kept {
            // The server was stopped meanwhile, and has given its leases away.
            return;
        }
        state.runs.insert(run.id, Arc::clone(&run));
    }
    run::spawn(core, tasks, run);
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
