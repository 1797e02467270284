//! What a query finds: values of SQLite as values of JSON, without loss where JSON can hold them.

use mcp_runtime::mcp_type;
use rusqlite::types::ValueRef;

/// The result of a query.
#[mcp_type]
pub struct Rows {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, each with one value for each column.
    pub rows: Vec<Vec<Cell>>,
    /// Whether there are more rows, which did not fit.
    pub more: bool,
}

/// A value of SQLite.
#[mcp_type]
#[serde(untagged)]
pub enum Cell {
    Null,
    Integer(i64),
    /// A finite number; infinities are texts, since JSON has none.
    Real(f64),
    Text(String),
    Blob(Blob),
}

/// Bytes, or text that is not UTF-8. `hex(substr(column, 1, 100))` in SQL reads more of them.
#[mcp_type]
pub struct Blob {
    /// How many bytes there are.
    pub bytes: usize,
    /// The first 32 of them, in hexadecimal digits.
    pub hex: String,
}

impl From<ValueRef<'_>> for Cell {
    fn from(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(integer) => Self::Integer(integer),
            ValueRef::Real(real) if real.is_finite() => Self::Real(real),
            ValueRef::Real(real) => Self::Text(real.to_string()),
            ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => Self::Text(text.to_owned()),
                Err(_) => Self::Blob(Blob::from(bytes)),
            },
            ValueRef::Blob(bytes) => Self::Blob(Blob::from(bytes)),
        }
    }
}

impl From<&[u8]> for Blob {
    fn from(bytes: &[u8]) -> Self {
        let hex = bytes
            .iter()
            .take(32)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Self {
            bytes: bytes.len(),
            hex,
        }
    }
}

impl Cell {
    /// About how many bytes the value takes in the answer.
    pub fn size(&self) -> usize {
        match self {
            Self::Null => 5,
            Self::Integer(_) | Self::Real(_) => 10,
            Self::Text(text) => text.len() + 3,
            Self::Blob(blob) => blob.hex.len() + 24,
        }
    }
}
