//! What a tool may return: content, text, structured values, or a result under its full control.
//!
//! Which of these a type is gets decided in [`autoref`](super::autoref), not here.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::Reply;
use crate::json::{read_own, write_owned};
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
/// Results are nested 128 levels deep at the most, wherever they come from; a deeper one is a failed call whose text names the
/// place. Its value is leaked, since dropping it could exhaust the stack.
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
/// let result = server.call_blocking("count", serde_json::json!({"text": "one two"}));
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
        // Not by way of a value, in which NaN would be `null`.
        let mut json = Vec::new();
        let written = write_owned(&mut json, self.0).map_err(|error| error.to_string());
        let value =
            written.and_then(|()| read_own::<Value>(&json).map_err(|error| error.to_string()));
        match value {
            Ok(value) => {
                let text = String::from_utf8_lossy(&json);
                ToolResult::new([ContentBlock::text(text)]).structured(value)
            }
            Err(error) => {
                let text = format!("Error: the result of the tool cannot be sent: {error}");
                ToolResult::new([ContentBlock::text(text)]).error(true)
            }
        }
    }

    fn write_result(self, reply: &mut Reply) {
        reply.structured(self.0);
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

/// The schema of an optional value, which is `null` where it is absent.
fn nullable<T: IntoToolResult>(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    match T::output_spec().schema {
        Some(schema) => {
            let value = schema(generator);
            schemars::json_schema!({ "anyOf": [value, { "type": "null" }] })
        }
        None => schemars::Schema::default(),
    }
}

impl<T: IntoToolResult> IntoToolResult for Option<T> {
    fn output_spec() -> OutputSpec {
        let schema = T::output_spec().schema;
        OutputSpec {
            schema: schema.map(|_| nullable::<T> as SchemaFn),
        }
    }

    fn into_tool_result(self) -> ToolResult {
        match self {
            Some(value) => value.into_tool_result(),
            // A result whose schema is listed always has structured content.
            None if T::output_spec().schema.is_some() => {
                ToolResult::default().structured(Value::Null)
            }
            None => ToolResult::default(),
        }
    }

    fn write_result(self, reply: &mut Reply) {
        match self {
            Some(value) => value.write_result(reply),
            None => reply.result(self.into_tool_result()),
        }
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
