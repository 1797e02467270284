//! Tasks that somebody here listens to, and that another process works on: what has become of them stands in the store.

use std::collections::HashMap;
use std::sync::Weak;

use super::Tasks;
use super::lease_renewal::{RENEWALS, log_failure, readable};
use crate::dispatch::Core;
use crate::dispatch::subscriptions::WatchedTask;
use crate::task::TaskStoreError;

/// The versions in which tasks were last told.
type Seen = HashMap<WatchedTask, u64>;

/// The version of what cannot change any more for who listens to it.
const LAST: u64 = u64::MAX;

/// Tells those who listen of what other processes have changed, as often as leases are renewed.
///
/// Whoever listens decides how much there is to look at, so no renewal may have to wait for this.
pub(super) async fn watch(core: &Weak<Core>) {
    let mut seen = Seen::new();
    while let Some(core) = core.upgrade() {
        let Some(tasks) = &core.tasks else { return };
        log_failure(look(&core, tasks, &mut seen)).await;
        let pause = tasks.spawner.sleep(tasks.options.lease / RENEWALS);
        drop(core);
        pause.await;
    }
}

async fn look(core: &Core, tasks: &Tasks, seen: &mut Seen) -> Result<(), TaskStoreError> {
    let watched = core.watched_tasks();
    seen.retain(|task, _| watched.contains(task));
    for task in watched {
        // Its run here tells of it.
        if seen.get(&task) == Some(&LAST) || tasks.run(task.id).is_some() {
            continue;
        }
        let found = tasks.store.load(task.id).await?;
        // An id is told when its task is stored: one that is not there comes no more, and a stranger's stays one.
        let found = found.filter(|it| it.principal.as_deref() == task.principal.as_deref());
        let Some((stored, record)) = found.and_then(|stored| readable(tasks, stored)) else {
            seen.insert(task, LAST);
            continue;
        };
        let version = if stored.is_active {
            stored.version
        } else {
            LAST
        };
        if seen.insert(task, version) != Some(version) {
            record.tell(core, &stored);
        }
    }
    Ok(())
}
