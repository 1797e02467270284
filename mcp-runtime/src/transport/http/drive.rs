//! One connection of the ready-made server: hyper reads and writes, and in between the same task runs what was asked.
//!
//! A plain function may block the thread that runs it, and while it does the connection must still see its client go,
//! send notifications, and let the time of the call run out. A task of its own for each call would see to that, at a
//! third of what serving an `add` costs. Instead a call is *laid aside* until hyper has done what it can, and then runs
//! with the connection *parked*: when the call turns out to be slow, another task takes the connection from there and
//! drives it on, and the one that ran the call ends with it. Whoever takes a parked connection drives it.
//!
//! HTTP/2 has many calls on a connection, so there each has a task; this is of HTTP/1.1.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::thread;

use tokio::task::spawn;

use super::closing::{Closing, Guard, Stage};
use super::connection::Requests;
use super::endpoint::Endpoint;
use super::opening::Served;
use super::outbox::Queue;

/// A connection as hyper serves it.
pub(super) type Connection = Pin<Box<dyn Served>>;

/// A call that has not begun.
pub(super) struct Job {
    running: Pin<Box<dyn Future<Output = ()> + Send>>,
    queue: Arc<Queue>,
}

impl Job {
    pub(super) fn new(
        running: impl Future<Output = ()> + Send + 'static,
        queue: Arc<Queue>,
    ) -> Self {
        Self {
            running: Box::pin(running),
            queue,
        }
    }

    /// Runs it as a task of its own.
    pub(super) fn spawn(self) {
        let task = spawn(self.running);
        self.queue.run_by(task.abort_handle());
    }

    /// Runs it here up to the place where it waits for the first time, and from there as a task of its own.
    async fn begin(mut self) {
        let begun = poll_fn(|context| Poll::Ready(self.running.as_mut().poll(context)));
        if begun.await.is_pending() {
            self.spawn();
        }
    }
}

/// What a connection and the tasks that may drive it share.
pub(super) struct Line {
    endpoint: Arc<Endpoint>,
    requests: Requests,
    state: Mutex<State>,
    closing: Arc<Closing>,
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line").finish_non_exhaustive()
    }
}

#[derive(Default)]
struct State {
    aside: Option<Job>,
    parked: Option<Driven>,
}

impl Line {
    pub(super) fn new(endpoint: Arc<Endpoint>, closing: Arc<Closing>) -> Arc<Self> {
        Arc::new(Self {
            endpoint,
            requests: Requests::default(),
            state: Mutex::default(),
            closing,
        })
    }

    pub(super) fn endpoint(&self) -> &Arc<Endpoint> {
        &self.endpoint
    }

    pub(super) fn requests(&self) -> &Requests {
        &self.requests
    }

    /// Keeps a call until hyper has done what it can.
    ///
    /// To be called while the connection is polled, which looks for the call afterwards.
    pub(super) fn lay_aside(&self, job: Job) {
        let other = self.state().aside.replace(job);
        // HTTP/1.1 reads a request after it has answered the one before, so there is no other; none would be lost.
        if let Some(other) = other {
            other.spawn();
        }
    }

    /// Drives the connection by another task if it is parked, since the task that parked it is busy.
    ///
    /// To be called within the runtime.
    pub(super) fn hand_over(self: &Arc<Self>) {
        let parked = self.state().parked.take();
        if let Some(driven) = parked {
            spawn(drive(Arc::clone(self), driven));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Both parts are whole at every moment.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection, which is counted until it is dropped.
pub(super) struct Driven {
    connection: Connection,
    _guard: Guard,
}

impl Driven {
    pub(super) fn new(connection: Connection, guard: Guard) -> Self {
        Self {
            connection,
            _guard: guard,
        }
    }
}

/// Drives a connection to its end, or until another task has taken it.
pub(super) async fn drive(line: Arc<Line>, mut driven: Driven) {
    let mut signal = pin!(line.closing.listen());
    loop {
        let job = poll_fn(|context| {
            match signal.as_mut().poll_stage(context) {
                None => {}
                Some(Stage::Dropped) => return Poll::Ready(None),
                Some(_) => driven.connection.as_mut().shut_down(),
            }
            step(&line, &mut driven.connection, context)
        });
        let Some(job) = job.await else {
            return;
        };
        line.state().parked = Some(driven);
        let parked = Parked(&line);
        job.begin().await;
        drop(parked);
        let Some(back) = line.state().parked.take() else {
            return;
        };
        driven = back;
    }
}

/// Has another task drive a parked connection on if this one ends by a panic.
struct Parked<'l>(&'l Arc<Line>);

impl Drop for Parked<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.hand_over();
        }
    }
}

/// Lets hyper do what it can, and gives what it laid aside; `None` is the end of the connection.
fn step(line: &Line, connection: &mut Connection, context: &mut Context<'_>) -> Poll<Option<Job>> {
    if let Poll::Ready(ended) = connection.as_mut().poll(context) {
        // Whatever ends a connection early is the client's doing, and its calls are dropped with it.
        if let Err(error) = ended {
            tracing::debug!("a connection ended: {error}");
        }
        // Nobody waits for a call that this very poll laid aside. It holds the line that would hold it for ever.
        let unbegun = line.state().aside.take();
        drop(unbegun);
        return Poll::Ready(None);
    }
    match line.state().aside.take() {
        Some(job) => Poll::Ready(Some(job)),
        None => Poll::Pending,
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::time::Duration;

    use tokio::sync::mpsc;
    use tokio::time::timeout;

    use super::super::call::Place;
    use super::super::closing::Room;
    use super::super::outbox::tests::queue;
    use super::*;

    /// A connection that lays aside what panics, and ends when it is driven on.
    struct Asking {
        line: Arc<Line>,
        has_asked: bool,
        ended: mpsc::UnboundedSender<()>,
    }

    impl Future for Asking {
        type Output = Result<(), Box<dyn Error + Send + Sync>>;

        fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
            if !std::mem::replace(&mut self.has_asked, true) {
                let call = async { panic!("as told") };
                self.line.lay_aside(Job::new(call, Arc::new(queue())));
                return Poll::Pending;
            }
            self.ended.send(()).unwrap();
            Poll::Ready(Ok(()))
        }
    }

    impl Served for Asking {
        fn shut_down(self: Pin<&mut Self>) {}
    }

    #[tokio::test]
    async fn a_connection_outlives_a_call_that_panics_on_its_task() {
        let queue = queue();
        let Place::Task(endpoint) = queue.place() else {
            panic!("it is in a task of its own");
        };
        let line = Line::new(Arc::clone(endpoint), Closing::new());
        let (ended, mut ends) = mpsc::unbounded_channel();
        let connection = Asking {
            line: Arc::clone(&line),
            has_asked: false,
            ended,
        };
        let room = Room::new(1);
        let driven = Driven::new(Box::pin(connection), room.enter().await);
        assert!(spawn(drive(line, driven)).await.is_err());
        let patience = Duration::from_secs(30);
        timeout(patience, ends.recv()).await.unwrap().unwrap();
        timeout(patience, room.empty()).await.unwrap();
    }
}
