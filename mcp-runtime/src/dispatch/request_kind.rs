//! What a transport has to know of a request before it is dispatched.
//!
//! Nothing is judged here: a request that names nothing that exists is refused by the stages.

use super::Request;
#[cfg(feature = "http")]
use crate::protocol::Method;

impl Request<'_> {
    /// Whether its answer is a stream of notifications (basic/patterns/subscriptions).
    #[cfg(feature = "http")]
    pub(crate) fn opens_stream(&self) -> bool {
        self.method == Some(Method::Listen)
    }

    /// Whether it may take as long as a function or a store of the user's does.
    pub(crate) fn runs_handler(&self) -> bool {
        self.method
            .is_some_and(|method| method.spec().runs_function)
    }
}
