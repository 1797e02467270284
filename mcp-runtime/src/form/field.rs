//! The types that a field of a form can have, decided by trait and never by spelling.
//!
//! Bounds and titles are not here: they belong to the field and not to its type.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use crate::schema::{Choice, FieldShape};

/// A type that a field of a form can have.
///
/// Strings (`String`, `Box<str>`, `Arc<str>`, `Cow<'static, str>`, `char`), integers of up to 64 bits, floats, `bool`, enums with
/// `#[derive(ElicitForm)]`, `Vec`s of such enums, and an `Option` of any of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of a form",
    label = "a form's fields are strings, numbers, booleans, enums and lists of enums",
    note = "write the fields of a nested struct into the form itself",
    note = "an enum without data becomes a choice by `#[derive(ElicitForm)]`, and a `Vec` of it a choice of several"
)]
pub trait FormField: Sized {
    /// What the field takes.
    const SHAPE: FieldShape;

    /// Whether the field may be left out.
    const IS_OPTIONAL: bool = false;

    /// What a default of the type is written as: a value that a constant can have.
    type Given: 'static;

    /// The value of a JSON value that the schema has accepted; `None` if the type refuses it all the same.
    fn from_json(value: Value) -> Option<Self>;

    /// The value of a default.
    fn from_given(given: Self::Given) -> Self;

    /// A default as it is published.
    fn publish(given: Self::Given) -> Value;

    /// The value of a field that is left out, if it may be.
    fn absent() -> Option<Self> {
        None
    }
}

/// An enum that `#[derive(ElicitForm)]` has made a choice.
pub trait FormChoice: Sized + 'static {
    /// The values, in the order of the variants.
    const CHOICES: &'static [Choice];

    /// The position of a variant.
    fn position(&self) -> usize;

    /// The variant at a position.
    fn at(position: usize) -> Option<Self>;

    /// The variant of a JSON value.
    fn chosen(value: &Value) -> Option<Self> {
        let text = value.as_str()?;
        let position = Self::CHOICES
            .iter()
            .position(|choice| choice.value == text)?;
        Self::at(position)
    }

    /// The JSON value of a variant.
    fn shown(&self) -> Value {
        Self::CHOICES
            .get(self.position())
            .map_or(Value::Null, |choice| choice.value.into())
    }
}

#[diagnostic::do_not_recommend]
impl<T: FormChoice> FormField for T {
    const SHAPE: FieldShape = FieldShape::Choice(T::CHOICES);
    type Given = T;

    fn from_json(value: Value) -> Option<Self> {
        T::chosen(&value)
    }

    fn from_given(given: T) -> Self {
        given
    }

    fn publish(given: T) -> Value {
        given.shown()
    }
}

impl<T: FormChoice> FormField for Vec<T> {
    const SHAPE: FieldShape = FieldShape::Choices(T::CHOICES);
    type Given = &'static [T];

    fn from_json(value: Value) -> Option<Self> {
        value.as_array()?.iter().map(T::chosen).collect()
    }

    fn from_given(given: &'static [T]) -> Self {
        // Without asking for `Clone`: a variant is as good as its position.
        given
            .iter()
            .filter_map(|choice| T::at(choice.position()))
            .collect()
    }

    fn publish(given: &'static [T]) -> Value {
        given.iter().map(T::shown).collect()
    }
}

impl<T: FormField> FormField for Option<T> {
    const SHAPE: FieldShape = if T::IS_OPTIONAL {
        FieldShape::Unfit
    } else {
        T::SHAPE
    };
    const IS_OPTIONAL: bool = true;
    type Given = T::Given;

    fn from_json(value: Value) -> Option<Self> {
        T::from_json(value).map(Some)
    }

    fn from_given(given: T::Given) -> Self {
        Some(T::from_given(given))
    }

    fn publish(given: T::Given) -> Value {
        T::publish(given)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

macro_rules! texts {
    ($($Text:ty),*) => { $(
        impl FormField for $Text {
            const SHAPE: FieldShape = FieldShape::Text;
            type Given = &'static str;

            fn from_json(value: Value) -> Option<Self> {
                String::deserialize(value).ok().map(Into::into)
            }

            fn from_given(given: &'static str) -> Self {
                given.into()
            }

            fn publish(given: &'static str) -> Value {
                given.into()
            }
        }
    )* };
}
texts!(String, Box<str>, Arc<str>, Cow<'static, str>);

macro_rules! plain {
    ($($Type:ty: $shape:expr;)*) => { $(
        impl FormField for $Type {
            const SHAPE: FieldShape = $shape;
            type Given = $Type;

            fn from_json(value: Value) -> Option<Self> {
                Self::deserialize(value).ok()
            }

            fn from_given(given: $Type) -> Self {
                given
            }

            fn publish(given: $Type) -> Value {
                published(given)
            }
        }
    )* };
}

macro_rules! integers {
    ($($Integer:ty),*) => {
        plain! { $(
            $Integer: FieldShape::Integer { least: <$Integer>::MIN as i128, most: <$Integer>::MAX as i128 };
        )* }
    };
}
integers!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);
plain! {
    f32: FieldShape::Float { is_single: true };
    f64: FieldShape::Float { is_single: false };
    bool: FieldShape::Boolean;
    char: FieldShape::Character;
}

/// A plain default as JSON.
fn published(value: impl serde::Serialize) -> Value {
    // Through text, which has the digits of an `f32` as they were written; a number, a boolean or a character has a JSON form, and
    // generated code refuses the floats that have none.
    serde_json::to_string(&value)
        .and_then(|text| serde_json::from_str(&text))
        .unwrap_or_default()
}
