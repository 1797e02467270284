//! Handlers registered at run time: plain closures over JSON, sync or async.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::convert::{Reply, ToolError};
use crate::dispatch::{BoxFuture, Context};

/// A handler whose closure type is forgotten.
///
/// [`IntoHandler`] makes it of closures.
pub trait Handler: Send + Sync {
    /// Runs the handler: it either writes the reply at once or hands back a future that does.
    #[doc(hidden)]
    fn run(&self, input: HandlerInput, reply: Reply) -> HandlerRun;

    /// Whether it hands back futures.
    #[doc(hidden)]
    fn is_async(&self) -> bool;

    /// Whether it gets the context.
    #[doc(hidden)]
    fn takes_context(&self) -> bool;
}

impl fmt::Debug for dyn Handler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handler")
    }
}

/// What a handler is given.
#[doc(hidden)]
#[derive(Debug)]
#[non_exhaustive]
pub struct HandlerInput {
    pub(crate) arguments: Value,
    pub(crate) input_responses: Value,
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
/// [`InputRequired`](crate::InputRequired), which asks the client for input.
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

/// What a handler may return.
pub trait HandlerResult {
    /// Writes it.
    #[doc(hidden)]
    fn write(self, reply: &mut Reply);
}

impl<T: Serialize, E: Into<ToolError>> HandlerResult for Result<T, E> {
    fn write(self, reply: &mut Reply) {
        match self {
            Ok(value) => reply.value(&value),
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

/// A closure together with the way of calling it.
struct Closure<F, C> {
    closure: F,
    call: C,
    is_async: bool,
    takes_context: bool,
}

impl<F, C> Handler for Closure<F, C>
where
    F: Send + Sync,
    C: Fn(&F, HandlerInput, Reply) -> HandlerRun + Send + Sync,
{
    fn run(&self, input: HandlerInput, reply: Reply) -> HandlerRun {
        (self.call)(&self.closure, input, reply)
    }

    fn is_async(&self) -> bool {
        self.is_async
    }

    fn takes_context(&self) -> bool {
        self.takes_context
    }
}

fn done(result: impl HandlerResult, mut reply: Reply) -> HandlerRun {
    result.write(&mut reply);
    HandlerRun::Done(reply)
}

fn pending<Fut>(future: Fut, mut reply: Reply) -> HandlerRun
where
    Fut: Future<Output: HandlerResult> + Send + 'static,
{
    HandlerRun::Pending(Box::pin(async move {
        future.await.write(&mut reply);
        reply
    }))
}

macro_rules! handlers {
    ($(($($Input:ty),*) from $input:ident => ($($value:expr),*), $takes_context:literal;)*) => { $(
        impl<F, R> IntoHandler<(Returning, $($Input),*)> for F
        where
            F: Fn($($Input),*) -> R + Send + Sync + 'static,
            R: HandlerResult,
        {
            fn into_handler(self) -> Arc<dyn Handler> {
                Arc::new(Closure {
                    closure: self,
                    call: |f: &F, $input: HandlerInput, reply| done(f($($value),*), reply),
                    is_async: false,
                    takes_context: $takes_context,
                })
            }
        }

        impl<F, Fut> IntoHandler<(Awaiting, $($Input),*)> for F
        where
            F: Fn($($Input),*) -> Fut + Send + Sync + 'static,
            Fut: Future<Output: HandlerResult> + Send + 'static,
        {
            fn into_handler(self) -> Arc<dyn Handler> {
                Arc::new(Closure {
                    closure: self,
                    call: |f: &F, $input: HandlerInput, reply| pending(f($($value),*), reply),
                    is_async: true,
                    takes_context: $takes_context,
                })
            }
        }
    )* };
}
handlers! {
    (Value) from input => (input.arguments), false;
    (Value, Context) from input => (input.arguments, input.context), true;
    (Value, Value) from input => (input.arguments, input.input_responses), false;
    (Value, Value, Context) from input => (input.arguments, input.input_responses, input.context), true;
}
