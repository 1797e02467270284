//! Defaults as constants, so that the compiler holds them against the bounds of their fields.
//!
//! The traits of fields cannot be asked in a constant; types can. So a default is a type with a value, and what is known of the
//! value is a constant of a type made of it.

use std::fmt;
use std::marker::PhantomData;

use super::entry::FieldKind;
use super::field::FormField;
use crate::convert::autoref::Probe;
use crate::schema::{Bound, Constraints, FieldShape, Format, MAX_SAFE_INTEGER};

/// A type that stands for a value of type `G`.
pub trait Constant<G> {
    /// The value.
    const VALUE: G;
}

/// What is known of a default while compiling.
#[derive(Debug, Clone, Copy)]
#[allow(
    clippy::exhaustive_enums,
    reason = "generated code holds it as a constant"
)]
pub enum Given {
    /// An integer.
    Integer(i128),
    /// A float of 64 bits.
    Float(f64),
    /// A float of 32 bits.
    Single(f32),
    /// A text.
    Text(&'static str),
    /// A list of so many values.
    List(u64),
    /// A value that nothing bounds.
    Other,
}

/// Asks what is known of the default `D`, which is written as a `G`.
pub struct Judge<D, G>(PhantomData<fn() -> (D, G)>);

impl<D, G> fmt::Debug for Judge<D, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Judge")
    }
}

/// The answer for defaults of which nothing better is known: an inherent constant of [`Judge`] goes before it.
pub trait NotJudged {
    /// What is known of it.
    const GIVEN: Given = Given::Other;
}

impl<D, G> NotJudged for Judge<D, G> {}

macro_rules! numbers {
    ($($variant:ident as $Wide:ident: $($Number:ident),*;)*) => { $( $(
        impl<D: Constant<$Number>> Judge<D, $Number> {
            /// What is known of it.
            #[allow(
                clippy::cast_lossless,
                reason = "`From` is not constant, and every number here fits"
            )]
            pub const GIVEN: Given = Given::$variant(D::VALUE as $Wide);
        }
    )* )* };
}
numbers! {
    Integer as i128: i8, i16, i32, i64, isize, u8, u16, u32, u64, usize;
    Float as f64: f64;
    Single as f32: f32;
}

impl<D: Constant<&'static str>> Judge<D, &'static str> {
    /// What is known of it.
    pub const GIVEN: Given = Given::Text(D::VALUE);
}

impl<T: 'static, D: Constant<&'static [T]>> Judge<D, &'static [T]> {
    /// What is known of it.
    pub const GIVEN: Given = Given::List(D::VALUE.len() as u64);
}

/// Whether a default is a JSON value that its own field takes.
#[must_use]
pub const fn default_fits(given: Given, constraints: &Constraints, format: Option<Format>) -> bool {
    match given {
        Given::Integer(value) => is_in_range(Bound::Int(value), constraints),
        Given::Float(value) => value.is_finite() && is_in_range(Bound::Float(value), constraints),
        Given::Single(value) => {
            value.is_finite() && is_in_range(Bound::Float(value as f64), &singles(constraints))
        }
        Given::Text(text) => {
            is_between(characters(text), constraints)
                && match format {
                    Some(format) => format.accepts(text),
                    None => true,
                }
        }
        Given::List(count) => is_between(count, constraints),
        Given::Other => true,
    }
}

/// Whether hosts that read numbers as doubles keep a default.
#[must_use]
pub const fn default_is_safe(given: Given) -> bool {
    match given {
        Given::Integer(value) => value.unsigned_abs() <= MAX_SAFE_INTEGER as u128,
        // What is no number at all is reported as such.
        Given::Float(value) => !value.is_finite() || value.abs() <= MAX_SAFE_INTEGER as f64,
        Given::Single(value) => !value.is_finite() || value.abs() as f64 <= MAX_SAFE_INTEGER as f64,
        Given::Text(_) | Given::List(_) | Given::Other => true,
    }
}

const fn is_in_range(value: Bound, constraints: &Constraints) -> bool {
    if let Some(minimum) = constraints.minimum
        && is_below(value, minimum)
    {
        return false;
    }
    match constraints.maximum {
        Some(maximum) if constraints.exclusive_maximum => is_below(value, maximum),
        Some(maximum) => !is_below(maximum, value),
        None => true,
    }
}

/// The bounds as 32 bits hold them: a default of `0.1` keeps to a bound of `0.1`, although neither is exactly that.
const fn singles(constraints: &Constraints) -> Constraints {
    Constraints {
        minimum: single(constraints.minimum),
        maximum: single(constraints.maximum),
        ..*constraints
    }
}

const fn single(bound: Option<Bound>) -> Option<Bound> {
    match bound {
        Some(Bound::Int(value)) => Some(Bound::Float(value as f32 as f64)),
        Some(Bound::Float(value)) => Some(Bound::Float(value as f32 as f64)),
        None => None,
    }
}

const fn is_below(a: Bound, b: Bound) -> bool {
    match (a, b) {
        (Bound::Int(a), Bound::Int(b)) => a < b,
        // Bounds that people write are far below the 53 bits where this would round.
        (Bound::Int(a), Bound::Float(b)) => (a as f64) < b,
        (Bound::Float(a), Bound::Int(b)) => a < b as f64,
        (Bound::Float(a), Bound::Float(b)) => a < b,
    }
}

const fn is_between(count: u64, constraints: &Constraints) -> bool {
    if let Some(least) = constraints.min_length
        && count < least
    {
        return false;
    }
    match constraints.max_length {
        Some(most) => count <= most,
        None => true,
    }
}

/// Unicode code points, which JSON Schema counts.
const fn characters(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let mut count = 0;
    let mut at = 0;
    while at < bytes.len() {
        // All bytes of a character but the first begin with the bits 10.
        count += (bytes[at] & 0xc0 != 0x80) as u64;
        at += 1;
    }
    count
}

impl FieldKind {
    /// Whether it may be a number.
    #[must_use]
    pub const fn takes_range(self) -> bool {
        matches!(
            self.shape,
            FieldShape::Integer { .. } | FieldShape::Float { .. } | FieldShape::Unfit
        )
    }

    /// Whether its type holds the ends of a range.
    #[must_use]
    pub const fn holds(self, constraints: &Constraints) -> bool {
        let FieldShape::Integer { least, most } = self.shape else {
            return true;
        };
        let own = Constraints {
            minimum: Some(Bound::Int(least)),
            maximum: Some(Bound::Int(most)),
            ..Constraints::NONE
        };
        let minimum = match constraints.minimum {
            Some(minimum) => is_in_range(minimum, &own),
            None => true,
        };
        let maximum = match constraints.maximum {
            Some(Bound::Int(end)) if constraints.exclusive_maximum => {
                is_in_range(Bound::Int(end.saturating_sub(1)), &own)
            }
            Some(maximum) => is_in_range(maximum, &own),
            None => true,
        };
        minimum && maximum
    }

    /// Whether the last number below an excluded one can be named.
    #[must_use]
    pub const fn takes_half_open(self) -> bool {
        !matches!(self.shape, FieldShape::Float { .. })
    }

    /// Whether it may be a text.
    #[must_use]
    pub const fn takes_length(self) -> bool {
        matches!(self.shape, FieldShape::Text | FieldShape::Unfit)
    }

    /// Whether it may be a list.
    #[must_use]
    pub const fn takes_items(self) -> bool {
        matches!(self.shape, FieldShape::Choices(_) | FieldShape::Unfit)
    }

    /// Whether it is no `Option` of an `Option`.
    #[must_use]
    pub const fn is_optional_once(self) -> bool {
        !(self.is_optional && matches!(self.shape, FieldShape::Unfit))
    }
}

/// The answer for types that no field can have: an inherent constant of [`Probe`] goes before it.
pub trait NotField {
    /// What the field takes.
    const FIELD: FieldKind = FieldKind {
        shape: FieldShape::Unfit,
        is_optional: false,
    };
}

impl<T> NotField for Probe<T> {}

impl<T: FormField> Probe<T> {
    /// What the field takes.
    pub const FIELD: FieldKind = FieldKind {
        shape: T::SHAPE,
        is_optional: T::IS_OPTIONAL,
    };
}
