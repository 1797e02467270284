//! What a handler remembers from one run to the next: answers, and results of steps.
//!
//! It is a table and its JSON form. How it travels or where it is stored is not its business.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Entries by their keys.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Journal {
    entries: BTreeMap<String, Entry>,
}

/// One thing that is remembered.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Entry {
    /// The client's answer to a question.
    Answer {
        /// What was asked, so that an answer is never taken for one to another question.
        #[serde(rename = "to")]
        question: String,
        /// As the client gave it.
        response: Box<RawValue>,
        /// No run has read it, so that it may turn out to be none.
        #[serde(default, rename = "unread", skip_serializing_if = "std::ops::Not::not")]
        is_unread: bool,
    },
    /// The result of a step that is not to be run again.
    Once(Box<RawValue>),
}

impl Journal {
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.get(key)
    }

    pub(crate) fn insert(&mut self, key: String, entry: Entry) {
        self.entries.insert(key, entry);
    }

    pub(crate) fn remove(&mut self, key: &str) {
        self.entries.remove(key);
    }

    /// All answers, with their keys.
    pub(crate) fn answers(&self) -> impl Iterator<Item = (&str, &RawValue)> {
        self.entries.iter().filter_map(|(key, entry)| match entry {
            Entry::Answer { response, .. } => Some((key.as_str(), &**response)),
            Entry::Once(_) => None,
        })
    }
}
