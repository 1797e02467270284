//! What a tool's result is: decided by trait, in an order of preference that method resolution walks.
//!
//! Generated code asks a [`Probe`] of the return type twice: first whether it is a `Result`, then what the value is.
//! The methods stand on different numbers of references, so that the compiler takes the first rung that applies
//! and never has to choose between two; the last rung always applies and carries the sentence for unfit types.

use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Failure, InputRequired, Reply, ToolError};
use crate::protocol::{
    AudioContent, ContentBlock, EmbeddedResource, ImageContent, Meta, ResourceLink, TextContent,
};
use crate::schema::SchemaFn;

/// What is known of a tool's result before it is called.
#[derive(Debug, Clone, Copy)]
pub struct OutputSpec {
    pub(crate) schema: Option<SchemaFn>,
}

impl OutputSpec {
    /// Content for the model, without structure.
    pub const UNSTRUCTURED: Self = Self { schema: None };

    /// Structured content of the given type.
    #[must_use]
    pub fn structured<T: JsonSchema>() -> Self {
        Self {
            schema: Some(|generator| generator.subschema_for::<T>()),
        }
    }
}

/// A type that a tool can return as it is.
///
/// Content blocks, alone or several in order, `()`, [`Json`] and [`ToolResult`] implement it.
/// Text-like and serialisable types need not: they become text and structured content on their own.
/// Implement it for your own types that become content in their own way.
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// struct Chart(Vec<u8>);
///
/// impl IntoToolResult for Chart {
///     fn into_tool_result(self) -> ToolResult {
///         ToolResult::new([ContentBlock::text("The chart:"), ContentBlock::image(self.0, "image/png")])
///     }
/// }
///
/// /// Draw a chart.
/// #[mcp_tool]
/// fn chart() -> Chart {
///     Chart(vec![0x89, b'P', b'N', b'G'])
/// }
/// ```
pub trait IntoToolResult: Sized {
    /// What is known of the result before the call: the schema of its structured content.
    #[must_use]
    fn output_spec() -> OutputSpec {
        OutputSpec::UNSTRUCTURED
    }

    /// Turns the value into a result.
    fn into_tool_result(self) -> ToolResult;

    /// Writes the value as a result; the types of this crate do so without the detour.
    #[doc(hidden)]
    fn write_result(self, reply: &mut Reply) {
        reply.result(self.into_tool_result());
    }
}

/// A result under full control of the tool.
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// let result = ToolResult::new([ContentBlock::text("No rows.")]).error(true);
/// assert!(result.is_error);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolResult {
    /// What the model sees.
    pub content: Vec<ContentBlock>,
    /// The same for programs.
    pub structured_content: Option<Value>,
    /// Whether the call failed.
    pub is_error: bool,
    /// Metadata of the result.
    pub meta: Option<Meta>,
}

impl ToolResult {
    /// A result of content blocks.
    pub fn new<B: Into<ContentBlock>>(content: impl IntoIterator<Item = B>) -> Self {
        Self {
            content: content.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }

    /// Adds structured content.
    #[must_use]
    pub fn structured(mut self, value: impl Into<Value>) -> Self {
        self.structured_content = Some(value.into());
        self
    }

    /// Says whether the call failed.
    #[must_use]
    pub fn error(mut self, is_error: bool) -> Self {
        self.is_error = is_error;
        self
    }

    /// Adds metadata of your own to the result.
    #[must_use]
    pub fn with_meta(mut self, meta: Meta) -> Self {
        self.meta = Some(meta);
        self
    }
}

/// Makes structured content of a value that would otherwise be plain text, such as a number or a string.
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// /// Count the words of a text.
/// #[mcp_tool]
/// fn count(text: &str) -> Json<usize> {
///     Json(text.split_whitespace().count())
/// }
///
/// # fn main() -> Result<(), BuildError> {
/// let server = mcp_runtime::server!().build()?;
/// let result = server.call("count", serde_json::json!({"text": "one two"}));
/// assert_eq!(result.structured_content().unwrap(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::exhaustive_structs, reason = "a wrapper of one value")]
pub struct Json<T>(pub T);

impl<T: Serialize + JsonSchema> IntoToolResult for Json<T> {
    fn output_spec() -> OutputSpec {
        OutputSpec::structured::<T>()
    }

    fn into_tool_result(self) -> ToolResult {
        match serde_json::to_value(self.0) {
            Ok(value) => ToolResult::new([ContentBlock::text(value.to_string())]).structured(value),
            Err(error) => ToolResult::new([ContentBlock::text(error.to_string())]).error(true),
        }
    }

    fn write_result(self, reply: &mut Reply) {
        reply.structured(&self.0);
    }
}

impl IntoToolResult for ToolResult {
    fn into_tool_result(self) -> ToolResult {
        self
    }
}

impl IntoToolResult for () {
    fn into_tool_result(self) -> ToolResult {
        ToolResult::default()
    }
}

impl<T: IntoToolResult> IntoToolResult for Option<T> {
    fn output_spec() -> OutputSpec {
        // An absent value has no structured content, so there is nothing to promise.
        OutputSpec::UNSTRUCTURED
    }

    fn into_tool_result(self) -> ToolResult {
        self.map(IntoToolResult::into_tool_result)
            .unwrap_or_default()
    }
}

impl<B: Into<ContentBlock>> IntoToolResult for Vec<B> {
    fn into_tool_result(self) -> ToolResult {
        ToolResult::new(self)
    }
}

impl<B: Into<ContentBlock>, const N: usize> IntoToolResult for [B; N] {
    fn into_tool_result(self) -> ToolResult {
        ToolResult::new(self)
    }
}

macro_rules! single_blocks {
    ($($Block:ty),*) => { $(
        impl IntoToolResult for $Block {
            fn into_tool_result(self) -> ToolResult {
                ToolResult::new([self])
            }
        }
    )* };
}
single_blocks!(
    ContentBlock,
    TextContent,
    ImageContent,
    AudioContent,
    ResourceLink,
    EmbeddedResource
);

macro_rules! mixtures {
    ($($($Block:ident $value:ident),*;)*) => { $(
        impl<$($Block: Into<ContentBlock>),*> IntoToolResult for ($($Block,)*) {
            fn into_tool_result(self) -> ToolResult {
                let ($($value,)*) = self;
                ToolResult::new([$(Into::<ContentBlock>::into($value)),*])
            }
        }
    )* };
}
mixtures! {
    A a, B b;
    A a, B b, C c;
    A a, B b, C c, D d;
    A a, B b, C c, D d, E e;
    A a, B b, C c, D d, E e, F f;
    A a, B b, C c, D d, E e, F f, G g;
    A a, B b, C c, D d, E e, F f, G g, H h;
}

/// A value that becomes one block of text.
///
/// Strings are sent as they are, numbers and booleans as in JSON.
pub trait TextLike {
    /// Writes the text.
    fn write_text(&self, reply: &mut Reply);
}

macro_rules! strings {
    ($($String:ty),*) => { $(
        impl TextLike for $String {
            fn write_text(&self, reply: &mut Reply) {
                reply.text(self);
            }
        }
    )* };
}
strings!(String, &str, Cow<'_, str>, Box<str>, Arc<str>);

impl TextLike for char {
    fn write_text(&self, reply: &mut Reply) {
        reply.text(self.encode_utf8(&mut [0; 4]));
    }
}

macro_rules! scalars {
    ($($Scalar:ty),*) => { $(
        impl TextLike for $Scalar {
            fn write_text(&self, reply: &mut Reply) {
                reply.json_text(self);
            }
        }
    )* };
}
scalars!(
    bool, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32, f64
);

impl<T: TextLike> TextLike for Option<T> {
    fn write_text(&self, reply: &mut Reply) {
        match self {
            Some(value) => value.write_text(reply),
            None => reply.result(ToolResult::default()),
        }
    }
}

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
        Plain(Probe::new())
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
        reply.structured(&value);
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
    message = "`{E}` cannot be the error of a tool",
    label = "the model could not be told what went wrong",
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

/// Tells what a value becomes, before the call.
pub fn spec<T>(_: &Probe<T>, value: impl DescribeValue<T>) -> OutputSpec {
    value.spec()
}
