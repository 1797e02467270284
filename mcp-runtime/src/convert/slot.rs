//! Finds the slot of a parameter's type, and one that fits nothing for types that have none.
//!
//! A type that cannot be a parameter is reported once, where the parameter is described ([`Param`](super::Param));
//! the code that would be run is made to compile, so that the compiler does not repeat itself.

use std::fmt;
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::autoref::Probe;
use super::param::{Fill, Slot, ViaArgument, ViaContext};
use super::{FromContext, ToolError};
use crate::dispatch::Context;

/// First rung: the type is an argument.
pub trait SlotArgument {
    /// The slot.
    type Slot;
    /// Makes it.
    fn slot(&self) -> Self::Slot;
}

impl<T: DeserializeOwned + JsonSchema> SlotArgument for &&Probe<T> {
    type Slot = Slot<T, ViaArgument>;

    fn slot(&self) -> Self::Slot {
        Slot::empty()
    }
}

/// Second rung: the type is injected.
pub trait SlotInjected {
    /// The slot.
    type Slot;
    /// Makes it.
    fn slot(&self) -> Self::Slot;
}

impl<T: FromContext> SlotInjected for &Probe<T> {
    type Slot = Slot<T, ViaContext>;

    fn slot(&self) -> Self::Slot {
        Slot::empty()
    }
}

/// Last rung: the type is neither.
pub trait SlotUnfit {
    /// The slot.
    type Slot;
    /// Makes it.
    fn slot(&self) -> Self::Slot;
}

impl<T> SlotUnfit for Probe<T> {
    type Slot = UnfitSlot<T>;

    fn slot(&self) -> Self::Slot {
        UnfitSlot(PhantomData)
    }
}

/// The slot of a type that cannot be a parameter. No program that has one compiles.
pub struct UnfitSlot<T>(PhantomData<fn() -> T>);

/// Why the functions below are never called.
pub(super) const REFUSED: &str = "the compiler has refused the description of the parameter";

impl<T> fmt::Debug for UnfitSlot<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UnfitSlot")
    }
}

impl<T> UnfitSlot<T> {
    /// A slot of no use.
    pub(super) const fn new() -> Self {
        Self(PhantomData)
    }

    /// See [`Slot::or_default`].
    pub fn or_default(&mut self, _: impl FnOnce() -> T) {
        unreachable!("{REFUSED}")
    }

    /// See [`Slot::take`].
    pub fn take(&mut self) -> T {
        unreachable!("{REFUSED}")
    }

    /// See [`Slot::peek`].
    pub fn peek(&self) -> &T {
        unreachable!("{REFUSED}")
    }
}

impl<T> Fill for UnfitSlot<T> {
    fn decode(&mut self, _: &str) -> Result<(), serde_json::Error> {
        unreachable!("{REFUSED}")
    }

    fn absent(&mut self) -> bool {
        false
    }

    fn inject(&mut self, _: &Context) -> Result<(), ToolError> {
        unreachable!("{REFUSED}")
    }

    fn is_filled(&self) -> bool {
        false
    }

    fn clear(&mut self) {}
}
