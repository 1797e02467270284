//! A prompt that is right as far as types need not be known.

use super::guard::Unit;
use super::item::Item;
use crate::attr::prompt::PromptAttr;
use crate::diag::Diagnostics;
use crate::signature::Signature;
use crate::subject::Subject;

/// A checked prompt.
pub(crate) struct Prompt {
    pub(crate) item: Item,
    pub(crate) allow_unknown: bool,
    /// The symbol that no second prompt of this name may have.
    pub(crate) guard: Option<String>,
}

impl Prompt {
    /// Checks everything, reports all mistakes, and gives a prompt only if there was none.
    pub(crate) fn new(
        attr: &PromptAttr,
        signature: Signature,
        unit: &Unit,
        diag: &mut Diagnostics,
    ) -> Option<Self> {
        let item = Item::new(&attr.item, signature, Subject::Prompt, diag);
        if diag.has_errors() {
            return None;
        }
        Some(Self {
            guard: unit.symbol(
                (
                    "two_prompts_are_called",
                    "write_another_name_on_one_of_them",
                ),
                &item.group,
                &item.name,
            ),
            item,
            allow_unknown: attr.allow_unknown.get().copied().unwrap_or(false),
        })
    }
}
