//! What a server can do, as `server/discover` tells it (server/discover, "Capabilities").

use serde::Serialize;

/// The optional features that the server offers.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerCapabilities {
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<ToolsCapability>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompts: Option<PromptsCapability>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resources: Option<ResourcesCapability>,
    #[serde(skip_serializing_if = "Option::is_none")]
    completions: Option<CompletionsCapability>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logging: Option<LoggingCapability>,
}

/// Details of the `tools` capability.
#[derive(Debug, Clone, Default, Serialize)]
struct ToolsCapability {}

/// Details of the `prompts` capability.
#[derive(Debug, Clone, Default, Serialize)]
struct PromptsCapability {}

/// Details of the `resources` capability.
#[derive(Debug, Clone, Default, Serialize)]
struct ResourcesCapability {}

/// The `completions` capability, which has no details.
#[derive(Debug, Clone, Default, Serialize)]
struct CompletionsCapability {}

/// The `logging` capability, which has no details.
#[derive(Debug, Clone, Default, Serialize)]
struct LoggingCapability {}

impl ServerCapabilities {
    /// A server of tools. One that has none yet may get some while it runs, and answers `tools/list` all the same.
    pub(crate) fn new(has_prompts: bool, has_resources: bool, completes: bool, logs: bool) -> Self {
        Self {
            tools: Some(ToolsCapability {}),
            prompts: has_prompts.then_some(PromptsCapability {}),
            resources: has_resources.then_some(ResourcesCapability {}),
            completions: completes.then_some(CompletionsCapability {}),
            logging: logs.then_some(LoggingCapability {}),
        }
    }
}
