//! What a resource may return: text, JSON, bytes, contents of its own making, or several of these; and how it fails.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::autoref::Probe;
use super::{Failure, Json, Reply, ToolError};
use crate::dispatch::CacheScope;
use crate::json::write_owned;
use crate::jsonrpc::ErrorObject;
use crate::protocol::{Meta, ResourceContents};

/// A type that a resource can return.
///
/// Texts become text, `Vec<u8>` and byte slices a blob, [`Json`] the JSON of its value. These stand under the URI that the
/// client asked for. [`ResourceContents`], alone or several, say themselves what they are. `None`, and no contents at all,
/// mean that there is no such resource. A `Result` of one fails the request with the error's text, or as [`ResourceError`]
/// says.
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// /// One of the planets.
/// #[mcp_resource("planets://{number}", mime_type = "text/plain")]
/// fn planet(number: usize) -> Option<&'static str> {
///     ["Mercury", "Venus", "Earth"].get(number).copied()
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the contents of a resource",
    label = "neither text, nor bytes, nor `Json`, nor contents",
    note = "return a `String`, `Json` of a serialisable value, a `Vec<u8>`, `ResourceContents`, or a `Result` of one of them",
    note = "a type that becomes contents in its own way implements `IntoResourceResult`"
)]
pub trait IntoResourceResult: Sized {
    /// The type of contents that say none, where the attribute says none either; lists show it.
    #[doc(hidden)]
    const MIME_TYPE: &'static str = "";

    /// Turns the value into a result.
    ///
    /// # Errors
    ///
    /// There is no such resource, or it cannot be read.
    fn into_resource_result(self) -> Result<ResourceResult, ResourceError>;
}

/// A result under full control of the resource.
///
/// ```
/// use std::time::Duration;
/// use mcp_runtime::{resource::{CacheScope, ResourceResult}, content::ResourceContents};
///
/// let result = ResourceResult::new([ResourceContents::text("notes://1", "Feed the otters.")])
///     .cache(Duration::from_secs(60), CacheScope::Private);
/// assert_eq!(result.contents.len(), 1);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ResourceResult {
    /// The contents, in order; an empty URI stands for the one that was asked for.
    pub contents: Vec<ResourceContents>,
    /// How long it may be kept, and by whom, instead of what the attribute says.
    pub cache: Option<(Duration, CacheScope)>,
    /// Metadata of the result.
    pub meta: Option<Meta>,
}

impl ResourceResult {
    /// A result of contents.
    pub fn new(contents: impl IntoIterator<Item = ResourceContents>) -> Self {
        Self {
            contents: contents.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Says how long clients may keep it, and who may; what comes after a question is not kept whatever is said.
    #[must_use]
    pub fn cache(mut self, ttl: Duration, scope: CacheScope) -> Self {
        self.cache = Some((ttl, scope));
        self
    }

    /// Adds metadata of your own to the result.
    #[must_use]
    pub fn with_meta(mut self, meta: Meta) -> Self {
        self.meta = Some(meta);
        self
    }
}

/// Writes what a resource returned.
pub fn write_resource<T: IntoResourceResult>(reply: &mut Reply, returned: T) {
    match returned.into_resource_result() {
        // An empty list could mean either (server/resources, "Error Handling").
        Ok(result) if !result.contents.is_empty() => reply.contents(result, T::MIME_TYPE),
        Ok(_) => reply.failure(Failure::NotFound),
        Err(error) => reply.failure(error.0),
    }
}

/// What is known of the contents before they are read: whatever a type with contents says.
pub trait MimeKnown {
    /// The type of the contents, or an empty string.
    fn mime_type(&self) -> &'static str;
}

impl<T: IntoResourceResult> MimeKnown for &Probe<T> {
    fn mime_type(&self) -> &'static str {
        T::MIME_TYPE
    }
}

/// And nothing of a type without; the compiler complains of it where its value would be written, and not here as well.
pub trait MimeUnknown {
    /// An empty string.
    fn mime_type(&self) -> &'static str;
}

impl<T> MimeUnknown for Probe<T> {
    fn mime_type(&self) -> &'static str {
        ""
    }
}

fn text(text: impl Into<String>) -> Result<ResourceResult, ResourceError> {
    Ok(ResourceResult::new([ResourceContents::text("", text)]))
}

macro_rules! texts {
    ($($Text:ty),*) => { $(
        impl IntoResourceResult for $Text {
            fn into_resource_result(self) -> Result<ResourceResult, ResourceError> {
                text(&*self)
            }
        }
    )* };
}
texts!(&str, Cow<'_, str>, Box<str>, Arc<str>);

impl IntoResourceResult for String {
    fn into_resource_result(self) -> Result<ResourceResult, ResourceError> {
        text(self)
    }
}

macro_rules! bytes {
    ($($Bytes:ty),*) => { $(
        impl IntoResourceResult for $Bytes {
            const MIME_TYPE: &'static str = "application/octet-stream";

            fn into_resource_result(self) -> Result<ResourceResult, ResourceError> {
                Ok(ResourceResult::new([ResourceContents::blob("", self)]))
            }
        }
    )* };
}
bytes!(Vec<u8>, &[u8]);

impl<const N: usize> IntoResourceResult for [u8; N] {
    const MIME_TYPE: &'static str = "application/octet-stream";

    fn into_resource_result(self) -> Result<ResourceResult, ResourceError> {
        self.as_slice().into_resource_result()
    }
}

impl<const N: usize> IntoResourceResult for &[u8; N] {
    const MIME_TYPE: &'static str = "application/octet-stream";

    fn into_resource_result(self) -> Result<ResourceResult, ResourceError> {
        self.as_slice().into_resource_result()
    }
}

impl<T: Serialize> IntoResourceResult for Json<T> {
    const MIME_TYPE: &'static str = "application/json";

    fn into_resource_result(self) -> Result<ResourceResult, ResourceError> {
        let mut json = Vec::new();
        write_owned(&mut json, self.0)?;
        text(String::from_utf8(json)?)
    }
}

impl IntoResourceResult for ResourceContents {
    fn into_resource_result(self) -> Result<ResourceResult, ResourceError> {
        Ok(ResourceResult::new([self]))
    }
}

impl IntoResourceResult for Vec<ResourceContents> {
    fn into_resource_result(self) -> Result<ResourceResult, ResourceError> {
        Ok(ResourceResult::new(self))
    }
}

impl<const N: usize> IntoResourceResult for [ResourceContents; N] {
    fn into_resource_result(self) -> Result<ResourceResult, ResourceError> {
        Ok(ResourceResult::new(self))
    }
}

impl IntoResourceResult for ResourceResult {
    fn into_resource_result(self) -> Result<ResourceResult, ResourceError> {
        Ok(self)
    }
}

impl<T: IntoResourceResult> IntoResourceResult for Option<T> {
    const MIME_TYPE: &'static str = T::MIME_TYPE;

    fn into_resource_result(self) -> Result<ResourceResult, ResourceError> {
        self.ok_or_else(ResourceError::not_found)?
            .into_resource_result()
    }
}

/// A failure of a resource.
///
/// A resource may return any `Result<T, E>` whose `E` can be displayed; this type is for those that have to say that there
/// is no such resource. `?` turns every [`std::error::Error`] into it.
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// /// A note.
/// #[mcp_resource("notes://{id}")]
/// fn note(id: u32) -> Result<String, ResourceError> {
///     if id == 1 { Ok("Feed the otters.".into()) } else { Err(ResourceError::not_found()) }
/// }
/// ```
#[derive(Debug, Clone)]
pub struct ResourceError(pub(crate) Failure);

impl ResourceError {
    /// There is no such resource; the client is told which one it asked for.
    #[must_use]
    pub fn not_found() -> Self {
        Self(Failure::NotFound)
    }

    /// The resource is there and cannot be read: the text is sent as an internal error.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Failure::Tool(text.into()))
    }

    /// A failure that is answered as this error; see [`ToolError::request`] for its codes.
    #[must_use]
    pub fn request(error: ErrorObject) -> Self {
        Self(Failure::Request(error))
    }
}

impl fmt::Display for ResourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ToolError(self.0.clone()).fmt(f)
    }
}

// As with `ToolError`, it is no `std::error::Error` itself.
impl<E: std::error::Error> From<E> for ResourceError {
    fn from(error: E) -> Self {
        Self::new(error.to_string())
    }
}

impl From<ToolError> for ResourceError {
    fn from(error: ToolError) -> Self {
        Self(error.0)
    }
}

impl From<ResourceError> for ToolError {
    fn from(error: ResourceError) -> Self {
        Self(error.0)
    }
}
