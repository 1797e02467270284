//! A call whose handler waits for something.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::run::{Called, log_panic};
use super::{CallControl, Core};
use crate::convert::{Failure, Reply};
use crate::jsonrpc::RawId;
use crate::panic::catch;

/// The future of a call, which ends with its reply.
pub type BoxFuture = Pin<Box<dyn Future<Output = Reply> + Send>>;

/// A call that is not done; dropping it stops the handler at the place where it waits.
pub(crate) struct PendingCall {
    core: Arc<Core>,
    called: Called,
    control: Arc<CallControl>,
    /// `None` once it has ended.
    future: Option<BoxFuture>,
}

impl fmt::Debug for PendingCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PendingCall({})", self.called)
    }
}

impl PendingCall {
    pub(super) fn new(
        core: Arc<Core>,
        called: Called,
        control: Arc<CallControl>,
        future: BoxFuture,
    ) -> Self {
        Self {
            core,
            called,
            control,
            future: Some(future),
        }
    }

    /// Polls the handler; when it is done, gives the whole response to the request of the id.
    pub(crate) fn poll(&mut self, id: RawId<'_>, context: &mut Context<'_>) -> Poll<Vec<u8>> {
        let Some(future) = &mut self.future else {
            return Poll::Pending;
        };
        let reply = match catch(|| future.as_mut().poll(context)) {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(reply)) => reply,
            Err(panic) => {
                log_panic(&self.called, &panic);
                let mut reply = self.core.begin_reply(Vec::new(), id);
                reply.failure(Failure::Panic);
                reply
            }
        };
        self.drop_future();
        Poll::Ready(
            self.core
                .conclude(&self.called, &self.control, id, 0, reply),
        )
    }

    /// What the handler holds may do anything when it is dropped, wherever that is.
    fn drop_future(&mut self) {
        let future = self.future.take();
        if let Err(panic) = catch(|| drop(future)) {
            log_panic(&self.called, &panic);
        }
    }
}

impl Drop for PendingCall {
    fn drop(&mut self) {
        self.drop_future();
    }
}
