//! A call whose handler waits for something.

use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::tools::log_panic;
use super::{CallControl, Core};
use crate::convert::{Failure, Reply};
use crate::jsonrpc::RawId;
use crate::registry::Tool;

/// The future of a call, which ends with its reply.
pub type BoxFuture = Pin<Box<dyn Future<Output = Reply> + Send>>;

/// A call that is not done; dropping it stops the handler at the place where it waits.
pub(crate) struct PendingCall {
    core: Arc<Core>,
    tool: Arc<Tool>,
    control: Arc<CallControl>,
    future: BoxFuture,
}

impl fmt::Debug for PendingCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PendingCall({})", self.tool.name)
    }
}

impl PendingCall {
    pub(super) fn new(
        core: Arc<Core>,
        tool: Arc<Tool>,
        control: Arc<CallControl>,
        future: BoxFuture,
    ) -> Self {
        Self {
            core,
            tool,
            control,
            future,
        }
    }

    /// Polls the handler; when it is done, gives the whole response to the request of the id.
    pub(crate) fn poll(&mut self, id: RawId<'_>, context: &mut Context<'_>) -> Poll<Vec<u8>> {
        let future = self.future.as_mut();
        let reply = match catch_unwind(AssertUnwindSafe(|| future.poll(context))) {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(reply)) => reply,
            Err(panic) => {
                log_panic(&self.tool, &*panic);
                let mut reply = self.core.begin_reply(Vec::new(), id);
                reply.failure(Failure::Panic);
                reply
            }
        };
        Poll::Ready(self.core.conclude(&self.tool, &self.control, id, 0, reply))
    }
}
