//! `subscriptions/listen` (basic/patterns/subscriptions): streams of notifications that stay open.
//!
//! [`filter`] is what a client asks for, [`hub`] knows who listens, [`notifier`] is the handle that tells them, and
//! [`listener`] is the stream that a transport reads from. Nothing here waits or looks at a clock: a transport is woken,
//! and takes what there is to tell when it likes.

mod filter;
mod hub;
mod listener;
mod notifier;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use self::filter::Filter;
pub(crate) use self::hub::{Audience, Hub};
pub(crate) use self::listener::{Listener, Told};
pub use self::notifier::Notifier;
use super::{Answer, CallControl, Core, DispatchError, Request};
use crate::protocol::Params;

impl Core {
    /// Answers `subscriptions/listen`: writes the acknowledgement, and hands the stream back.
    pub(super) fn listen(
        self: &Arc<Self>,
        request: &Request<'_>,
        params: &Params<'_>,
        control: &CallControl,
        out: &mut Vec<u8>,
    ) -> Result<Answer, DispatchError> {
        let Some(audience) = control.audience() else {
            return Err(DispatchError::UnknownMethod(request.method.to_string()));
        };
        control.begin(None);
        let limits = &self.options.limits;
        let filter = Filter::read(params.notifications, limits.listen_queue)?;
        let honoured = filter.honoured_by(&self.registry.load());
        let stream = self
            .hub
            .open(audience, honoured.topics(), limits.listen_streams)
            .map_err(|_| DispatchError::TooManyStreams(limits.listen_streams))?;
        honoured.acknowledge(request.id, out);
        let listener = Listener::new(Arc::clone(self), stream, request.id);
        Ok(Answer::Listening(listener))
    }

    /// Whether a request that came this way can be answered with a stream.
    pub(super) fn serves_listeners(&self, control: &CallControl) -> bool {
        self.options.profile.answers().has_all_methods && control.audience().is_some()
    }
}
