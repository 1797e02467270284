//! The thread that has the connection: it gathers what is asked for, commits it together, and then answers.

use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use rusqlite::{Connection, TransactionBehavior};

use super::layout::{Files, PATIENCE};
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

/// Whether something is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

/// What somebody wants, with the place where the answer goes.
trait Job: Send {
    fn access(&self) -> Access;

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
    access: Access,
    work: F,
    value: Option<Result<T, TaskStoreError>>,
    sender: reply::Sender<Result<T, TaskStoreError>>,
}

impl<F, T> Job for Work<F, T>
where
    F: FnMut(&Connection) -> Result<T, TaskStoreError> + Send,
    T: Send,
{
    fn access(&self) -> Access {
        self.access
    }

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
    pub(super) fn start(mut connection: Connection, files: Files) -> Result<Self, TaskStoreError> {
        let (jobs, queue) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("mcp-task-store".to_owned())
            .spawn(move || work_off(&mut connection, &files, &queue))
            .map_err(|error| TaskStoreError::Unavailable(format!("no thread: {error}")))?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
        })
    }

    /// Has something done; the receiver finds the sender gone if the thread has ended.
    pub(super) fn submit<T: Send + 'static>(
        &self,
        access: Access,
        work: impl FnMut(&Connection) -> Result<T, TaskStoreError> + Send + 'static,
    ) -> reply::Receiver<Result<T, TaskStoreError>> {
        let (sender, receiver) = reply();
        let job = Work {
            access,
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

/// A job, and since when it waits.
struct Waiting {
    job: Box<dyn Job>,
    since: Instant,
}

fn work_off(connection: &mut Connection, files: &Files, queue: &Receiver<Box<dyn Job>>) {
    let mut waiting: Vec<Waiting> = Vec::new();
    loop {
        if waiting.is_empty() {
            match queue.recv() {
                Ok(job) => waiting.push(Waiting::new(job)),
                Err(_ended) => return,
            }
        }
        // Somebody else may hold the lock, and those who come meanwhile join those who wait.
        let room = BATCH.saturating_sub(waiting.len()).max(1);
        waiting.extend(queue.try_iter().take(room).map(Waiting::new));
        write(connection, files, &mut waiting);
    }
}

/// Commits the first that wait in their order. While somebody else holds the lock, what only reads is done alone.
fn write(connection: &mut Connection, files: &Files, waiting: &mut Vec<Waiting>) {
    let count = waiting.len().min(BATCH);
    let batch = waiting[..count].iter_mut();
    let committed = commit(connection, files, batch.map(|it| &mut it.job));
    if let Err(error @ TaskStoreError::Locked(_)) = &committed {
        for mut it in waiting.extract_if(.., |it| it.job.access() == Access::Read) {
            let read = it.job.run(connection);
            answer(it.job, read);
        }
        for it in waiting.extract_if(.., |it| it.since.elapsed() >= PATIENCE) {
            answer(it.job, Err(error.clone()));
        }
        return;
    }
    // What has failed for one of them, such as a full disk for whoever writes, is not to fail for the others.
    let is_shared = committed.is_err() && count > 1;
    for Waiting { mut job, .. } in waiting.drain(..count) {
        let committed = if is_shared {
            commit(connection, files, [&mut job])
        } else {
            committed.clone()
        };
        answer(job, committed);
    }
}

impl Waiting {
    fn new(job: Box<dyn Job>) -> Self {
        Self {
            job,
            since: Instant::now(),
        }
    }
}

fn answer(job: Box<dyn Job>, done: Result<(), TaskStoreError>) {
    if let Err(error) = &done {
        tracing::error!("{error}");
    }
    job.answer(done);
}

/// Does all of it or nothing.
fn commit<'j>(
    connection: &mut Connection,
    files: &Files,
    jobs: impl IntoIterator<Item = &'j mut Box<dyn Job>>,
) -> Result<(), TaskStoreError> {
    files.check()?;
    // Dropped without a commit, a transaction is rolled back, unless SQLite has already done so.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for job in jobs {
        job.run(&transaction)?;
    }
    Ok(transaction.commit()?)
}
