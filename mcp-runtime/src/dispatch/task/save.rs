//! How what a run has learnt gets into the store, whatever others write there meanwhile.

use std::time::Duration;

use super::Tasks;
use super::lease_renewal::read_or_give_back;
use super::record::TaskRecord;
use super::run::{LeaseLost, TaskRun};
use crate::dispatch::Core;

/// How long to wait before something is saved again that could not be, at first and at most.
const PATIENCE: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(60));

impl TaskRun {
    /// Changes the record and has it stored; ready when nothing can lose the change any more.
    ///
    /// A store that fails is asked again, since nothing may go on without it. The change is made to what stands in the
    /// store, so it may be made more than once; it is `false` if that has all of it already.
    pub(super) async fn save(
        &self,
        core: &Core,
        tasks: &Tasks,
        mut change: impl FnMut(&mut TaskRecord) -> bool + Send,
    ) -> Result<(), LeaseLost> {
        let mut patience = PATIENCE.0;
        loop {
            if self.is_abandoned() {
                return Err(LeaseLost);
            }
            let (mut stored, mut record) = self.copy();
            if !change(&mut record) {
                return Ok(());
            }
            record.updated_at = core.sealing.environment.unix_millis();
            stored.is_active = record.is_active();
            let failure = match serde_json::to_string(&record) {
                Err(error) => error.to_string(),
                Ok(content) => {
                    stored.content = content;
                    match tasks.store.replace(stored.clone()).await {
                        Ok(true) => {
                            stored.version += 1;
                            record.tell(core, &stored);
                            self.learn(stored, record);
                            return Ok(());
                        }
                        Ok(false) => match self.reload(tasks).await? {
                            Ok(()) => continue,
                            Err(error) => error,
                        },
                        Err(error) => error.to_string(),
                    }
                }
            };
            tracing::error!("the task {:?} cannot be saved yet: {failure}", self.id);
            tasks.spawner.sleep(patience).await;
            patience = (patience * 2).min(PATIENCE.1);
        }
    }

    /// Learns what somebody else has written.
    async fn reload(&self, tasks: &Tasks) -> Result<Result<(), String>, LeaseLost> {
        let stored = match tasks.store.load(self.id).await {
            Ok(Some(stored)) => stored,
            Ok(None) => return Err(LeaseLost),
            Err(error) => return Ok(Err(error.to_string())),
        };
        let is_ours = stored.lease.map(|lease| lease.owner) == tasks.state().owner;
        if !stored.is_active || !is_ours {
            return Err(LeaseLost);
        }
        // What a newer program has written is that one's to go on with.
        match read_or_give_back(tasks, stored).await {
            Ok(Some((stored, record))) => {
                self.learn(stored, record);
                Ok(Ok(()))
            }
            Ok(None) => Err(LeaseLost),
            Err(error) => Ok(Err(error.to_string())),
        }
    }
}
