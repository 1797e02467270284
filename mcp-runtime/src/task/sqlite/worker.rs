//! The thread that has the connection: it gathers what is asked for, commits it together, and then answers.

use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};

use rusqlite::{Connection, TransactionBehavior};

use crate::task::TaskStoreError;
use crate::task::reply::{self, reply};

/// The most that is committed together, so that nobody waits long for what others want.
const BATCH: usize = 256;

/// The thread, which ends when this is dropped and everything asked for is done.
#[derive(Debug)]
pub(super) struct Worker {
    /// `None` once it has to end.
    jobs: Option<mpsc::Sender<Box<dyn Job>>>,
    thread: Option<JoinHandle<()>>,
}

/// What somebody wants, with the place where the answer goes.
trait Job: Send {
    /// Does it, within a transaction; an error means that the whole transaction has failed, and it may be done again in another.
    fn run(&mut self, connection: &Connection) -> Result<(), TaskStoreError>;

    /// Answers, once it is known what became of the transaction.
    fn answer(self: Box<Self>, committed: Result<(), TaskStoreError>);
}

impl std::fmt::Debug for dyn Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Job")
    }
}

/// A job of a closure.
struct Work<F, T> {
    work: F,
    value: Option<Result<T, TaskStoreError>>,
    sender: reply::Sender<Result<T, TaskStoreError>>,
}

impl<F, T> Job for Work<F, T>
where
    F: FnMut(&Connection) -> Result<T, TaskStoreError> + Send,
    T: Send,
{
    fn run(&mut self, connection: &Connection) -> Result<(), TaskStoreError> {
        match (self.work)(connection) {
            // What a quota refuses has changed nothing, and is nobody else's business.
            Err(
                refused @ (TaskStoreError::TooManyActive(_) | TaskStoreError::TooManyStored(_)),
            ) => self.value = Some(Err(refused)),
            Err(failed) => return Err(failed),
            Ok(value) => self.value = Some(Ok(value)),
        }
        Ok(())
    }

    fn answer(self: Box<Self>, committed: Result<(), TaskStoreError>) {
        match (committed, self.value) {
            (Ok(()), Some(value)) => self.sender.send(value),
            (Err(error), _) => self.sender.send(Err(error)),
            // It was not run, so there is nothing to tell; the receiver finds the sender gone.
            (Ok(()), None) => {}
        }
    }
}

impl Worker {
    pub(super) fn start(mut connection: Connection) -> Result<Self, TaskStoreError> {
        let (jobs, queue) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("mcp-task-store".to_owned())
            .spawn(move || work_off(&mut connection, &queue))
            .map_err(|error| TaskStoreError::Unavailable(format!("no thread: {error}")))?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
        })
    }

    /// Has something done; the receiver finds the sender gone if the thread has ended.
    pub(super) fn submit<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> Result<T, TaskStoreError> + Send + 'static,
    ) -> reply::Receiver<Result<T, TaskStoreError>> {
        let (sender, receiver) = reply();
        let job = Work {
            work,
            value: None,
            sender,
        };
        if let Some(jobs) = &self.jobs {
            // What cannot be sent is dropped, and the sender with it.
            let _ = jobs.send(Box::new(job));
        }
        receiver
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread of the task store has panicked");
        }
    }
}

fn work_off(connection: &mut Connection, queue: &Receiver<Box<dyn Job>>) {
    while let Ok(first) = queue.recv() {
        let mut jobs = vec![first];
        jobs.extend(queue.try_iter().take(BATCH - 1));
        let committed = commit(connection, &mut jobs);
        // What has failed for one of them, such as a full disk for whoever writes, is not to fail for the others.
        let is_shared = matches!(committed, Err(ref error) if !is_of_all(error)) && jobs.len() > 1;
        for mut job in jobs {
            let committed = if is_shared {
                commit(connection, std::slice::from_mut(&mut job))
            } else {
                committed.clone()
            };
            if let Err(error) = &committed {
                tracing::error!("{error}");
            }
            job.answer(committed);
        }
    }
}

/// Whether the next transaction would fail for the same reason, whatever is in it.
fn is_of_all(error: &TaskStoreError) -> bool {
    matches!(error, TaskStoreError::Locked(_))
}

/// Does all of it or nothing.
fn commit(connection: &mut Connection, jobs: &mut [Box<dyn Job>]) -> Result<(), TaskStoreError> {
    // Dropped without a commit, a transaction is rolled back, unless SQLite has already done so.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for job in jobs {
        job.run(&transaction)?;
    }
    Ok(transaction.commit()?)
}
