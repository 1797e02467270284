//! What a server can do, as `server/discover` tells it (server/discover, "Capabilities").

use serde::Serialize;

/// The optional features that the server offers.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerCapabilities {
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<ToolsCapability>,
}

/// Details of the `tools` capability.
#[derive(Debug, Clone, Default, Serialize)]
struct ToolsCapability {}

impl ServerCapabilities {
    /// A server of tools. One that has none yet may get some while it runs, and answers `tools/list` all the same.
    pub(crate) fn of_tools() -> Self {
        Self {
            tools: Some(ToolsCapability {}),
        }
    }
}
