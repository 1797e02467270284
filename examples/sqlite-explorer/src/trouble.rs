//! Why a call found nothing, in words with which a model can mend its query.

use std::fmt;

use mcp_runtime::Context;
use rusqlite::{Connection, Error, ErrorCode};

use crate::tables;

/// Why a call found nothing.
#[derive(Debug)]
pub enum Trouble {
    /// SQLite refuses the query.
    Refused(String),
    /// The query would do more than read.
    NotReading,
    /// There is no table of this name; these are the ones there are.
    NoTable(String, Vec<String>),
    /// The text is none or more than one statement.
    NotOneStatement,
    /// The query has placeholders.
    Placeholders,
    /// The query took too long.
    TooSlow,
    /// Nobody waits for the answer.
    Cancelled,
    /// One row is larger than a whole result may be.
    RowTooLarge(usize),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(reason) => f.write_str(reason),
            Self::NotReading => f.write_str(
                "the database can only be read: write a SELECT (or WITH, VALUES, EXPLAIN), and ask describe_table for columns",
            ),
            Self::NoTable(name, tables) => {
                write!(f, "there is no table {name}; the tables are {}", tables.join(", "))
            }
            Self::NotOneStatement => f.write_str("write exactly one statement"),
            Self::Placeholders => {
                f.write_str("write values into the statement; there is nothing to fill placeholders with")
            }
            Self::TooSlow => f.write_str(
                "the query took too long and was stopped: narrow it with WHERE, or look at its plan with EXPLAIN QUERY PLAN",
            ),
            Self::Cancelled => f.write_str("the call was cancelled"),
            Self::RowTooLarge(bytes) => write!(
                f,
                "one row is larger than {bytes} bytes: select fewer columns, or parts of them with substr(column, 1, 1000)"
            ),
        }
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        match error {
            Error::Empty | Error::MultipleStatement => Self::NotOneStatement,
            Error::InvalidParameterCount(..) => Self::Placeholders,
            Error::SqlInputError {
                msg, sql, offset, ..
            } => {
                let rest = usize::try_from(offset)
                    .ok()
                    .and_then(|offset| sql.get(offset..));
                let near: String = rest.unwrap_or_default().chars().take(40).collect();
                Self::Refused(if near.is_empty() {
                    msg
                } else {
                    format!("{msg}, at: {near}")
                })
            }
            other => match other.sqlite_error_code() {
                Some(ErrorCode::AuthorizationForStatementDenied | ErrorCode::ReadOnly) => {
                    Self::NotReading
                }
                Some(ErrorCode::CannotOpen) => {
                    Self::Refused("the database file cannot be opened".into())
                }
                Some(ErrorCode::TooBig) => Self::Refused(
                    "a value is larger than 1 MiB: leave its column out, or ask for its length"
                        .into(),
                ),
                Some(ErrorCode::OutOfMemory) => Self::Refused(
                    "the query needs too much memory: sort and group fewer rows".into(),
                ),
                _ => Self::Refused(other.to_string()),
            },
        }
    }
}

impl Trouble {
    /// What went wrong with a query, with the help that the database itself can give.
    pub fn of_query(error: Error, connection: &Connection, ctx: &Context) -> Self {
        if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) {
            return if ctx.is_cancelled() {
                Self::Cancelled
            } else {
                Self::TooSlow
            };
        }
        if let Error::SqlInputError { msg, .. } | Error::SqliteFailure(_, Some(msg)) = &error
            && let Some(name) = msg.strip_prefix("no such table: ")
        {
            return Self::no_table(name, connection);
        }
        error.into()
    }

    /// There is no table of this name, but there are others.
    pub fn no_table(name: &str, connection: &Connection) -> Self {
        match tables::list(connection) {
            Ok(tables) => Self::NoTable(
                name.into(),
                tables.into_iter().map(|table| table.name).collect(),
            ),
            Err(error) => error.into(),
        }
    }
}
