//! Functions that complete what a person types into an argument (server/utilities/completion).
//!
//! Which of the shapes a function has is found by the compiler: it may take the value alone or [`CompletionContext`] beside it, and
//! may be async.

use std::fmt::Display;
use std::future::{Future, Ready, ready};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

use super::autoref::Probe;
use crate::dispatch::Context;
use crate::exec::Execution;

/// What a completion function may know besides the value: the other arguments, and the server's state.
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// fn cities(value: &str, completing: &CompletionContext) -> Vec<&'static str> {
///     let cities = match completing.argument("country") {
///         Some("fr") => &["Paris", "Pau"][..],
///         _ => &["Berlin", "Bonn"],
///     };
///     cities.iter().copied().filter(|city| city.starts_with(value)).collect()
/// }
///
/// /// Plan a trip.
/// #[mcp_prompt]
/// fn plan(country: String, #[arg(complete = cities)] city: String) -> String {
///     format!("Plan a trip to {city} in {country}.")
/// }
/// # fn main() {}
/// ```
#[derive(Debug)]
pub struct CompletionContext {
    arguments: Vec<(String, String)>,
    context: Context,
}

impl CompletionContext {
    pub(crate) fn new(arguments: Vec<(String, String)>, context: Context) -> Self {
        Self { arguments, context }
    }

    /// The value of another argument, if it is known already.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<&str> {
        let found = self.arguments.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The state of a type that the builder was given, if there is one.
    #[must_use]
    pub fn state<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.context.state()
    }

    /// The request; log messages are not sent from here.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }
}

/// The values that a completion function found, the likeliest first.
///
/// Clients get the first hundred. A function may return a `Vec` or an array of texts instead, or a `Result` of either.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Completion {
    /// The values.
    pub values: Vec<String>,
    /// How many there are, if these are not all.
    pub total: Option<u64>,
}

impl Completion {
    /// All values that there are.
    pub fn new<S: Into<String>>(values: impl IntoIterator<Item = S>) -> Self {
        Self {
            values: values.into_iter().map(Into::into).collect(),
            total: None,
        }
    }

    /// Says how many there are, where the values are only some of them.
    #[must_use]
    pub fn total(mut self, total: u64) -> Self {
        self.total = Some(total);
        self
    }
}

/// A type that a completion function can return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a completion function",
    label = "no list of texts",
    note = "return a `Vec<String>`, a `Completion`, or a `Result` of one of them"
)]
pub trait IntoCompletion {
    /// Turns the value into a completion; the error is for the client.
    #[doc(hidden)]
    fn into_completion(self) -> Result<Completion, String>;
}

impl IntoCompletion for Completion {
    fn into_completion(self) -> Result<Completion, String> {
        Ok(self)
    }
}

impl<S: Into<String>> IntoCompletion for Vec<S> {
    fn into_completion(self) -> Result<Completion, String> {
        Ok(Completion::new(self))
    }
}

impl<S: Into<String>, const N: usize> IntoCompletion for [S; N] {
    fn into_completion(self) -> Result<Completion, String> {
        Ok(Completion::new(self))
    }
}

impl<T: IntoCompletion, E: Display> IntoCompletion for Result<T, E> {
    fn into_completion(self) -> Result<Completion, String> {
        self.map_err(|error| error.to_string())?.into_completion()
    }
}

/// What is asked of a completion function.
#[derive(Debug)]
#[non_exhaustive]
pub struct CompletionRequest {
    /// What has been typed so far.
    pub value: String,
    /// What else is known.
    pub completing: CompletionContext,
}

/// The future of a completion.
pub type CompletionFuture = Pin<Box<dyn Future<Output = Result<Completion, String>> + Send>>;

/// Forgets the type of the future.
pub fn completion(
    future: impl Future<Output = Result<Completion, String>> + Send + 'static,
) -> CompletionFuture {
    Box::pin(future)
}

/// What a completion function found, or why it failed.
#[allow(clippy::missing_errors_doc, reason = "it fails as the function did")]
pub fn completed<T: IntoCompletion>(found: T) -> Result<Completion, String> {
    found.into_completion()
}

/// The completion function of a parameter.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::exhaustive_structs, reason = "generated code fills it in")]
pub struct Completer {
    /// Calls it; the future of a plain function is done when it is polled for the first time.
    pub call: fn(CompletionRequest) -> CompletionFuture,
    /// Where it runs.
    pub execution: fn() -> Execution,
}

/// A probe of a function's type.
pub fn probe_of<F>(_: &F) -> Probe<F> {
    Probe::new()
}

/// A function of one argument; a trait of our own, since its result may borrow from the argument.
pub trait TakesOne<A> {
    /// What it returns.
    type Returned;
    /// Calls it.
    fn call_with(&self, value: A) -> Self::Returned;
}

impl<F: Fn(A) -> R, A, R> TakesOne<A> for F {
    type Returned = R;

    fn call_with(&self, value: A) -> R {
        self(value)
    }
}

/// A function of two arguments.
pub trait TakesTwo<A, B> {
    /// What it returns.
    type Returned;
    /// Calls it.
    fn call_with(&self, value: A, rest: B) -> Self::Returned;
}

impl<F: Fn(A, B) -> R, A, B, R> TakesTwo<A, B> for F {
    type Returned = R;

    fn call_with(&self, value: A, rest: B) -> R {
        self(value, rest)
    }
}

/// Question about a completion function, first rung: it takes the value alone.
pub trait CompleteValue {
    /// How it is called.
    fn shape(&self) -> ValueAlone;
}

impl<F: for<'a> TakesOne<&'a str>> CompleteValue for &&Probe<F> {
    fn shape(&self) -> ValueAlone {
        ValueAlone
    }
}

/// Second rung: it takes the value and what else is known.
pub trait CompleteBoth {
    /// How it is called.
    fn shape(&self) -> WithContext;
}

impl<F: for<'a> TakesTwo<&'a str, &'a CompletionContext>> CompleteBoth for &Probe<F> {
    fn shape(&self) -> WithContext {
        WithContext
    }
}

/// Last rung: it takes something else.
pub trait CompleteUnfit {
    /// No way of calling it.
    fn shape(&self) -> OtherShape;
}

impl<F> CompleteUnfit for Probe<F> {
    fn shape(&self) -> OtherShape {
        OtherShape
    }
}

/// A function of the value alone.
#[derive(Debug)]
#[non_exhaustive]
pub struct ValueAlone;

impl ValueAlone {
    /// What it returns, without a call.
    pub fn returned_by<F: TakesOne<&'static str>>(
        self,
        _: &F,
    ) -> Returned<<F as TakesOne<&'static str>>::Returned> {
        Returned(PhantomData)
    }

    /// Calls it.
    pub fn call<'a, F: TakesOne<&'a str>>(
        self,
        function: &F,
        asked: &'a CompletionRequest,
    ) -> <F as TakesOne<&'a str>>::Returned {
        function.call_with(&asked.value)
    }
}

/// A function of the value and what else is known.
#[derive(Debug)]
#[non_exhaustive]
pub struct WithContext;

impl WithContext {
    /// What it returns, without a call.
    pub fn returned_by<F: TakesTwo<&'static str, &'static CompletionContext>>(
        self,
        _: &F,
    ) -> Returned<<F as TakesTwo<&'static str, &'static CompletionContext>>::Returned> {
        Returned(PhantomData)
    }

    /// Calls it.
    pub fn call<'a, F: TakesTwo<&'a str, &'a CompletionContext>>(
        self,
        function: &F,
        asked: &'a CompletionRequest,
    ) -> <F as TakesTwo<&'a str, &'a CompletionContext>>::Returned {
        function.call_with(&asked.value, &asked.completing)
    }
}

/// Something that cannot be called; here it is refused.
#[derive(Debug)]
#[non_exhaustive]
pub struct OtherShape;

/// A function that completes arguments. No type that gets here is one.
#[diagnostic::on_unimplemented(
    message = "this cannot complete an argument",
    label = "not a function that takes the value typed so far",
    note = "write `fn f(value: &str) -> Vec<String>`, or `fn f(value: &str, completing: &CompletionContext) -> Vec<String>`, `async` or not"
)]
pub trait CompletesArguments {}

impl OtherShape {
    /// Nothing is known of it; it is the call that is refused.
    pub fn returned_by<F>(self, _: &F) -> Returned<Completion> {
        Returned(PhantomData)
    }

    /// Refuses it.
    pub fn call<F: CompletesArguments>(self, _: &F, _: &CompletionRequest) -> Completion {
        Completion::default()
    }
}

/// What a completion function returned: a value, or a future of one.
#[derive(Debug)]
pub struct Returned<T>(PhantomData<fn() -> T>);

/// Looks at what a completion function returned.
pub fn returned<T>(_: &T) -> Returned<T> {
    Returned(PhantomData)
}

/// First rung: a future.
pub trait ReturnedFuture {
    /// How the value is got.
    fn settle(&self) -> Awaited;
}

impl<T: Future> ReturnedFuture for &Returned<T> {
    fn settle(&self) -> Awaited {
        Awaited
    }
}

/// Last rung: the value itself.
pub trait ReturnedValue {
    /// How the value is got.
    fn settle(&self) -> AtOnce;
}

impl<T> ReturnedValue for Returned<T> {
    fn settle(&self) -> AtOnce {
        AtOnce
    }
}

/// The value comes with time.
#[derive(Debug)]
#[non_exhaustive]
pub struct Awaited;

/// A function that runs where the request was read. No type that gets here is one.
#[diagnostic::on_unimplemented(
    message = "an `async fn` is polled on the async runtime and cannot be `inline`",
    label = "remove `inline`, or remove `async` if the function takes microseconds and never waits"
)]
pub trait RunsInline {}

impl Awaited {
    /// Where the function runs.
    #[must_use]
    pub fn execution(self) -> Execution {
        Execution::Async
    }

    /// Refuses a function that is declared inline.
    pub fn inline<F: RunsInline>(self, _: &F) -> Execution {
        Execution::Async
    }

    /// The future.
    pub fn future<T: Future>(self, returned: T) -> T {
        returned
    }
}

/// The value is there.
#[derive(Debug)]
#[non_exhaustive]
pub struct AtOnce;

impl AtOnce {
    /// Where the function runs, unless it is declared inline.
    #[must_use]
    pub fn execution(self) -> Execution {
        Execution::Blocking
    }

    /// Where a function runs that is declared inline.
    pub fn inline<F>(self, _: &F) -> Execution {
        Execution::Inline
    }

    /// A future that is done.
    pub fn future<T>(self, returned: T) -> Ready<T> {
        ready(returned)
    }
}
