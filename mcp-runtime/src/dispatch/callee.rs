//! What a request runs of what others have written, as far as a transport has to tell it from all else.
//!
//! Nothing is judged here: a request that names nothing which is there is refused by the stages, and quickly.

use super::Request;
use crate::protocol::method;

impl Request<'_> {
    /// Whether its answer is a stream of notifications (basic/patterns/subscriptions).
    #[cfg(feature = "http")]
    pub(crate) fn opens_stream(&self) -> bool {
        self.method == method::SUBSCRIPTIONS_LISTEN
    }

    /// Whether it may take as long as somebody's handler or store does; the answers to all others are ready-made.
    pub(crate) fn runs_handler(&self) -> bool {
        matches!(
            &*self.method,
            method::TOOLS_CALL
                | method::PROMPTS_GET
                | method::RESOURCES_READ
                | method::COMPLETION_COMPLETE
                | method::TASKS_GET
                | method::TASKS_UPDATE
                | method::TASKS_CANCEL
        )
    }
}
