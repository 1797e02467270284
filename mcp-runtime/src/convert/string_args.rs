//! Fills the parameters of a prompt or a resource with texts.

use std::borrow::Cow;
use std::fmt;

use super::{FillText, ParamEntry, ParamKind};
use crate::schema::{LISTED, MORE, may_be_left_out};

/// The texts that a client sent, and what was found wrong with them so far.
#[derive(Debug)]
pub(crate) struct Texts<'a> {
    /// Each with the position of its parameter.
    pub(crate) values: Vec<(usize, Cow<'a, str>)>,
    /// For each parameter, whether there is a text, be it one that was refused for one of the faults.
    pub(crate) given: Vec<bool>,
    /// What is wrong with them.
    pub(crate) faults: Sentences,
}

/// Sentences for the client; after [`LISTED`] of them, one more says that there are others.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sentences(Vec<String>);

impl Sentences {
    /// Adds a sentence, which is made only if it is told.
    pub(crate) fn push(&mut self, sentence: impl FnOnce() -> String) {
        if self.0.len() < LISTED {
            self.0.push(sentence());
        } else if !self.are_complete() {
            self.0.push(MORE.to_owned());
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether nothing more will be told.
    pub(crate) fn are_complete(&self) -> bool {
        self.0.len() > LISTED
    }
}

impl fmt::Display for Sentences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("; "))
    }
}

impl Texts<'_> {
    /// No texts for so many parameters.
    pub(crate) fn of(params: usize) -> Self {
        Self {
            values: Vec::new(),
            given: vec![false; params],
            faults: Sentences::default(),
        }
    }

    /// Parses the texts into their slots, and reports the faults at once.
    ///
    /// Slots of parameters with a default stay empty where the client sent nothing; the caller fills these.
    pub(crate) fn fill(
        &self,
        params: &[ParamEntry],
        slots: &mut [&mut dyn FillText],
    ) -> Result<(), Sentences> {
        let mut faults = self.faults.clone();
        for (position, text) in &self.values {
            if let Err(error) = slots[*position].parse(text) {
                let param = &params[*position];
                faults.push(|| {
                    let mut sentence = format!("`{}`: {error}", param.name);
                    if param.is_optional_text() {
                        sentence.push_str(&may_be_left_out(param.name));
                    }
                    sentence
                });
            }
        }
        for ((param, slot), given) in params.iter().zip(slots).zip(&self.given) {
            if let ParamKind::Text { .. } = param.kind
                && !given
                && param.default.is_none()
                && !slot.absent()
            {
                faults.push(|| format!("`{}` is missing", param.name));
            }
        }
        if faults.is_empty() {
            Ok(())
        } else {
            Err(faults)
        }
    }
}

/// The position of the parameter that a client knows by a name.
pub(crate) fn text_position(params: &[ParamEntry], name: &str) -> Option<usize> {
    params
        .iter()
        .position(|param| param.name == name && matches!(param.kind, ParamKind::Text { .. }))
}
