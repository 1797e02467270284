//! The names of notifications.

/// From a client: it has read the result of `initialize`.
#[cfg_attr(
    not(feature = "legacy"),
    expect(dead_code, reason = "sessions are kept by connections")
)]
pub(crate) const INITIALIZED: &str = "notifications/initialized";
/// From either side: a request is cancelled.
pub(crate) const CANCELLED: &str = "notifications/cancelled";
/// A stream is open, and this is what it tells of.
pub(crate) const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
/// The list of tools has changed.
pub(crate) const TOOLS_CHANGED: &str = "notifications/tools/list_changed";
/// The list of prompts has changed.
pub(crate) const PROMPTS_CHANGED: &str = "notifications/prompts/list_changed";
/// The list of resources has changed.
pub(crate) const RESOURCES_CHANGED: &str = "notifications/resources/list_changed";
/// The contents of a resource have changed.
pub(crate) const RESOURCE_UPDATED: &str = "notifications/resources/updated";
/// A task has changed.
pub(crate) const TASKS: &str = "notifications/tasks";
