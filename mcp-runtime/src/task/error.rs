//! Why a store cannot do what it was asked.
//!
//! Deliberately not here: a task that is not there, or that somebody else has changed. These are answers, not failures.

use std::fmt;

/// A store of tasks could not do what it was asked; nothing of it was done.
///
/// The texts are for operators: they may name files, and go to the log and never to a client.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TaskStoreError {
    /// The principal has as many running tasks as it may.
    TooManyActive(usize),
    /// The principal has as many tasks as it may, and too few of them have ended to make room.
    TooManyStored(usize),
    /// Somebody else keeps the store locked for longer than it waits.
    Locked(String),
    /// There is no room left.
    Full(String),
    /// What is stored cannot be read.
    Damaged(String),
    /// The store was written by a newer version of this library.
    Newer {
        /// The version of its layout.
        found: i64,
        /// The newest that is known here.
        known: i64,
    },
    /// The file or the database belongs to something else.
    Foreign(String),
    /// What the store has opened was deleted, moved away or replaced; what is written now would be lost.
    Replaced(String),
    /// The store cannot be reached or opened.
    Unavailable(String),
}

impl fmt::Display for TaskStoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyActive(most) => {
                write!(
                    f,
                    "{most} tasks are running; wait for one to end, or cancel it"
                )
            }
            Self::TooManyStored(most) => {
                write!(
                    f,
                    "{most} tasks are kept, and none of them has ended; wait for one to end, or cancel it"
                )
            }
            Self::Locked(text) => write!(f, "the task store is locked by somebody else: {text}"),
            Self::Full(text) => write!(f, "the task store has no room left: {text}"),
            Self::Damaged(text) => write!(f, "the task store is damaged: {text}"),
            Self::Newer { found, known } => write!(
                f,
                "the task store has layout {found}, and this program knows layouts up to {known}; use a newer program"
            ),
            Self::Foreign(text) => write!(f, "this is no task store: {text}"),
            Self::Replaced(text) => write!(
                f,
                "{text} was deleted or replaced while it was open: nothing is stored until the server is started again"
            ),
            Self::Unavailable(text) => write!(f, "the task store cannot be used: {text}"),
        }
    }
}

impl std::error::Error for TaskStoreError {}
