//! The handle that tells listening clients what has changed.

use std::fmt;
use std::sync::Arc;

use super::broadcaster::{Broadcaster, Topic};

/// Tells listening clients what has changed; made by [`Server::notify`](crate::Server::notify) and
/// [`Context::notify`](crate::Context::notify).
///
/// It is cheap to clone, works on any thread and never waits. Each client hears only what it has asked for
/// (`subscriptions/listen`). Equal notifications that a client has not been told yet become one: a client that is told of
/// a change asks for what it wants to know, and gets the newest.
///
/// Tools, prompts and resources that are added or removed with the methods of [`Server`](crate::Server) are told without
/// it. It is for what only the program knows, such as a new state of a resource:
///
/// ```
/// # fn main() -> Result<(), mcp_runtime::BuildError> {
/// let server = mcp_runtime::server!().build()?;
/// let notifier = server.notify();
/// std::thread::spawn(move || notifier.resource_updated("orders://recent"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Notifier(Arc<Broadcaster>);

impl fmt::Debug for Notifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Notifier")
    }
}

impl Notifier {
    pub(crate) fn new(broadcaster: &Arc<Broadcaster>) -> Self {
        Self(Arc::clone(broadcaster))
    }

    /// Tells that the list of tools has changed.
    pub fn tools_list_changed(&self) {
        self.publish(|| Topic::Tools);
    }

    /// Tells that the list of prompts has changed.
    pub fn prompts_list_changed(&self) {
        self.publish(|| Topic::Prompts);
    }

    /// Tells that the list of resources or that of templates has changed.
    pub fn resources_list_changed(&self) {
        self.publish(|| Topic::Resources);
    }

    /// Tells that a resource has other contents, to those who watch just this URI.
    pub fn resource_updated(&self, uri: impl AsRef<str>) {
        self.publish(|| Topic::Resource(uri.as_ref().into()));
    }

    fn publish(&self, topic: impl FnOnce() -> Topic) {
        if !self.0.is_silent() {
            self.0.publish(&topic());
        }
    }
}
