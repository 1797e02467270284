//! What bounds an argument's value, and whether a literal keeps the bounds.
//!
//! Values that are not literals are checked by the runtime when the server is built.

use regex_lite::Regex;
use syn::{Expr, Lit, LitStr, UnOp};

use super::pattern;
use crate::attr::form::FieldAttr;
use crate::attr::nearest;
use crate::attr::param::{ArgAttr, Bounds};
use crate::diag::Diagnostics;
use crate::doc::ungrouped;

/// The formats of JSON Schema 2020-12, "Defined Formats".
const FORMATS: &[&str] = &[
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uuid",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

/// The largest integer up to which a double holds every integer: 2^53 − 1.
const MAX_SAFE_INTEGER: u128 = (1 << 53) - 1;

/// What is wrong with a default beyond it.
pub(super) const UNSAFE_DEFAULT: &str =
    "hosts round a default beyond ±9007199254740991 (2^53 − 1); write a smaller one";

/// A number as it is written in the source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    Int(i128),
    Float(f64),
}

impl Number {
    fn is_below(self, other: Self) -> bool {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a < b,
            // Bounds and defaults that people write are far below the 53 bits where this would round.
            _ => self.as_float() < other.as_float(),
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "only compared with a float that was written by hand"
    )]
    fn as_float(self) -> f64 {
        match self {
            Self::Int(int) => int as f64,
            Self::Float(float) => float,
        }
    }
}

/// Checked constraints of one parameter.
#[derive(Default)]
pub(crate) struct Constraints {
    pub(crate) minimum: Option<Number>,
    pub(crate) maximum: Option<Number>,
    /// `maximum` itself is not allowed.
    pub(crate) excludes_maximum: bool,
    pub(crate) min_length: Option<u64>,
    pub(crate) max_length: Option<u64>,
    pub(crate) pattern: Option<String>,
    pub(crate) format: Option<String>,
    /// The compiled pattern, for the literals.
    regex: Option<Regex>,
}

impl Constraints {
    /// Checks the bounds that `arg` sets.
    pub(super) fn new(arg: &ArgAttr, diag: &mut Diagnostics) -> Self {
        let (minimum, maximum, excludes_maximum) = range(arg.range.get(), diag);
        let (min_length, max_length) = count(arg.length.get(), &LENGTH, diag);
        let regex = arg.pattern.get().and_then(|literal| regex(literal, diag));
        Self {
            minimum,
            maximum,
            excludes_maximum,
            min_length,
            max_length,
            pattern: arg.pattern.get().map(LitStr::value),
            format: arg.format.get().map(|literal| format_name(literal, diag)),
            regex,
        }
    }

    /// Checks the bounds of a form's field, of which the protocol knows fewer.
    pub(super) fn of_field(attr: &FieldAttr, diag: &mut Diagnostics) -> Self {
        let (minimum, maximum, excludes_maximum) = range(attr.range.get(), diag);
        // Both at once fit no type, which the compiler tells.
        let (min_length, max_length) = match attr.items.get() {
            Some(items) => count(Some(items), &ITEMS, diag),
            None => count(attr.length.get(), &LENGTH, diag),
        };
        Self {
            minimum,
            maximum,
            excludes_maximum,
            min_length,
            max_length,
            ..Self::default()
        }
    }

    /// The whole numbers at the ends of the range that some integer type does not hold.
    pub(super) fn far_bounds(&self) -> impl Iterator<Item = i128> {
        let whole = |number, excluded| match number {
            Some(Number::Int(int)) => Some(int.saturating_sub(i128::from(excluded))),
            _ => None,
        };
        let ends = [
            whole(self.minimum, false),
            whole(self.maximum, self.excludes_maximum),
        ];
        // What every type holds need not be asked of any.
        ends.into_iter()
            .flatten()
            .filter(|end| !(0..128).contains(end))
    }

    /// Whether nothing is bounded.
    pub(crate) fn is_empty(&self) -> bool {
        self.minimum.is_none()
            && self.maximum.is_none()
            && self.min_length.is_none()
            && self.max_length.is_none()
            && self.pattern.is_none()
            && self.format.is_none()
    }

    /// Reports a default that is published and that hosts round.
    pub(super) fn check_safe(default: &Expr, diag: &mut Diagnostics) {
        let is_safe = match number(default) {
            Some(Number::Int(int)) => int.unsigned_abs() <= MAX_SAFE_INTEGER,
            Some(Number::Float(float)) => float.abs() < (MAX_SAFE_INTEGER + 1) as f64,
            None => true,
        };
        if !is_safe {
            diag.error_over(default, UNSAFE_DEFAULT);
        }
    }

    /// Reports a literal that breaks the constraints; `role` says what it is: a default or an example.
    pub(super) fn check(&self, expr: &Expr, role: &str, diag: &mut Diagnostics) {
        if let Some(number) = number(expr) {
            let below = self.minimum.is_some_and(|minimum| number.is_below(minimum));
            let above = self.maximum.is_some_and(|maximum| {
                maximum.is_below(number) || (self.excludes_maximum && !number.is_below(maximum))
            });
            if below || above {
                diag.error_over(
                    expr,
                    format!("this {role} is outside its own `range`; change one of them"),
                );
            }
        }
        if let Expr::Lit(literal) = ungrouped(expr)
            && let Lit::Str(text) = &literal.lit
        {
            let text = text.value();
            // JSON Schema counts characters, "maxLength".
            let count = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
            if self.min_length.is_some_and(|min| count < min)
                || self.max_length.is_some_and(|max| count > max)
            {
                diag.error_over(expr,
                    format!("this {role} has {count} characters, against its own `length`; change one of them"),
                );
            }
            if self
                .regex
                .as_ref()
                .is_some_and(|regex| !regex.is_match(&text))
            {
                diag.error_over(
                    expr,
                    format!("this {role} does not match its own `pattern`; change one of them"),
                );
            }
        }
    }
}

/// The numbers of `range(…)`, and whether the greatest is excluded.
fn range(
    bounds: Option<&Bounds>,
    diag: &mut Diagnostics,
) -> (Option<Number>, Option<Number>, bool) {
    let Some(bounds) = bounds else {
        return (None, None, false);
    };
    refuse_unbounded(bounds, "range(1..=100)", diag);
    let mut bound = |expr: &Option<Expr>| {
        let expr = expr.as_ref()?;
        let number = number(expr);
        if number.is_none() {
            diag.error_over(
                expr,
                "a bound is published as it stands here; write a number",
            );
        }
        number
    };
    let (minimum, maximum) = (bound(&bounds.start), bound(&bounds.end));
    if let (Some(minimum), Some(maximum)) = (minimum, maximum)
        && (maximum.is_below(minimum) || (bounds.is_half_open && !minimum.is_below(maximum)))
    {
        diag.error_over(
            &bounds.whole,
            "no number is in this `range`; write the smaller bound first",
        );
    }
    (minimum, maximum, bounds.is_half_open)
}

/// The words for a key that counts.
struct Counted {
    example: &'static str,
    not_whole: &'static str,
    empty: &'static str,
}

const LENGTH: Counted = Counted {
    example: "length(1..=80)",
    not_whole: "a length is counted; write a whole number, 0 or more",
    empty: "no length is in this `length`; write the smaller bound first",
};
const ITEMS: Counted = Counted {
    example: "items(1..=3)",
    not_whole: "items are counted; write a whole number, 0 or more",
    empty: "no count is in this `items`; write the smaller bound first",
};

/// The least and the greatest count of `length(…)` or `items(…)`.
fn count(
    bounds: Option<&Bounds>,
    words: &Counted,
    diag: &mut Diagnostics,
) -> (Option<u64>, Option<u64>) {
    let Some(bounds) = bounds else {
        return (None, None);
    };
    refuse_unbounded(bounds, words.example, diag);
    let mut bound = |expr: &Option<Expr>| {
        let expr = expr.as_ref()?;
        let length = match number(expr) {
            Some(Number::Int(int)) => u64::try_from(int).ok(),
            _ => None,
        };
        if length.is_none() {
            diag.error_over(expr, words.not_whole);
        }
        length
    };
    let (minimum, end) = (bound(&bounds.start), bound(&bounds.end));
    // Counts are whole, so the last one that is allowed is known.
    let maximum = if bounds.is_half_open {
        end.and_then(|end| end.checked_sub(1))
    } else {
        end
    };
    if end.is_some()
        && maximum.is_none_or(|maximum| minimum.is_some_and(|minimum| maximum < minimum))
    {
        diag.error_over(&bounds.whole, words.empty);
    }
    (minimum, maximum)
}

fn refuse_unbounded(bounds: &Bounds, example: &str, diag: &mut Diagnostics) {
    if bounds.start.is_none() && bounds.end.is_none() {
        diag.error_over(
            &bounds.whole,
            format!("this bounds nothing; write bounds, such as `{example}`, or remove it"),
        );
    }
}

/// The number that a literal, perhaps with a minus, stands for.
fn number(expr: &Expr) -> Option<Number> {
    match ungrouped(expr) {
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => match number(&unary.expr)? {
            Number::Int(int) => int.checked_neg().map(Number::Int),
            Number::Float(float) => Some(Number::Float(-float)),
        },
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(int) => int.base10_parse().ok().map(Number::Int),
            Lit::Float(float) => float
                .base10_parse()
                .ok()
                .filter(|float: &f64| float.is_finite())
                .map(Number::Float),
            _ => None,
        },
        _ => None,
    }
}

fn regex(literal: &LitStr, diag: &mut Diagnostics) -> Option<Regex> {
    match pattern::compile(&literal.value()) {
        Ok(regex) => Some(regex),
        Err(sentence) => {
            diag.error(literal.span(), sentence);
            None
        }
    }
}

fn format_name(literal: &LitStr, diag: &mut Diagnostics) -> String {
    let name = literal.value();
    if !FORMATS.contains(&name.as_str()) {
        let hint = match nearest(&name, FORMATS) {
            Some(found) => format!("did you mean `{found}`?"),
            None => format!("formats: `{}`", FORMATS.join("`, `")),
        };
        diag.error(
            literal.span(),
            format!("JSON Schema has no format `{name}`; {hint}"),
        );
    }
    name
}
