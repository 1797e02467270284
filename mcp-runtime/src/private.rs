//! Not public API. Used by generated code, and free to change in any release.

use std::future::Future;

pub use inventory;
pub use schemars;
pub use serde;

pub use crate::convert::output::{
    FailureDisplayed, FailureMute, FailureTyped, KindCustom, KindStructured, KindText, KindUnfit,
    Probe, SplitFallible, SplitPlain, finish, spec,
};
pub use crate::convert::{
    Fill, Lend, Needs, OutputSpec, Param, ParamEntry, ParamKind, Rejected, Reply, Slot,
};
pub use crate::convert::{context_param, output, param};
pub use crate::dispatch::{BoxFuture, Invocation};
pub use crate::registry::handler;
pub use crate::registry::{Hints, IconEntry, Location, Registration, ToolEntry, ToolFn};
pub use crate::schema::{Bound, Constraints};

/// How a type gets its value, found by the compiler.
#[must_use]
pub const fn param_kind<T: Param<Via>, Via>() -> ParamKind {
    T::KIND
}

/// An empty slot for a type.
#[must_use]
pub const fn slot<T: Param<Via>, Via>() -> Slot<T, Via> {
    Slot::empty()
}

/// The future of an async tool, whose type is forgotten here.
pub fn boxed(future: impl Future<Output = Reply> + Send + 'static) -> BoxFuture {
    Box::pin(future)
}

/// How many of the parameters are the context.
#[must_use]
pub const fn contexts(kinds: &[ParamKind]) -> usize {
    let mut count = 0;
    let mut index = 0;
    while index < kinds.len() {
        if let ParamKind::Injected(Needs::Context) = kinds[index] {
            count += 1;
        }
        index += 1;
    }
    count
}
