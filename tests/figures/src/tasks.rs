//! Tasks that are created and run to their end, in whatever store they are kept.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use mcp_runtime::{
    BuildError, Server,
    task::{LeaseOwner, StoreFuture, StoredTask, TaskId, TaskLease, TaskQuota, TaskStore},
};

use crate::{message, tools};

/// How long a task may take, before the measurement fails.
const TASK_TIME: Duration = Duration::from_secs(60);

/// A server whose tasks are counted as they end.
#[derive(Debug)]
pub struct Tasks {
    server: Server,
    ended: Receiver<()>,
    message: String,
    answer: Vec<u8>,
}

impl Tasks {
    /// A server over a store, with room for `count` tasks.
    ///
    /// # Errors
    ///
    /// The tool cannot be served.
    pub fn over(store: impl TaskStore, count: usize) -> Result<Self, BuildError> {
        let (sender, ended) = mpsc::channel();
        let store = Watched {
            store,
            ended: sender,
        };
        Ok(Self {
            server: tools::deferring(store, count)?,
            ended,
            message: message::add_later(1),
            answer: Vec::new(),
        })
    }

    /// Creates tasks, of which each has ended before the next is created.
    ///
    /// # Errors
    ///
    /// A task is refused, or does not end.
    pub fn one_by_one(&mut self, count: usize) -> io::Result<()> {
        for _ in 0..count {
            self.create()?;
            self.await_ends(1)?;
        }
        Ok(())
    }

    /// Creates tasks, and only then waits for their ends.
    ///
    /// # Errors
    ///
    /// A task is refused, or does not end.
    pub fn at_once(&mut self, count: usize) -> io::Result<()> {
        for _ in 0..count {
            self.create()?;
        }
        self.await_ends(count)
    }

    fn create(&mut self) -> io::Result<()> {
        self.answer.clear();
        self.server
            .handle_message_blocking(self.message.as_bytes(), &mut self.answer);
        if memchr::memmem::find(&self.answer, br#""resultType":"task""#).is_some() {
            return Ok(());
        }
        let answer = String::from_utf8_lossy(&self.answer);
        Err(io::Error::other(format!("an unexpected answer: {answer}")))
    }

    fn await_ends(&self, count: usize) -> io::Result<()> {
        for _ in 0..count {
            let ended = self.ended.recv_timeout(TASK_TIME);
            ended.map_err(|_| io::Error::other("a task does not end"))?;
        }
        Ok(())
    }
}

/// A store that tells when a task has ended and is kept.
#[derive(Debug)]
struct Watched<S> {
    store: S,
    ended: Sender<()>,
}

impl<S: TaskStore> TaskStore for Watched<S> {
    fn create(&self, task: StoredTask, quota: TaskQuota, now: u64) -> StoreFuture<'_, ()> {
        self.store.create(task, quota, now)
    }

    fn load(&self, id: TaskId) -> StoreFuture<'_, Option<StoredTask>> {
        self.store.load(id)
    }

    fn replace(&self, task: StoredTask) -> StoreFuture<'_, bool> {
        let is_end = !task.is_active;
        let replacing = self.store.replace(task);
        if !is_end {
            return replacing;
        }
        Box::pin(async move {
            let is_replaced = replacing.await?;
            if is_replaced {
                // Nobody listens any more when the measurement has failed.
                let _sent = self.ended.send(());
            }
            Ok(is_replaced)
        })
    }

    fn claim(
        &self,
        lease: TaskLease,
        now: u64,
        most: usize,
        except: &[TaskId],
    ) -> StoreFuture<'_, Vec<StoredTask>> {
        self.store.claim(lease, now, most, except)
    }

    fn renew(&self, lease: TaskLease) -> StoreFuture<'_, Vec<(TaskId, u64)>> {
        self.store.renew(lease)
    }

    fn release(&self, owner: LeaseOwner, only: Option<TaskId>) -> StoreFuture<'_, ()> {
        self.store.release(owner, only)
    }

    fn purge(&self, now: u64) -> StoreFuture<'_, usize> {
        self.store.purge(now)
    }
}

/// A folder for databases, which is gone when this is dropped.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Makes one in a folder that should be on a disk: a file system in memory has nothing to wait for.
    ///
    /// # Errors
    ///
    /// It cannot be made.
    pub fn make_in(parent: &Path) -> io::Result<Self> {
        let path = parent.join(format!("tasks-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    /// A file in it.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // There is nobody to tell of a failure; what stays behind is a few megabytes among what the compiler has made.
        let _removed = std::fs::remove_dir_all(&self.0);
    }
}
