//! What the compiler can tell of a built-in type: whether it is a number, a text, a list.
//!
//! For the conditions of generated code, which have to be constants. Users' own types have no shape here: what
//! their schemas say is looked at when the server is built.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use super::autoref::Probe;

/// The shape of a type, or of what stands in its `Option`.
#[derive(Debug, Clone, Copy)]
pub struct Shape(Value);

#[derive(Debug, Clone, Copy)]
enum Value {
    Text,
    /// With the smallest and the greatest one, as far as a bound can be written.
    Integer(i128, i128),
    Float,
    Boolean,
    List,
    Map,
    Unknown,
}

impl Shape {
    /// Whether it may be a number.
    #[must_use]
    pub const fn takes_range(self) -> bool {
        matches!(self.0, Value::Integer(..) | Value::Float | Value::Unknown)
    }

    /// Whether one of its values may be `bound`.
    #[must_use]
    pub const fn holds(self, bound: i128) -> bool {
        match self.0 {
            Value::Integer(least, greatest) => least <= bound && bound <= greatest,
            _ => true,
        }
    }

    /// Whether it may have a length.
    #[must_use]
    pub const fn takes_length(self) -> bool {
        matches!(
            self.0,
            Value::Text | Value::List | Value::Map | Value::Unknown
        )
    }

    /// Whether it may be a text.
    #[must_use]
    pub const fn takes_pattern(self) -> bool {
        matches!(self.0, Value::Text | Value::Unknown)
    }

    /// Whether it may be mirrored in a header.
    #[must_use]
    pub const fn takes_header(self) -> bool {
        matches!(
            self.0,
            Value::Text | Value::Integer(..) | Value::Boolean | Value::Unknown
        )
    }
}

/// The shape of a type for which nothing better is known: an inherent constant of [`Probe`] goes before it.
pub trait UnknownShape {
    /// The shape.
    const SHAPE: Shape = Shape(Value::Unknown);
}

impl<T> UnknownShape for Probe<T> {}

/// The answer for all types but `Option`: an inherent constant of [`Probe`] goes before it.
pub trait NotOptional {
    /// Whether the type is an `Option`.
    const IS_OPTIONAL: bool = false;

    /// The type of a value that is there.
    type Present;

    /// Passes on a value that is there.
    fn present(value: Self::Present) -> Self::Present {
        value
    }
}

impl<T> NotOptional for Probe<T> {
    type Present = T;
}

impl<T> Probe<Option<T>> {
    /// Whether the type is an `Option`.
    pub const IS_OPTIONAL: bool = true;

    /// Passes on a value that is there.
    pub fn present(value: T) -> T {
        value
    }
}

/// The answer for all types but texts: an inherent constant of [`Probe`] goes before it.
pub trait NotText {
    /// Whether the type keeps a text as it is.
    const IS_TEXT: bool = false;
}

impl<T> NotText for Probe<T> {}

macro_rules! texts {
    ($($Text:ty),*) => { $(
        impl Probe<$Text> {
            /// Whether the type keeps a text as it is.
            pub const IS_TEXT: bool = true;
        }
        impl Probe<Option<$Text>> {
            /// Whether the type keeps a text as it is.
            pub const IS_TEXT: bool = true;
        }
        impl Probe<Vec<$Text>> {
            /// Whether the type keeps texts as they are.
            pub const IS_TEXT: bool = true;
        }
    )* };
}
texts!(String, PathBuf, OsString);

macro_rules! shapes {
    ($($Value:ident: $([$($param:ident),*] $Type:ty),*;)*) => { $( $(
        impl<$($param),*> Probe<$Type> {
            /// The shape of the type.
            pub const SHAPE: Shape = Shape(Value::$Value);
        }
        impl<$($param),*> Probe<Option<$Type>> {
            /// The shape of the type.
            pub const SHAPE: Shape = Shape(Value::$Value);
        }
    )* )* };
}
shapes! {
    Text: [] String, [] char, [] PathBuf, [] Box<str>, [] Arc<str>, [] Cow<'static, str>;
    Float: [] f32, [] f64;
    Boolean: [] bool;
    List: [T] Vec<T>, [T] VecDeque<T>, [T] BTreeSet<T>, [T, S] HashSet<T, S>;
    Map: [K, V] BTreeMap<K, V>, [K, V, S] HashMap<K, V, S>;
}

macro_rules! integers {
    ($($Type:ident),*) => { $(
        impl Probe<$Type> {
            /// The shape of the type.
            pub const SHAPE: Shape = {
                // No more than `i128` can be written as a bound.
                let greatest = if $Type::MAX as i128 > 0 { $Type::MAX as i128 } else { i128::MAX };
                Shape(Value::Integer($Type::MIN as i128, greatest))
            };
        }
        impl Probe<Option<$Type>> {
            /// The shape of the type.
            pub const SHAPE: Shape = Probe::<$Type>::SHAPE;
        }
    )* };
}
integers!(
    i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize
);
