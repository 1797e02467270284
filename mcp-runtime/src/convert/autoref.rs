//! What a return type is: decided by trait, in an order of preference that method resolution walks.
//!
//! Generated code asks a [`Probe`] of the return type twice: first whether it is a `Result`, then what the value is.
//! The methods stand on different numbers of references, so that the compiler takes the first rung that applies
//! and never has to choose between two; the last rung always applies and carries the sentence for unfit types.

use std::convert::Infallible;
use std::fmt::{self, Display};
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::Serialize;

use super::output::TextLike;
use super::{
    Failure, InputRequired, IntoToolResult, MissingCapability, OutputSpec, Reply, ResourceError,
    ToolError,
};

/// Asks the compiler about a type.
pub struct Probe<T>(PhantomData<fn() -> T>);

impl<T> fmt::Debug for Probe<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Probe<{}>", std::any::type_name::<T>())
    }
}

impl<T> Default for Probe<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Probe<T> {
    /// A probe of the type.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// First question, first rung: the return type is a `Result`.
pub trait SplitFallible {
    /// The type of the value.
    type Value;
    /// The type of the error.
    type Error;
    /// Takes the type apart.
    fn split(&self) -> Fallible<Self::Value, Self::Error>;
}

impl<T, E> SplitFallible for &Probe<Result<T, E>> {
    type Value = T;
    type Error = E;

    fn split(&self) -> Fallible<T, E> {
        Fallible(Probe::new(), Probe::new())
    }
}

/// First question, last rung: the return type is a value.
pub trait SplitPlain {
    /// The type of the value.
    type Value;
    /// Takes the type as it is.
    fn split(&self) -> Plain<Self::Value>;
}

impl<T> SplitPlain for Probe<T> {
    type Value = T;

    fn split(&self) -> Plain<T> {
        Plain(Self::new())
    }
}

/// A return type that is a `Result`.
#[derive(Debug)]
pub struct Fallible<T, E>(Probe<T>, Probe<E>);

impl<T, E> Fallible<T, E> {
    /// The value's type.
    #[must_use]
    pub fn value(&self) -> &Probe<T> {
        &self.0
    }

    /// The error's type.
    #[must_use]
    pub fn error(&self) -> &Probe<E> {
        &self.1
    }

    /// Passes the result on.
    #[allow(clippy::missing_errors_doc, reason = "it fails as its argument did")]
    pub fn divide(&self, returned: Result<T, E>) -> Result<T, E> {
        returned
    }
}

/// A return type that is a value.
#[derive(Debug)]
pub struct Plain<T>(Probe<T>);

impl<T> Plain<T> {
    /// The value's type.
    #[must_use]
    pub fn value(&self) -> &Probe<T> {
        &self.0
    }

    /// The type of an error that never happens.
    #[must_use]
    pub fn error(&self) -> &Probe<Infallible> {
        const { &Probe::new() }
    }

    /// A value never fails.
    #[allow(clippy::missing_errors_doc, reason = "it never fails")]
    pub fn divide(&self, returned: T) -> Result<T, Infallible> {
        Ok(returned)
    }
}

/// What is known of a result before the call; here an unfit type is refused.
#[diagnostic::on_unimplemented(
    message = "`{T}` cannot be the result of a tool",
    label = "neither text, nor content, nor a serialisable value with a schema",
    note = "put `#[mcp_type]` on the type, or derive `serde::Serialize` and `schemars::JsonSchema` for it",
    note = "a type that becomes content in its own way implements `IntoToolResult`"
)]
pub trait DescribeValue<T>: Sized {
    /// What is known before the call.
    fn spec(self) -> OutputSpec;
}

/// A way of writing a value as a result.
pub trait WriteValue<T>: Sized {
    /// Writes the value.
    fn write(self, value: T, reply: &mut Reply);
}

/// The value says itself what it becomes.
#[derive(Debug)]
#[non_exhaustive]
pub struct Custom;

#[diagnostic::do_not_recommend]
impl<T: IntoToolResult> DescribeValue<T> for Custom {
    fn spec(self) -> OutputSpec {
        T::output_spec()
    }
}

impl<T: IntoToolResult> WriteValue<T> for Custom {
    fn write(self, value: T, reply: &mut Reply) {
        value.write_result(reply);
    }
}

/// The value becomes text.
#[derive(Debug)]
#[non_exhaustive]
pub struct Text;

#[diagnostic::do_not_recommend]
impl<T: TextLike> DescribeValue<T> for Text {
    fn spec(self) -> OutputSpec {
        OutputSpec::UNSTRUCTURED
    }
}

impl<T: TextLike> WriteValue<T> for Text {
    fn write(self, value: T, reply: &mut Reply) {
        value.write_text(reply);
    }
}

/// The value becomes structured content, and text for clients that look only there.
#[derive(Debug)]
#[non_exhaustive]
pub struct Structured;

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema> DescribeValue<T> for Structured {
    fn spec(self) -> OutputSpec {
        OutputSpec::structured::<T>()
    }
}

impl<T: Serialize + JsonSchema> WriteValue<T> for Structured {
    fn write(self, value: T, reply: &mut Reply) {
        reply.structured(value);
    }
}

/// The value is none of these, and cannot be described.
#[derive(Debug)]
#[non_exhaustive]
pub struct Unfit;

// So that the compiler complains of the type once, and not again where the value would be written.
impl<T> WriteValue<T> for Unfit {
    fn write(self, _: T, _: &mut Reply) {
        unreachable!("the compiler has refused the description of the result")
    }
}

/// Second question, first rung: a type with its own way.
pub trait KindCustom {
    /// The way of writing it.
    fn kind(&self) -> Custom;
}

impl<T: IntoToolResult> KindCustom for &&&Probe<T> {
    fn kind(&self) -> Custom {
        Custom
    }
}

/// Second question, second rung: text.
pub trait KindText {
    /// The way of writing it.
    fn kind(&self) -> Text;
}

impl<T: TextLike> KindText for &&Probe<T> {
    fn kind(&self) -> Text {
        Text
    }
}

/// Second question, third rung: a serialisable type with a schema.
pub trait KindStructured {
    /// The way of writing it.
    fn kind(&self) -> Structured;
}

impl<T: Serialize + JsonSchema> KindStructured for &Probe<T> {
    fn kind(&self) -> Structured {
        Structured
    }
}

/// Second question, last rung: nothing fits.
pub trait KindUnfit {
    /// No way of writing it.
    fn kind(&self) -> Unfit;
}

impl<T> KindUnfit for Probe<T> {
    fn kind(&self) -> Unfit {
        Unfit
    }
}

/// A way of telling an error.
#[diagnostic::on_unimplemented(
    message = "`{E}` cannot be the error of a tool, a prompt or a resource",
    label = "the client could not be told what went wrong",
    note = "implement `std::fmt::Display` for it, or return `ToolError`"
)]
pub trait WriteFailure<E>: Sized {
    /// Writes the error.
    fn write(self, error: E, reply: &mut Reply);
}

/// The error knows what kind of failure it is.
#[derive(Debug)]
#[non_exhaustive]
pub struct OwnFailure;

#[diagnostic::do_not_recommend]
impl<E: Into<ToolError>> WriteFailure<E> for OwnFailure {
    fn write(self, error: E, reply: &mut Reply) {
        reply.failure(error.into().0);
    }
}

/// The error is shown by its `Display`.
#[derive(Debug)]
#[non_exhaustive]
pub struct Displayed;

#[diagnostic::do_not_recommend]
impl<E: Display> WriteFailure<E> for Displayed {
    fn write(self, error: E, reply: &mut Reply) {
        reply.failure(Failure::Tool(error.to_string()));
    }
}

/// The error can't be shown; asking to write it is what the compiler refuses.
#[derive(Debug)]
#[non_exhaustive]
pub struct Mute;

/// An error that is more than a text.
pub trait TypedFailure: Into<ToolError> {}

impl TypedFailure for ToolError {}
impl TypedFailure for InputRequired {}
impl TypedFailure for MissingCapability {}
impl TypedFailure for ResourceError {}

/// Question about errors, first rung: one of ours.
pub trait FailureTyped {
    /// The way of telling it.
    fn failure(&self) -> OwnFailure;
}

impl<E: TypedFailure> FailureTyped for &&Probe<E> {
    fn failure(&self) -> OwnFailure {
        OwnFailure
    }
}

/// Question about errors, second rung: one that can be displayed.
pub trait FailureDisplayed {
    /// The way of telling it.
    fn failure(&self) -> Displayed;
}

impl<E: Display> FailureDisplayed for &Probe<E> {
    fn failure(&self) -> Displayed {
        Displayed
    }
}

/// Question about errors, last rung: one that can't.
pub trait FailureMute {
    /// No way of telling it.
    fn failure(&self) -> Mute;
}

impl<E> FailureMute for Probe<E> {
    fn failure(&self) -> Mute {
        Mute
    }
}

/// Writes what a function returned.
pub fn finish<T, E>(
    reply: &mut Reply,
    returned: Result<T, E>,
    value: impl WriteValue<T>,
    failure: impl WriteFailure<E>,
) {
    match returned {
        Ok(result) => value.write(result, reply),
        Err(error) => failure.write(error, reply),
    }
}

/// Writes an error that a function returned.
pub fn fail<E>(reply: &mut Reply, error: E, failure: impl WriteFailure<E>) {
    failure.write(error, reply);
}

/// Tells what a value becomes, before the call.
pub fn spec<T>(_: &Probe<T>, value: impl DescribeValue<T>) -> OutputSpec {
    value.spec()
}
