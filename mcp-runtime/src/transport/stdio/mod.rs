//! Serving over standard input and output (basic/transports/stdio).
//!
//! Three roles share the work, and the state behind one lock:
//!
//! - The *leader* reads, and runs each call itself as soon as its line is there. It answers a burst of quick calls
//!   with one read and one write, and hands nothing to another thread.
//! - The *supervisor* is the thread that called [`serve`]. It looks once in a millisecond, and only while calls come
//!   in, whether the leader is still at the same call. If so it appoints another leader, and the slow call goes on
//!   where it is; its thread answers it and becomes a *spare*. It also watches limits of time, signals and the end.
//! - A *spare* waits to become the leader, or to write what others have left to be written.
//!
//! An async handler is polled once by the leader; if it waits, it moves to a runtime made on first need.
//! What streams of `subscriptions/listen` have to tell is put among the answers by the supervisor, once changes have
//! settled, or by whoever has written everything else: a client that does not read is told nothing twice.
//! The supervisor never writes, so that a client which does not read cannot keep the process from ending.

mod bell;
mod crew;
mod flight;
mod input;
mod leader;
mod listeners;
mod notify;
mod output;
mod polls;
mod state;
mod supervisor;
#[cfg(test)]
mod tests;
mod wire;

use std::io;
use std::sync::Arc;

use self::crew::Crew;
pub(crate) use self::wire::Wire;
use super::TransportError;
use crate::dispatch::Core;
use crate::server::Server;

impl Server {
    /// Serves over standard input and output until the client closes the input, and then returns.
    ///
    /// SIGINT and SIGTERM end it too, as does a client that is gone. Calls that still run then get the time of
    /// [`grace`](crate::ServerBuilder::grace); what is not done afterwards is dropped, and threads that run it are not waited for.
    ///
    /// On Unix, while it serves, standard output belongs to the protocol alone: what tools and their children print
    /// goes to standard error, and what reads standard input finds its end. On other platforms tools must not print.
    ///
    /// Plain functions are run on threads of the server, many at a time if they are slow; async ones are run within
    /// a tokio runtime that is made when the first is called.
    ///
    /// # Errors
    ///
    /// The streams cannot be used, or a thread cannot be made.
    pub fn serve_stdio(&self) -> Result<(), TransportError> {
        serve(self.core(), claim()?)
    }
}

/// Takes standard input and output for messages alone, from now on.
pub(crate) fn claim() -> Result<Wire, TransportError> {
    Wire::claim().map_err(|error| TransportError::new("take standard input and output", error))
}

/// Serves until the input ends, the client is gone, or a signal asks for the end.
pub(crate) fn serve(core: &Arc<Core>, wire: Wire) -> Result<(), TransportError> {
    let crew = Crew::new(Arc::clone(core), wire)
        .map_err(|error| TransportError::new("listen for signals", error))?;
    core.start_tasks();
    let ended = supervisor::supervise(&crew);
    Server::stop_tasks_within(core, core.options.limits.grace);
    core.refusals.finish();
    match ended {
        Err(error) if is_end_of_client(&error) => Ok(()),
        Err(error) => Err(TransportError::new("go on serving", error)),
        Ok(()) => Ok(()),
    }
}

/// Whether an error only says that nobody is at the other end any more.
fn is_end_of_client(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset
    )
}
