//! Fills the parameters of a prompt or a resource with texts.

use std::borrow::Cow;

use super::{FillText, ParamEntry, ParamKind};

/// The texts that a client sent, and what was found wrong with them so far.
#[derive(Debug, Default)]
pub(crate) struct Texts<'a> {
    /// Each with the position of its parameter.
    pub(crate) values: Vec<(usize, Cow<'a, str>)>,
    /// Positions of parameters whose texts are refused for one of the faults.
    pub(crate) refused: Vec<usize>,
    /// Sentences for the client.
    pub(crate) faults: Vec<String>,
}

impl Texts<'_> {
    /// Parses the texts into their slots, and reports every fault at once.
    ///
    /// Slots of parameters with a default stay empty where the client sent nothing; the caller fills these.
    pub(crate) fn fill(
        &self,
        params: &[ParamEntry],
        slots: &mut [&mut dyn FillText],
    ) -> Result<(), Vec<String>> {
        let mut faults = self.faults.clone();
        let mut given = vec![false; params.len()];
        for position in &self.refused {
            given[*position] = true;
        }
        for (position, text) in &self.values {
            given[*position] = true;
            if let Err(error) = slots[*position].parse(text) {
                faults.push(format!("`{}`: {error}", params[*position].name));
            }
        }
        for ((param, slot), given) in params.iter().zip(slots).zip(given) {
            if let ParamKind::Text { .. } = param.kind
                && !given
                && param.default.is_none()
                && !slot.absent()
            {
                faults.push(format!("`{}` is missing", param.name));
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
