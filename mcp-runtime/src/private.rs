//! Not public API. Used by generated code, and free to change in any release.

use std::future::Future;

use serde::Serialize;
use serde_json::Value;
pub use serde_json::value::RawValue;

use crate::convert::Needs;
use crate::json::{read_own, write_owned};

pub use inventory;
pub use schemars;
pub use serde;

#[cfg(feature = "cli")]
pub use crate::cli::{Program, main as run_command_line};
pub use crate::convert::autoref::{
    FailureDisplayed, FailureMute, FailureTyped, KindCustom, KindStructured, KindText, KindUnfit,
    Probe, SplitFallible, SplitPlain, fail, finish, spec,
};
pub use crate::convert::choices::{ChoicesOfOption, ChoicesOfType, ChoicesUnknown};
pub use crate::convert::complete::{
    CompleteBoth, CompleteUnfit, CompleteValue, Completer, CompletionFuture, CompletionRequest,
    ReturnedFuture, ReturnedValue, completed, completion, probe_of, returned,
};
pub use crate::convert::misuse::{
    AsText, JsonParam, OptionalStateParam, PrincipalParam, ToTool, json_kind, optional_state_kind,
    principal_kind,
};
pub use crate::convert::prompt::write_prompt;
pub use crate::convert::resource::{MimeKnown, MimeUnknown, write_resource};
pub use crate::convert::shape::{NotOptional, NotText, UnknownShape};
pub use crate::convert::slot::{SlotArgument, SlotInjected, SlotUnfit};
pub use crate::convert::text_slot::{
    TextSlotInjected, TextSlotMany, TextSlotOne, TextSlotOptional, TextSlotUnfit,
};
pub use crate::convert::{
    Borrowed, Fill, FillText, OutputSpec, Param, ParamEntry, ParamKind, Rejected, Reply, TextParam,
};
pub use crate::convert::{
    autoref, choices as choices_of_types, complete as completing, context_param, misuse, output,
    param, prompt, resource, shape as shapes, slot as slots, text_param, text_slot as text_slots,
};
pub use crate::dispatch::{BoxFuture, CacheScope, Invocation};
pub use crate::exec::Execution;
pub use crate::form::constant::{
    Constant, Given, Judge, NotField, NotJudged, default_fits, default_is_safe,
};
pub use crate::form::entry::{Answer, FieldEntry, FieldKind, Form};
pub use crate::form::field::{FormChoice, FormField};
pub use crate::form::{
    ElicitForm, FormFault, constant as form_constants, entry as form_entries, field as form_fields,
};
pub use crate::registry::handler;
pub use crate::registry::{
    AnnotationsEntry, CallFn, Hints, IconEntry, ItemEntry, Location, PromptEntry, Registration,
    ResourceEntry, TaskSupport, ToolEntry,
};
pub use crate::schema::{Bound, Choice, Constraints, FieldShape, Format};
pub use crate::server::check;
pub use crate::uri::{Reach, UriPart};

/// How a type gets its value, found by the compiler.
#[must_use]
pub const fn param_kind<T: Param<Via>, Via>() -> ParamKind {
    T::KIND
}

/// The same for a parameter of a prompt or a resource.
#[must_use]
pub const fn text_kind<T: TextParam<Via>, Via>() -> ParamKind {
    T::KIND
}

/// The future of an async function, whose type is forgotten here.
pub fn boxed(future: impl Future<Output = Reply> + Send + 'static) -> BoxFuture {
    Box::pin(future)
}

/// A text literal as a value of the parameter's type.
pub fn text<T: FromText>(text: &'static str) -> T {
    text.into()
}

/// A type that a text literal can be the default of.
#[diagnostic::on_unimplemented(
    message = "a text cannot be a value of `{Self}`",
    label = "write an expression of this type, or implement `From<&str>` for it"
)]
pub trait FromText: From<&'static str> {}

#[diagnostic::do_not_recommend]
impl<T: From<&'static str>> FromText for T {}

/// A default or an example as JSON; `None` if it has no JSON form.
#[must_use]
pub fn json<T: Published>(value: T) -> Option<Value> {
    // Through text, since the serializer of ours is bounded in depth and knows NaN.
    let mut json = Vec::new();
    write_owned(&mut json, value).ok()?;
    read_own(&json).ok()
}

/// A type whose values can be shown in a schema.
#[diagnostic::on_unimplemented(
    message = "a value of `{Self}` cannot be shown in a schema",
    label = "defaults and examples are published, which takes `Serialize`",
    note = "put `#[mcp_type]` on the type, or derive `serde::Serialize` for it"
)]
pub trait Published: Serialize {}

#[diagnostic::do_not_recommend]
impl<T: Serialize> Published for T {}

/// What is wrong with an answer.
pub type FormFaults = Vec<FormFault>;

/// A default of a form's field as JSON.
#[must_use]
pub fn published<T: FormField, D: Constant<T::Given>>() -> Value {
    T::publish(D::VALUE)
}

/// Examples as JSON, without those that have no JSON form.
#[must_use]
pub fn list<const N: usize>(values: [Option<Value>; N]) -> Vec<Value> {
    values.into_iter().flatten().collect()
}

/// A condition on a type; the compiler shows the sentence at the place that the caller is spanned to.
#[track_caller]
pub const fn require(condition: bool, sentence: &str) {
    if !condition {
        panic!("{}", sentence);
    }
}

/// Whether the client sends the parameter at `index`.
#[must_use]
pub const fn is_argument(params: &[ParamEntry], index: usize) -> bool {
    matches!(
        params[index].kind,
        ParamKind::Argument { .. } | ParamKind::Text { .. }
    )
}

/// Whether the parameter at `index` takes no more than one text.
#[must_use]
pub const fn is_one_text(params: &[ParamEntry], index: usize) -> bool {
    !matches!(params[index].kind, ParamKind::Text { many: true, .. })
}

/// Whether the parameter at `index` is no context, or the first one.
#[must_use]
pub const fn is_first_context(params: &[ParamEntry], index: usize) -> bool {
    if !is_context(params[index].kind) {
        return true;
    }
    let mut before = 0;
    while before < index {
        if is_context(params[before].kind) {
            return false;
        }
        before += 1;
    }
    true
}

const fn is_context(kind: ParamKind) -> bool {
    matches!(kind, ParamKind::Injected(Needs::Context))
}

// The questions to the compiler are macros of ours, so that the traits they need are imported out of sight of the
// user's lints: which of them a type needs differs.

/// The slot of a type.
#[doc(hidden)]
#[macro_export]
macro_rules! __slot {
    ($T:ty) => {{
        use $crate::__private::{SlotArgument as _, SlotInjected as _, SlotUnfit as _};
        (&&&$crate::__private::Probe::<$T>::new()).slot()
    }};
}

/// The slot of a type that is made of a text.
#[doc(hidden)]
#[macro_export]
macro_rules! __text_slot {
    ($T:ty) => {{
        use $crate::__private::{
            TextSlotInjected as _, TextSlotMany as _, TextSlotOne as _, TextSlotOptional as _,
            TextSlotUnfit as _,
        };
        (&&&&$crate::__private::Probe::<$T>::new()).slot()
    }};
}

/// What the compiler knows of a type's shape.
#[doc(hidden)]
#[macro_export]
macro_rules! __shape {
    ($T:ty) => {{
        use $crate::__private::UnknownShape as _;
        $crate::__private::Probe::<$T>::SHAPE
    }};
}

/// Whether a type is an `Option`.
#[doc(hidden)]
#[macro_export]
macro_rules! __is_optional {
    ($T:ty) => {{
        use $crate::__private::NotOptional as _;
        $crate::__private::Probe::<$T>::IS_OPTIONAL
    }};
}

/// An example as JSON: a value of a type, or of what stands in its `Option`.
#[doc(hidden)]
#[macro_export]
macro_rules! __example {
    ($T:ty, $value:expr) => {{
        use $crate::__private::NotOptional as _;
        $crate::__private::json($crate::__private::Probe::<$T>::present($value))
    }};
}

/// Whether a type keeps a text as it is.
#[doc(hidden)]
#[macro_export]
macro_rules! __is_text {
    ($T:ty) => {{
        use $crate::__private::NotText as _;
        $crate::__private::Probe::<$T>::IS_TEXT
    }};
}

/// What a field of a form takes.
#[doc(hidden)]
#[macro_export]
macro_rules! __field {
    ($T:ty) => {{
        use $crate::__private::NotField as _;
        $crate::__private::Probe::<$T>::FIELD
    }};
}

/// What is known of a default `$D` of a field.
#[doc(hidden)]
#[macro_export]
macro_rules! __given {
    ($T:ty, $D:ty) => {{
        use $crate::__private::NotJudged as _;
        $crate::__private::Judge::<$D, <$T as $crate::__private::FormField>::Given>::GIVEN
    }};
}

/// The values of a type that has few.
#[doc(hidden)]
#[macro_export]
macro_rules! __choices {
    ($T:ty) => {{
        use $crate::__private::{ChoicesOfOption as _, ChoicesOfType as _, ChoicesUnknown as _};
        (&&&$crate::__private::Probe::<$T>::new()).choices()
    }};
}

/// What a completion function finds, within a future.
#[doc(hidden)]
#[macro_export]
macro_rules! __complete {
    ($function:path, $asked:expr) => {{
        use $crate::__private::{
            CompleteBoth as _, CompleteUnfit as _, CompleteValue as _, ReturnedFuture as _,
            ReturnedValue as _,
        };
        let asked = $asked;
        let function = $function;
        let shape = (&&&$crate::__private::probe_of(&function)).shape();
        let returned = shape.call(&function, &asked);
        let settled = (&&$crate::__private::returned(&returned)).settle();
        $crate::__private::completed(settled.future(returned).await)
    }};
}

/// Where a completion function runs: as its type says, or in place if it is declared `inline`.
#[doc(hidden)]
#[macro_export]
macro_rules! __complete_execution {
    ($function:path) => {{
        use $crate::__private::{
            CompleteBoth as _, CompleteUnfit as _, CompleteValue as _, ReturnedFuture as _,
            ReturnedValue as _,
        };
        let function = $function;
        let shape = (&&&$crate::__private::probe_of(&function)).shape();
        (&&shape.returned_by(&function)).settle().execution()
    }};
    ($function:path, inline) => {{
        use $crate::__private::{
            CompleteBoth as _, CompleteUnfit as _, CompleteValue as _, ReturnedFuture as _,
            ReturnedValue as _,
        };
        let function = $function;
        let shape = (&&&$crate::__private::probe_of(&function)).shape();
        (&&shape.returned_by(&function)).settle().inline(&function)
    }};
}

/// What is known of a return type before the call.
#[doc(hidden)]
#[macro_export]
macro_rules! __output {
    ($T:ty) => {{
        use $crate::__private::{
            KindCustom as _, KindStructured as _, KindText as _, KindUnfit as _,
            SplitFallible as _, SplitPlain as _,
        };
        let split = (&&$crate::__private::Probe::<$T>::new()).split();
        $crate::__private::spec(split.value(), (&&&split.value()).kind())
    }};
}

/// The type of the contents that a resource's function returns, or an empty string.
#[doc(hidden)]
#[macro_export]
macro_rules! __mime_type {
    ($T:ty) => {{
        use $crate::__private::{
            MimeKnown as _, MimeUnknown as _, SplitFallible as _, SplitPlain as _,
        };
        let split = (&&$crate::__private::Probe::<$T>::new()).split();
        (&split.value()).mime_type()
    }};
}

/// Writes what a function returned.
#[doc(hidden)]
#[macro_export]
macro_rules! __respond {
    ($T:ty, $reply:expr, $returned:expr) => {{
        use $crate::__private::{
            FailureDisplayed as _, FailureMute as _, FailureTyped as _, KindCustom as _,
            KindStructured as _, KindText as _, KindUnfit as _, SplitFallible as _,
            SplitPlain as _,
        };
        let split = (&&$crate::__private::Probe::<$T>::new()).split();
        $crate::__private::finish(
            $reply,
            split.divide($returned),
            (&&&split.value()).kind(),
            (&&split.error()).failure(),
        )
    }};
}

/// Writes what a prompt returned.
#[doc(hidden)]
#[macro_export]
macro_rules! __respond_prompt {
    ($T:ty, $reply:expr, $returned:expr) => {
        $crate::__respond_by!($T, $reply, $returned, write_prompt)
    };
}

/// Writes what a resource returned.
#[doc(hidden)]
#[macro_export]
macro_rules! __respond_resource {
    ($T:ty, $reply:expr, $returned:expr) => {
        $crate::__respond_by!($T, $reply, $returned, write_resource)
    };
}

/// Writes what a function returned that is no tool; `$write` is what takes the value.
#[doc(hidden)]
#[macro_export]
macro_rules! __respond_by {
    ($T:ty, $reply:expr, $returned:expr, $write:ident) => {{
        use $crate::__private::{
            FailureDisplayed as _, FailureMute as _, FailureTyped as _, SplitFallible as _,
            SplitPlain as _,
        };
        let split = (&&$crate::__private::Probe::<$T>::new()).split();
        match split.divide($returned) {
            ::core::result::Result::Ok(value) => $crate::__private::$write($reply, value),
            ::core::result::Result::Err(error) => {
                $crate::__private::fail($reply, error, (&&split.error()).failure())
            }
        }
    }};
}

/// Brings into scope what the derive of schemars takes for granted, for crates without a prelude.
#[doc(hidden)]
#[macro_export]
macro_rules! __derive_scope {
    () => {
        use ::core::convert::{From as _, Into as _};
    };
}

/// Where the invocation stands.
#[doc(hidden)]
#[macro_export]
macro_rules! __location {
    () => {
        $crate::__private::Location {
            module: ::core::module_path!(),
            file: ::core::file!(),
            line: ::core::line!(),
            // Absent where something else than Cargo builds.
            version: match ::core::option_env!("CARGO_PKG_VERSION") {
                ::core::option::Option::Some(version) => version,
                ::core::option::Option::None => "",
            },
            for_tests: ::core::cfg!(test),
        }
    };
}

/// Leaves an entry for the registry to find.
#[doc(hidden)]
#[macro_export]
macro_rules! __submit {
    ($kind:ident($entry:path)) => {
        $crate::__private::inventory::submit! { $crate::__private::Registration::$kind(&$entry) }
    };
}

/// Defines a symbol that a program can have only once.
#[doc(hidden)]
#[macro_export]
macro_rules! __guard {
    ($symbol:literal) => {
        const _: () = {
            #[unsafe(export_name = $symbol)]
            static GUARD: u8 = 0;
        };
    };
}

pub use crate::{
    __choices as choices, __complete as complete, __complete_execution as complete_execution,
    __derive_scope as derive_scope, __example as example, __field as field, __given as given,
    __guard as guard, __is_optional as is_optional, __is_text as is_text, __location as location,
    __mime_type as mime_type, __output as output_spec, __respond as respond,
    __respond_prompt as respond_prompt, __respond_resource as respond_resource, __shape as shape,
    __slot as slot, __submit as submit, __text_slot as text_slot,
};
