//! What a parameter of a prompt or a resource is: a text that its type parses, or something that the server injects.
//!
//! Where the text comes from, and what is refused before it is parsed, is not known here.

use std::fmt::Display;
use std::str::FromStr;

use super::param::{Slot, ViaContext};
use super::{FromContext, ParamKind, ToolError};
use crate::dispatch::Context;

/// A type that can be a parameter of a prompt or a resource.
///
/// There are four ways to be one, and the compiler finds out which applies (`Via`): every [`FromStr`] type whose error can
/// be displayed, `Option` and `Vec` of one, and every [`FromContext`] type, which is injected.
/// It is not implemented by hand.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a prompt or a resource",
    label = "neither made of a text nor something that the server can inject",
    note = "take a `String`, or a type of your own that implements `std::str::FromStr` with an error that can be displayed",
    note = "shared state is taken as `State<T>`, whose `T` is `Send` and `Sync`; a value made of the request implements `FromContext`"
)]
pub trait TextParam<Via>: Sized {
    /// How the parameter gets its value; known at compile time.
    const KIND: ParamKind;
}

/// Marks types that are made of one text.
#[derive(Debug)]
#[non_exhaustive]
pub struct ViaText;

/// Marks types that are made of one text or of none.
#[derive(Debug)]
#[non_exhaustive]
pub struct ViaOptionalText;

/// Marks types that are made of any number of texts.
#[derive(Debug)]
#[non_exhaustive]
pub struct ViaTexts;

#[diagnostic::do_not_recommend]
impl<T: FromStr<Err: Display>> TextParam<ViaText> for T {
    const KIND: ParamKind = ParamKind::Text {
        optional: false,
        many: false,
    };
}

#[diagnostic::do_not_recommend]
impl<T: FromStr<Err: Display>> TextParam<ViaOptionalText> for Option<T> {
    const KIND: ParamKind = ParamKind::Text {
        optional: true,
        many: false,
    };
}

#[diagnostic::do_not_recommend]
impl<T: FromStr<Err: Display>> TextParam<ViaTexts> for Vec<T> {
    const KIND: ParamKind = ParamKind::Text {
        optional: true,
        many: true,
    };
}

#[diagnostic::do_not_recommend]
impl<T: FromContext> TextParam<ViaContext> for T {
    const KIND: ParamKind = ParamKind::Injected(T::NEEDS);
}

/// A slot whose type is forgotten, so that one function fills the parameters of all prompts and resources.
pub trait FillText {
    /// Parses a text; the error is for the client. A slot of several values takes one more.
    fn parse(&mut self, text: &str) -> Result<(), String>;
    /// Takes the type's value for absence, if it has one.
    fn absent(&mut self) -> bool;
    /// Injects the value.
    fn inject(&mut self, context: &Context) -> Result<(), ToolError>;
    /// Tells whether the value is there.
    fn is_filled(&self) -> bool;
}

/// Why a text is never injected, and an injected value never parsed.
const OTHER_WAY: &str = "the parameter gets its value in another way";

fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

impl<T: FromStr<Err: Display>> FillText for Slot<T, ViaText> {
    fn parse(&mut self, text: &str) -> Result<(), String> {
        self.value = Some(parsed(text)?);
        Ok(())
    }

    fn absent(&mut self) -> bool {
        false
    }

    fn inject(&mut self, _: &Context) -> Result<(), ToolError> {
        Err(ToolError::new(OTHER_WAY))
    }

    fn is_filled(&self) -> bool {
        self.value.is_some()
    }
}

impl<T: FromStr<Err: Display>> FillText for Slot<Option<T>, ViaOptionalText> {
    fn parse(&mut self, text: &str) -> Result<(), String> {
        self.value = Some(Some(parsed(text)?));
        Ok(())
    }

    fn absent(&mut self) -> bool {
        self.value = Some(None);
        true
    }

    fn inject(&mut self, _: &Context) -> Result<(), ToolError> {
        Err(ToolError::new(OTHER_WAY))
    }

    fn is_filled(&self) -> bool {
        self.value.is_some()
    }
}

impl<T: FromStr<Err: Display>> FillText for Slot<Vec<T>, ViaTexts> {
    fn parse(&mut self, text: &str) -> Result<(), String> {
        let value = parsed(text)?;
        self.value.get_or_insert_default().push(value);
        Ok(())
    }

    fn absent(&mut self) -> bool {
        self.value = Some(Vec::new());
        true
    }

    fn inject(&mut self, _: &Context) -> Result<(), ToolError> {
        Err(ToolError::new(OTHER_WAY))
    }

    fn is_filled(&self) -> bool {
        self.value.is_some()
    }
}

impl<T: FromContext> FillText for Slot<T, ViaContext> {
    fn parse(&mut self, _: &str) -> Result<(), String> {
        Err(OTHER_WAY.to_owned())
    }

    fn absent(&mut self) -> bool {
        false
    }

    fn inject(&mut self, context: &Context) -> Result<(), ToolError> {
        self.value = Some(T::from_context(context)?);
        Ok(())
    }

    fn is_filled(&self) -> bool {
        self.value.is_some()
    }
}
