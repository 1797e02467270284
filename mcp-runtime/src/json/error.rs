//! Why a value cannot be written as JSON, and where in it the fault is.
//!
//! Deliberately not here: what becomes of the caller whose value it was.

use std::fmt;

use super::serializer::MAX_DEPTH;

/// A value that cannot be written, with the path to the part that is at fault.
///
/// Its Display is a sentence for whoever mends the value, such as `` `rows[0].price`: NaN cannot be
/// sent as JSON ``. It is one line, unless a type's own `Serialize` failed with a text of several
/// lines, which is kept as it is.
#[derive(Debug)]
pub(crate) struct WriteError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    fault: WriteFault,
    /// Innermost first, since it is collected on the way out.
    path: Vec<Segment>,
}

/// What is wrong, wherever it stands.
#[derive(Debug, PartialEq)]
pub(super) enum WriteFault {
    /// NaN or an infinity as a value.
    NotFinite(f64),
    /// NaN or an infinity as the key of a map.
    NotFiniteKey(f64),
    /// Arrays and objects stand too deep within each other.
    TooDeep,
    /// The key of a map is neither a string nor a scalar that can be written as one.
    NotAKey,
    /// A type's own `Serialize` failed.
    Custom(String),
}

/// One step from a value to a part of it.
#[derive(Debug)]
pub(super) enum Segment {
    /// The field of a struct or the name of an enum's variant.
    Field(&'static str),
    /// The key of a map.
    Key(String),
    /// The place in an array, counted from 0.
    Index(usize),
}

impl WriteError {
    #[cold]
    pub(super) fn new(fault: WriteFault) -> Self {
        Self(Box::new(Inner {
            fault,
            path: Vec::new(),
        }))
    }

    /// The same fault, seen from one level further out.
    #[cold]
    pub(super) fn within(mut self, segment: Segment) -> Self {
        self.0.path.push(segment);
        self
    }

    /// Drops the value that could not be written; one that is nested too deep is leaked, since dropping it recurses as
    /// deep as it is nested.
    #[cold]
    pub(crate) fn release<T>(&self, value: T) {
        if self.0.fault == WriteFault::TooDeep {
            tracing::error!(
                "a value that is nested too deep is leaked: dropping it could exhaust the stack"
            );
            std::mem::forget(value);
        }
    }
}

impl serde::ser::Error for WriteError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(WriteFault::Custom(message.to_string()))
    }
}

impl std::error::Error for WriteError {}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut path = self.0.path.iter().rev();
        if let Some(first) = path.next() {
            f.write_str("`")?;
            first.write(f, "")?;
            path.try_for_each(|segment| segment.write(f, "."))?;
            f.write_str("`: ")?;
        }
        self.0.fault.fmt(f)
    }
}

impl fmt::Display for WriteFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite(value) => write!(f, "{} cannot be sent as JSON", name_of(*value)),
            Self::NotFiniteKey(value) => write!(f, "{} cannot be a key in JSON", name_of(*value)),
            Self::TooDeep => write!(f, "nested deeper than {MAX_DEPTH} levels"),
            Self::NotAKey => f.write_str(
                "only strings, numbers, booleans and plain variants can be keys in JSON",
            ),
            Self::Custom(message) => f.write_str(message),
        }
    }
}

/// The name of a number that is not finite.
fn name_of(value: f64) -> &'static str {
    if value.is_nan() {
        "NaN"
    } else if value > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    }
}

impl Segment {
    /// Writes the step; `dot` separates a name from what stands before it.
    fn write(&self, f: &mut fmt::Formatter<'_>, dot: &str) -> fmt::Result {
        let name = match self {
            Self::Index(index) => return write!(f, "[{index}]"),
            Self::Field(name) => name,
            Self::Key(name) => name.as_str(),
        };
        if is_plain(name) {
            write!(f, "{dot}{name}")
        } else {
            // Debug quotes and keeps the line whole; inside backticks a backtick would end the
            // path.
            write!(f, "[{}]", format!("{name:?}").replace('`', "\\u{60}"))
        }
    }
}

/// Whether a name in a path needs no quotes to be told from what surrounds it.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reads_from_the_outside_in() {
        let error = WriteError::new(WriteFault::NotFinite(f64::NAN))
            .within(Segment::Field("price"))
            .within(Segment::Index(0))
            .within(Segment::Field("rows"));
        assert_eq!(
            error.to_string(),
            "`rows[0].price`: NaN cannot be sent as JSON"
        );
    }

    #[test]
    fn odd_keys_are_quoted() {
        for (key, shown) in [
            ("a-b_1$", "rows.a-b_1$"),
            ("größe", "rows.größe"),
            ("", r#"rows[""]"#),
            ("a b", r#"rows["a b"]"#),
            ("a.b", r#"rows["a.b"]"#),
            ("a\n\"b", r#"rows["a\n\"b"]"#),
            ("`", r#"rows["\u{60}"]"#),
        ] {
            let error = WriteError::new(WriteFault::NotFinite(f64::INFINITY))
                .within(Segment::Key(key.into()))
                .within(Segment::Field("rows"));
            assert_eq!(
                error.to_string(),
                format!("`{shown}`: Infinity cannot be sent as JSON")
            );
        }
    }

    #[test]
    fn the_value_itself_has_no_path() {
        let error = WriteError::new(WriteFault::NotFinite(f64::NEG_INFINITY));
        assert_eq!(error.to_string(), "-Infinity cannot be sent as JSON");
    }
}
