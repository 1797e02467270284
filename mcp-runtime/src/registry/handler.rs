//! Handlers registered at run time: plain closures, sync or async.
//!
//! Those of tools take JSON, those of prompts and resources take texts.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::convert::prompt::write_prompt;
use crate::convert::resource::write_resource;
use crate::convert::{IntoPromptResult, IntoResourceResult, Reply, ResourceError, ToolError};
use crate::dispatch::{BoxFuture, Context};
use crate::exec::Execution;

/// A handler whose closure type is forgotten.
///
/// [`IntoHandler`] makes it of closures.
pub trait Handler<Input = HandlerInput>: Send + Sync {
    /// Runs the handler: it either writes the reply at once or hands back a future that does.
    #[doc(hidden)]
    fn run(&self, input: Input, reply: Reply) -> HandlerRun;

    /// Where it runs.
    #[doc(hidden)]
    fn execution(&self) -> Execution;

    /// Whether it gets the context.
    #[doc(hidden)]
    fn takes_context(&self) -> bool;
}

impl<Input> fmt::Debug for dyn Handler<Input> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handler")
    }
}

/// What a tool's handler is given.
#[doc(hidden)]
#[derive(Debug)]
#[non_exhaustive]
pub struct HandlerInput {
    pub(crate) arguments: Value,
    pub(crate) input_responses: Value,
    pub(crate) context: Context,
}

/// What a prompt's handler is given.
#[doc(hidden)]
#[derive(Debug)]
#[non_exhaustive]
pub struct PromptInput {
    pub(crate) arguments: BTreeMap<String, String>,
    pub(crate) context: Context,
}

/// What a resource's handler is given.
#[doc(hidden)]
#[derive(Debug)]
#[non_exhaustive]
pub struct ResourceInput {
    pub(crate) uri: String,
    pub(crate) context: Context,
}

/// What the handler of a template is given.
#[doc(hidden)]
#[derive(Debug)]
#[non_exhaustive]
pub struct TemplateInput {
    pub(crate) variables: BTreeMap<String, String>,
    pub(crate) context: Context,
}

/// How far a handler came.
#[doc(hidden)]
#[allow(missing_debug_implementations, reason = "a future cannot be shown")]
#[non_exhaustive]
pub enum HandlerRun {
    /// It is done.
    Done(Reply),
    /// It goes on.
    Pending(BoxFuture),
}

/// A closure that can be a tool's handler.
///
/// It takes the arguments, or the arguments and the answers to what it asked before (both JSON objects, `{}` when absent),
/// and at last, if it wants, the [`Context`]. It returns a `Result` of anything serialisable, or a future of one.
/// An error is anything that becomes a [`ToolError`]: every [`std::error::Error`], and
/// [`InputRequired`](crate::tool::InputRequired), which asks the client for input.
#[diagnostic::on_unimplemented(
    message = "this closure cannot handle a tool",
    label = "not a handler",
    note = "write `|arguments: Value| …`, `|arguments: Value, input_responses: Value| …` or either with a `Context` behind",
    note = "and return a `Result<T, E>` with `T: Serialize` and `E: Into<ToolError>`, or a `Send` future of one"
)]
pub trait IntoHandler<Form> {
    /// Forgets the closure's type.
    fn into_handler(self) -> Arc<dyn Handler>;
}

/// A closure that can be a prompt's handler.
///
/// It takes the arguments by their names, and at last, if it wants, the [`Context`]. It returns a `Result` of anything that
/// is an [`IntoPromptResult`], or a future of one. An error is anything that becomes a [`ToolError`].
#[diagnostic::on_unimplemented(
    message = "this closure cannot handle a prompt",
    label = "not a handler of prompts",
    note = "write `|arguments: BTreeMap<String, String>| …`, with a `Context` behind if you need it",
    note = "and return a `Result<T, E>` with `T: IntoPromptResult` and `E: Into<ToolError>`, or a `Send` future of one"
)]
pub trait IntoPromptHandler<Form> {
    /// Forgets the closure's type.
    #[doc(hidden)]
    fn into_handler(self) -> Arc<dyn Handler<PromptInput>>;
}

/// A closure that can be a resource's handler.
///
/// It takes the URI, and at last, if it wants, the [`Context`]. It returns a `Result` of anything that is an
/// [`IntoResourceResult`], or a future of one. An error is anything that becomes a [`ResourceError`].
#[diagnostic::on_unimplemented(
    message = "this closure cannot handle a resource",
    label = "not a handler of resources",
    note = "write `|uri: String| …`, with a `Context` behind if you need it",
    note = "and return a `Result<T, E>` with `T: IntoResourceResult` and `E: Into<ResourceError>`, or a `Send` future of one"
)]
pub trait IntoResourceHandler<Form> {
    /// Forgets the closure's type.
    #[doc(hidden)]
    fn into_handler(self) -> Arc<dyn Handler<ResourceInput>>;
}

/// A closure that can be the handler of a template of resources.
///
/// It takes the variables of the URI by their names, decoded, and at last, if it wants, the [`Context`]. It returns what
/// the handler of a resource returns.
#[diagnostic::on_unimplemented(
    message = "this closure cannot handle a template of resources",
    label = "not a handler of templates",
    note = "write `|variables: BTreeMap<String, String>| …`, with a `Context` behind if you need it",
    note = "and return a `Result<T, E>` with `T: IntoResourceResult` and `E: Into<ResourceError>`, or a `Send` future of one"
)]
pub trait IntoTemplateHandler<Form> {
    /// Forgets the closure's type.
    #[doc(hidden)]
    fn into_handler(self) -> Arc<dyn Handler<TemplateInput>>;
}

/// What a tool's handler may return.
pub trait HandlerResult {
    /// Writes it.
    #[doc(hidden)]
    fn write(self, reply: &mut Reply);
}

impl<T: Serialize, E: Into<ToolError>> HandlerResult for Result<T, E> {
    fn write(self, reply: &mut Reply) {
        match self {
            Ok(value) => reply.value(value),
            Err(error) => reply.failure(error.into().0),
        }
    }
}

/// What a prompt's handler may return.
pub trait PromptHandlerResult {
    /// Writes it.
    #[doc(hidden)]
    fn write(self, reply: &mut Reply);
}

impl<T: IntoPromptResult, E: Into<ToolError>> PromptHandlerResult for Result<T, E> {
    fn write(self, reply: &mut Reply) {
        match self {
            Ok(returned) => write_prompt(reply, returned),
            Err(error) => reply.failure(error.into().0),
        }
    }
}

/// What the handler of a resource or a template may return.
pub trait ResourceHandlerResult {
    /// Writes it.
    #[doc(hidden)]
    fn write(self, reply: &mut Reply);
}

impl<T: IntoResourceResult, E: Into<ResourceError>> ResourceHandlerResult for Result<T, E> {
    fn write(self, reply: &mut Reply) {
        match self {
            Ok(returned) => write_resource(reply, returned),
            Err(error) => reply.failure(error.into().0),
        }
    }
}

/// Marks closures that return their result.
#[derive(Debug)]
#[non_exhaustive]
pub struct Returning;

/// Marks closures that return a future.
#[derive(Debug)]
#[non_exhaustive]
pub struct Awaiting;

/// Marks closures that are run on the thread that read their request.
#[derive(Debug)]
#[non_exhaustive]
pub struct RunsInline;

/// A plain closure that runs on the thread that read its request; [`HandlerExt::inline`] makes it.
#[derive(Debug, Clone, Copy)]
pub struct Inline<F>(F);

/// Declares where a closure given to `register_tool` and its siblings runs.
pub trait HandlerExt: Sized {
    /// Runs this plain closure on the thread that read its request, as the key `inline` does for annotated functions.
    ///
    /// This is for closures that take microseconds and never wait: while one runs, no other message of its connection
    /// is read. Async closures cannot be inline.
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    /// use serde_json::{Value, json};
    ///
    /// # fn main() -> Result<(), BuildError> {
    /// let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    /// let next = |arguments: Value| Ok::<_, ToolError>(arguments["n"].as_i64().map(|n| n + 1));
    /// let server = mcp_runtime::server!()
    ///     .register_tool("next", "The number after a number.", schema, next.inline())
    ///     .build()?;
    /// assert_eq!(server.call_blocking("next", json!({"n": 1})).text(), "2");
    /// # Ok(())
    /// # }
    /// ```
    fn inline(self) -> Inline<Self> {
        Inline(self)
    }
}

impl<F> HandlerExt for F {}

/// A handler that runs on the thread that read its request.
struct InlineHandler<Input>(Arc<dyn Handler<Input>>);

impl<Input> Handler<Input> for InlineHandler<Input> {
    fn run(&self, input: Input, reply: Reply) -> HandlerRun {
        self.0.run(input, reply)
    }

    fn execution(&self) -> Execution {
        Execution::Inline
    }

    fn takes_context(&self) -> bool {
        self.0.takes_context()
    }
}

/// A closure together with the way of calling it.
struct Closure<F, C> {
    closure: F,
    call: C,
    execution: Execution,
    takes_context: bool,
}

impl<Input, F, C> Handler<Input> for Closure<F, C>
where
    F: Send + Sync,
    C: Fn(&F, Input, Reply) -> HandlerRun + Send + Sync,
{
    fn run(&self, input: Input, reply: Reply) -> HandlerRun {
        (self.call)(&self.closure, input, reply)
    }

    fn execution(&self) -> Execution {
        self.execution
    }

    fn takes_context(&self) -> bool {
        self.takes_context
    }
}

macro_rules! handlers {
    ($Into:ident, $Input:ident, $Result:ident {
        $(($($Taken:ty),*) from $input:ident => ($($value:expr),*), $takes_context:literal;)*
    }) => { $(
        impl<F, R> $Into<(Returning, $($Taken),*)> for F
        where
            F: Fn($($Taken),*) -> R + Send + Sync + 'static,
            R: $Result,
        {
            fn into_handler(self) -> Arc<dyn Handler<$Input>> {
                Arc::new(Closure {
                    closure: self,
                    call: |f: &F, $input: $Input, mut reply: Reply| {
                        f($($value),*).write(&mut reply);
                        HandlerRun::Done(reply)
                    },
                    execution: Execution::Blocking,
                    takes_context: $takes_context,
                })
            }
        }

        impl<F> $Into<(RunsInline, $($Taken),*)> for Inline<F>
        where
            F: $Into<(Returning, $($Taken),*)>,
        {
            fn into_handler(self) -> Arc<dyn Handler<$Input>> {
                Arc::new(InlineHandler(self.0.into_handler()))
            }
        }

        impl<F, Fut> $Into<(Awaiting, $($Taken),*)> for F
        where
            F: Fn($($Taken),*) -> Fut + Send + Sync + 'static,
            Fut: Future<Output: $Result> + Send + 'static,
        {
            fn into_handler(self) -> Arc<dyn Handler<$Input>> {
                Arc::new(Closure {
                    closure: self,
                    call: |f: &F, $input: $Input, mut reply: Reply| {
                        let future = f($($value),*);
                        HandlerRun::Pending(Box::pin(async move {
                            future.await.write(&mut reply);
                            reply
                        }))
                    },
                    execution: Execution::Async,
                    takes_context: $takes_context,
                })
            }
        }
    )* };
}
handlers! { IntoHandler, HandlerInput, HandlerResult {
    (Value) from input => (input.arguments), false;
    (Value, Context) from input => (input.arguments, input.context), true;
    (Value, Value) from input => (input.arguments, input.input_responses), false;
    (Value, Value, Context) from input => (input.arguments, input.input_responses, input.context), true;
} }
handlers! { IntoPromptHandler, PromptInput, PromptHandlerResult {
    (BTreeMap<String, String>) from input => (input.arguments), false;
    (BTreeMap<String, String>, Context) from input => (input.arguments, input.context), true;
} }
handlers! { IntoResourceHandler, ResourceInput, ResourceHandlerResult {
    (String) from input => (input.uri), false;
    (String, Context) from input => (input.uri, input.context), true;
} }
handlers! { IntoTemplateHandler, TemplateInput, ResourceHandlerResult {
    (BTreeMap<String, String>) from input => (input.variables), false;
    (BTreeMap<String, String>, Context) from input => (input.variables, input.context), true;
} }
