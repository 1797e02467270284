//! What a server can do, as `server/discover` tells it (server/discover, "Capabilities").

use std::collections::BTreeMap;

use serde::Serialize;

/// The optional features that the server offers.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerCapabilities {
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<ListCapability>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompts: Option<ListCapability>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resources: Option<ResourcesCapability>,
    #[serde(skip_serializing_if = "Option::is_none")]
    completions: Option<CompletionsCapability>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logging: Option<LoggingCapability>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    extensions: BTreeMap<&'static str, ExtensionSettings>,
}

/// Details of the `tools` and `prompts` capabilities.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
struct ListCapability {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    list_changed: bool,
}

/// Details of the `resources` capability.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourcesCapability {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    list_changed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    subscribe: bool,
}

/// The `completions` capability, which has no details.
#[derive(Debug, Clone, Copy, Serialize)]
struct CompletionsCapability {}

/// The `logging` capability, which has no details.
#[derive(Debug, Clone, Copy, Serialize)]
struct LoggingCapability {}

/// The settings of an extension that has none.
#[derive(Debug, Clone, Copy, Serialize)]
struct ExtensionSettings {}

/// What a server offers besides tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offer {
    pub(crate) prompts: bool,
    pub(crate) resources: bool,
    pub(crate) completions: bool,
    pub(crate) logging: bool,
    /// Word of changes, which not every transport can deliver.
    pub(crate) changes: bool,
}

impl Offer {
    /// How many there are.
    pub(crate) const COUNT: usize = 32;

    /// A number below [`Self::COUNT`] that no other offer has.
    pub(crate) fn index(self) -> usize {
        let bits = [
            self.prompts,
            self.resources,
            self.completions,
            self.logging,
            self.changes,
        ];
        bits.into_iter()
            .fold(0, |index, bit| index * 2 + usize::from(bit))
    }
}

impl ServerCapabilities {
    /// A server of tools, whose lists change unless they are fixed. One that has none yet may get some while it runs, and answers `tools/list` all the same.
    pub(crate) fn new(
        offer: Offer,
        fixed_lists: bool,
        extensions: impl IntoIterator<Item = &'static str>,
    ) -> Self {
        let extensions = extensions.into_iter();
        let list = ListCapability {
            list_changed: offer.changes && !fixed_lists,
        };
        Self {
            tools: Some(list),
            prompts: offer.prompts.then_some(list),
            resources: offer.resources.then_some(ResourcesCapability {
                list_changed: list.list_changed,
                subscribe: offer.changes,
            }),
            completions: offer.completions.then_some(CompletionsCapability {}),
            logging: offer.logging.then_some(LoggingCapability {}),
            extensions: extensions
                .map(|name| (name, ExtensionSettings {}))
                .collect(),
        }
    }
}
