//! What a server says of itself (server/discover).

use serde::Serialize;

use super::{SUPPORTED_VERSIONS, capability::ServerCapabilities};

/// The members of the answer to `server/discover`, but for its metadata.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DiscoverResult<'a> {
    result_type: &'static str,
    supported_versions: &'static [&'static str],
    capabilities: ServerCapabilities,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a str>,
}

impl<'a> DiscoverResult<'a> {
    /// A server that can do this, with guidance for the model.
    pub(crate) fn new(capabilities: ServerCapabilities, instructions: Option<&'a str>) -> Self {
        Self {
            result_type: "complete",
            supported_versions: SUPPORTED_VERSIONS,
            capabilities,
            instructions,
        }
    }
}
