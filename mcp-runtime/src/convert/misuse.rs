//! Types that people take for parameters and that are none, each with a sentence of its own.
//!
//! Generated code asks for one of these traits where the type is spelled like such a type. A type of the user's own
//! that is spelled the same and is a parameter has the trait, so spelling decides about nothing but the sentence.

use std::marker::PhantomData;

use super::{Param, ParamKind, TextParam};

/// Marks what is sent to tools, with the way in which a type is a parameter.
#[derive(Debug)]
pub struct ToTool<Via>(PhantomData<Via>);

/// Marks what is sent to prompts and resources, with the way in which a type is a parameter.
#[derive(Debug)]
pub struct AsText<Via>(PhantomData<Via>);

/// A parameter that is spelled `Json<T>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter: arguments need no wrapper",
    label = "write the type that stands between `<` and `>`",
    note = "a type of your own with this name becomes one as any other: by `#[mcp_type]`, `FromStr` or `FromContext`"
)]
pub trait JsonParam<Sent>: Sized {
    /// How the parameter gets its value.
    const KIND: ParamKind;
}

/// How such a type gets its value.
#[must_use]
pub const fn json_kind<T: JsonParam<Sent>, Sent>() -> ParamKind {
    T::KIND
}

/// A parameter that is spelled `Principal`, perhaps in an `Option`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter: the context tells who calls",
    label = "take `ctx: &Context`, and ask for `ctx.principal()` in the body",
    note = "a type of your own with this name becomes one as any other: by `#[mcp_type]`, `FromStr` or `FromContext`"
)]
pub trait PrincipalParam<Sent>: Sized {
    /// How the parameter gets its value.
    const KIND: ParamKind;
}

/// How such a type gets its value.
#[must_use]
pub const fn principal_kind<T: PrincipalParam<Sent>, Sent>() -> ParamKind {
    T::KIND
}

/// A parameter that is spelled `Option<State<T>>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter: a state is always there, or the server is not built",
    label = "write the `State<T>` that stands between `<` and `>`"
)]
pub trait OptionalStateParam<Sent>: Sized {
    /// How the parameter gets its value.
    const KIND: ParamKind;
}

/// How such a type gets its value.
#[must_use]
pub const fn optional_state_kind<T: OptionalStateParam<Sent>, Sent>() -> ParamKind {
    T::KIND
}

macro_rules! parameters {
    ($($Trait:ident)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<T: Param<Via>, Via> $Trait<ToTool<Via>> for T {
            const KIND: ParamKind = T::KIND;
        }

        #[diagnostic::do_not_recommend]
        impl<T: TextParam<Via>, Via> $Trait<AsText<Via>> for T {
            const KIND: ParamKind = T::KIND;
        }
    )* };
}
parameters!(JsonParam PrincipalParam OptionalStateParam);
