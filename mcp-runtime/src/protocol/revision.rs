//! How the messages of one revision differ from those of another, as data.
//!
//! Writers of messages take a row of this and never ask for a revision by its name.

use super::Feature;

/// What the messages of a revision can say.
#[derive(Debug)]
pub(crate) struct Revision {
    /// The revision as messages name it.
    pub(crate) name: &'static str,
    /// Its place in tables that have an entry for each row; below [`Revision::COUNT`].
    pub(crate) index: usize,
    /// Each request states its revision and its client, and each result its type, its server and how long it may be kept.
    pub(crate) is_stateless: bool,
    /// Results of calls consist of one block of text.
    pub(crate) is_bare: bool,
    /// What `structuredContent` and `outputSchema` can be.
    pub(crate) structured: StructuredContent,
    /// Lists and the server have `title`; content has `resource_link`; forms exist.
    pub(crate) has_titles: bool,
    /// Lists and the server have `icons`; the server has `description` and `websiteUrl`.
    pub(crate) has_icons: bool,
    /// Content has `audio`; tools have `annotations`; progress has `message`; `completions` is a capability.
    pub(crate) has_audio: bool,
    /// A message may be an array of messages.
    #[cfg(feature = "legacy")]
    pub(crate) has_batches: bool,
    /// The code of the error for a resource that does not exist.
    pub(crate) resource_not_found: i32,
}

/// What a revision allows as the structured content of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StructuredContent {
    /// Any JSON value.
    Any,
    /// An object; any other value is its member `result`.
    Objects,
    /// Nothing.
    Absent,
}

impl Revision {
    /// Whether it has the methods of a feature.
    pub(crate) fn has(&self, feature: Feature) -> bool {
        match feature {
            Feature::Tools | Feature::Prompts | Feature::Resources | Feature::Completions => true,
            Feature::Discovery | Feature::Subscriptions | Feature::Tasks => self.is_stateless,
            Feature::Sessions => !self.is_stateless,
        }
    }

    /// How many rows there are in all tables together.
    pub(crate) const COUNT: usize = 6;

    /// The revision that this crate is written for.
    pub(crate) const CURRENT: &'static Self = &Self {
        name: super::PROTOCOL_VERSION,
        index: 0,
        is_stateless: true,
        is_bare: false,
        structured: StructuredContent::Any,
        has_titles: true,
        has_icons: true,
        has_audio: true,
        #[cfg(feature = "legacy")]
        has_batches: false,
        resource_not_found: crate::jsonrpc::code::INVALID_PARAMS,
    };

    /// The bare JSON-RPC contract.
    pub(crate) const BARE: &'static Self = &Self {
        index: 1,
        is_stateless: false,
        is_bare: true,
        ..*Self::CURRENT
    };
}
