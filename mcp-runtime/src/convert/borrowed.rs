//! What a `&T` parameter owns while the function runs.

use std::path::{Path, PathBuf};

/// Says which owned type stands behind a parameter that is a reference.
///
/// A parameter `&str` is decoded as a `String` and lent to the function; `&Path` as a `PathBuf`, `&[T]` as a `Vec<T>`,
/// and any other `&T` as a `T`.
pub trait Borrowed {
    /// The type that is decoded and kept for the time of the call.
    type Owned;

    /// Lends the owned value to the function.
    fn lend(owned: &Self::Owned) -> &Self;
}

impl Borrowed for str {
    type Owned = String;

    fn lend(owned: &String) -> &Self {
        owned
    }
}

impl Borrowed for Path {
    type Owned = PathBuf;

    fn lend(owned: &PathBuf) -> &Self {
        owned
    }
}

impl<T> Borrowed for [T] {
    type Owned = Vec<T>;

    fn lend(owned: &Vec<T>) -> &Self {
        owned
    }
}

impl<T> Borrowed for T {
    type Owned = T;

    fn lend(owned: &T) -> &Self {
        owned
    }
}
