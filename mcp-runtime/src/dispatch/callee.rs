//! What a request runs of what others have written, as far as a transport has to tell it from all else.
//!
//! Nothing is judged here: a request that names nothing which is there is refused by the stages, and quickly.

use super::message::string;
use super::{Core, Request, resources};
use crate::jsonrpc::Shape;
use crate::protocol::method;

impl Request<'_> {
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

impl Core {
    /// Tells what a request runs: its method, and the name of the tool or the prompt, or the URI or template of the
    /// resource as lists show it. `None` for requests of other methods.
    pub(crate) fn with_callee<R>(
        &self,
        request: &Request<'_>,
        tell: impl FnOnce(&'static str, &str) -> R,
    ) -> Option<R> {
        let Some(Shape::Object(params)) = &request.params else {
            return None;
        };
        match &*request.method {
            method::TOOLS_CALL => Some(tell(method::TOOLS_CALL, &params.name.and_then(string)?)),
            method::PROMPTS_GET => Some(tell(method::PROMPTS_GET, &params.name.and_then(string)?)),
            method::RESOURCES_READ => {
                let uri = params.uri.and_then(string)?;
                let registry = self.registry.load();
                let (resource, _) = resources::find(&registry, &uri)?;
                Some(tell(method::RESOURCES_READ, &resource.uri))
            }
            _ => None,
        }
    }
}
