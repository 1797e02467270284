//! Parameters that the server injects: shared state, the context, and users' own extractors.

use std::any::TypeId;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use super::ToolError;
use crate::dispatch::Context;

/// A parameter that is made of the request and the server instead of the arguments.
///
/// It never appears in the schema. [`Context`], [`State`] and [`Extension`] come with this crate; your own
/// may look at any of them:
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// struct Caller(String);
///
/// impl FromContext for Caller {
///     fn from_context(context: &Context) -> Result<Self, ToolError> {
///         let client = context.client_info().map_or("somebody".into(), |client| client.name);
///         Ok(Self(client))
///     }
/// }
///
/// /// Greet whoever asks.
/// #[mcp_tool]
/// fn greet(caller: Caller) -> String {
///     format!("Hello, {}!", caller.0)
/// }
///
/// # fn main() -> Result<(), BuildError> {
/// let server = mcp_runtime::server!().build()?;
/// assert_eq!(server.call_blocking("greet", serde_json::json!({})).text(), "Hello, somebody!");
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be injected into a tool",
    note = "implement `FromContext` for it"
)]
pub trait FromContext: Sized {
    /// What the server must have for this; leave it as it is.
    #[doc(hidden)]
    const NEEDS: Needs = Needs::Nothing;

    /// Makes the value.
    ///
    /// This cannot wait. An extraction that waits, such as a look into a database, belongs into a
    /// [layer](crate::ServerBuilder::layer), which attaches its result for an [`Extension`], or into the body of the
    /// function.
    ///
    /// # Errors
    ///
    /// An error fails the call as if the function had returned it.
    fn from_context(context: &Context) -> Result<Self, ToolError>;
}

/// What an injected parameter needs of the server.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Needs {
    /// Nothing that could be missing.
    Nothing,
    /// It is the context itself.
    Context,
    /// A state that the builder was given.
    State(StateNeed),
}

/// The type of a state that a tool needs.
#[derive(Clone, Copy)]
pub struct StateNeed {
    pub(crate) id: fn() -> TypeId,
    /// The type of an `Arc` of it, which may have been given in its place.
    pub(crate) shared: fn() -> TypeId,
    pub(crate) name: fn() -> &'static str,
}

impl fmt::Debug for StateNeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StateNeed({})", (self.name)())
    }
}

/// Shared state: a parameter of this type gets the `T` that the builder was given with `.state(…)`.
///
/// It is as cheap to clone as an [`Arc`], and dereferences to the value.
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// struct Greeting(String);
///
/// /// Greet somebody.
/// #[mcp_tool]
/// fn greet(name: &str, greeting: State<Greeting>) -> String {
///     format!("{}, {name}!", greeting.0)
/// }
///
/// # fn main() -> Result<(), BuildError> {
/// let server = mcp_runtime::server!().state(Greeting("Good morning".into())).build()?;
/// let result = server.call_blocking("greet", serde_json::json!({"name": "Ada"}));
/// assert_eq!(result.text(), "Good morning, Ada!");
/// # Ok(())
/// # }
/// ```
pub struct State<T: ?Sized>(Arc<T>);

impl<T: ?Sized> State<T> {
    /// The shared pointer itself.
    #[must_use]
    pub fn into_arc(self) -> Arc<T> {
        self.0
    }
}

impl<T: ?Sized> Clone for State<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: ?Sized> Deref for State<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for State<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("State").field(&&*self.0).finish()
    }
}

impl<T: Send + Sync + 'static> FromContext for State<T> {
    const NEEDS: Needs = Needs::State(StateNeed {
        id: TypeId::of::<T>,
        shared: TypeId::of::<Arc<T>>,
        name: std::any::type_name::<T>,
    });

    fn from_context(context: &Context) -> Result<Self, ToolError> {
        // `build()` refuses a server whose tools need a state that it does not have,
        // so this fails only for extractors that ask for a state on their own.
        context.state::<T>().map(Self).ok_or_else(|| {
            ToolError::new(format!(
                "the server has no state of type {}",
                std::any::type_name::<T>()
            ))
        })
    }
}

/// A value attached to the request: a parameter of this type gets the `T` that middleware has put into the extensions of
/// the HTTP request, or a [layer](crate::ServerBuilder::layer) into those of the call.
///
/// The call fails where there is none; [`Context::extensions`] says whether there is.
///
/// ```
/// use mcp_runtime::prelude::*;
/// use mcp_runtime::Extension;
///
/// #[derive(Clone)]
/// struct Tenant(String);
///
/// /// Name the tenant of the caller.
/// #[mcp_tool]
/// fn tenant(tenant: Extension<Tenant>) -> String {
///     tenant.0.0
/// }
/// # fn main() {}
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[allow(
    clippy::exhaustive_structs,
    reason = "its value is taken out by the field, as in axum"
)]
pub struct Extension<T>(pub T);

impl<T> Deref for Extension<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone + Send + Sync + 'static> FromContext for Extension<T> {
    fn from_context(context: &Context) -> Result<Self, ToolError> {
        let value = context.extensions().get::<T>();
        value.cloned().map(Self).ok_or_else(|| {
            let name = std::any::type_name::<T>();
            tracing::error!("the request has no extension of the type {name}");
            ToolError::new("the request lacks an extension that the function needs")
        })
    }
}

impl FromContext for Context {
    const NEEDS: Needs = Needs::Context;

    fn from_context(context: &Context) -> Result<Self, ToolError> {
        Ok(context.clone())
    }
}
