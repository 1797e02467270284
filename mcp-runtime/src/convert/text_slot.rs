//! Finds the slot of a type that is made of a text, and one that fits nothing for types that are not.
//!
//! As in [`slot`](super::slot), a type that cannot be a parameter is reported where the parameter is described.

use std::fmt::Display;
use std::str::FromStr;

use super::autoref::Probe;
use super::param::{Slot, ViaContext};
use super::slot::UnfitSlot;
use super::text_param::{FillText, ViaOptionalText, ViaText, ViaTexts};
use super::{FromContext, ToolError};
use crate::dispatch::Context;

/// First rung: the type is made of one text.
pub trait TextSlotOne {
    /// The slot.
    type Slot;
    /// Makes it.
    fn slot(&self) -> Self::Slot;
}

impl<T: FromStr<Err: Display>> TextSlotOne for &&&&Probe<T> {
    type Slot = Slot<T, ViaText>;

    fn slot(&self) -> Self::Slot {
        Slot::empty()
    }
}

/// Second rung: the type is made of one text or none.
pub trait TextSlotOptional {
    /// The slot.
    type Slot;
    /// Makes it.
    fn slot(&self) -> Self::Slot;
}

impl<T: FromStr<Err: Display>> TextSlotOptional for &&&Probe<Option<T>> {
    type Slot = Slot<Option<T>, ViaOptionalText>;

    fn slot(&self) -> Self::Slot {
        Slot::empty()
    }
}

/// Third rung: the type is made of any number of texts.
pub trait TextSlotMany {
    /// The slot.
    type Slot;
    /// Makes it.
    fn slot(&self) -> Self::Slot;
}

impl<T: FromStr<Err: Display>> TextSlotMany for &&Probe<Vec<T>> {
    type Slot = Slot<Vec<T>, ViaTexts>;

    fn slot(&self) -> Self::Slot {
        Slot::empty()
    }
}

/// Fourth rung: the type is injected.
pub trait TextSlotInjected {
    /// The slot.
    type Slot;
    /// Makes it.
    fn slot(&self) -> Self::Slot;
}

impl<T: FromContext> TextSlotInjected for &Probe<T> {
    type Slot = Slot<T, ViaContext>;

    fn slot(&self) -> Self::Slot {
        Slot::empty()
    }
}

/// Last rung: the type is none of these.
pub trait TextSlotUnfit {
    /// The slot.
    type Slot;
    /// Makes it.
    fn slot(&self) -> Self::Slot;
}

impl<T> TextSlotUnfit for Probe<T> {
    type Slot = UnfitSlot<T>;

    fn slot(&self) -> Self::Slot {
        UnfitSlot::new()
    }
}

impl<T> FillText for UnfitSlot<T> {
    fn parse(&mut self, _: &str) -> Result<(), String> {
        unreachable!("{}", super::slot::REFUSED)
    }

    fn absent(&mut self) -> bool {
        false
    }

    fn inject(&mut self, _: &Context) -> Result<(), ToolError> {
        unreachable!("{}", super::slot::REFUSED)
    }

    fn is_filled(&self) -> bool {
        false
    }
}
