//! The names of methods and notifications.

pub(crate) const INITIALIZE: &str = "initialize";
pub(crate) const SERVER_DISCOVER: &str = "server/discover";
pub(crate) const TOOLS_LIST: &str = "tools/list";
pub(crate) const TOOLS_CALL: &str = "tools/call";
pub(crate) const PROMPTS_LIST: &str = "prompts/list";
pub(crate) const PROMPTS_GET: &str = "prompts/get";
pub(crate) const RESOURCES_LIST: &str = "resources/list";
pub(crate) const TEMPLATES_LIST: &str = "resources/templates/list";
pub(crate) const RESOURCES_READ: &str = "resources/read";
pub(crate) const COMPLETION_COMPLETE: &str = "completion/complete";
pub(crate) const SUBSCRIPTIONS_LISTEN: &str = "subscriptions/listen";
pub(crate) const TASKS_GET: &str = "tasks/get";
pub(crate) const TASKS_UPDATE: &str = "tasks/update";
pub(crate) const TASKS_CANCEL: &str = "tasks/cancel";
pub(crate) const NOTIFICATION_CANCELLED: &str = "notifications/cancelled";
pub(crate) const NOTIFICATION_ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
pub(crate) const NOTIFICATION_TOOLS_CHANGED: &str = "notifications/tools/list_changed";
pub(crate) const NOTIFICATION_PROMPTS_CHANGED: &str = "notifications/prompts/list_changed";
pub(crate) const NOTIFICATION_RESOURCES_CHANGED: &str = "notifications/resources/list_changed";
pub(crate) const NOTIFICATION_RESOURCE_UPDATED: &str = "notifications/resources/updated";
pub(crate) const NOTIFICATION_TASKS: &str = "notifications/tasks";
