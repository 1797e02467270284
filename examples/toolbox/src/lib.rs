//! A library of tools: it has no server, and every program that links it serves its tools.
//!
//! ```text
//! cargo run -q -p toolbox -- call slug title="Hello, World!"    # with the server in main.rs
//! ```

use mcp_runtime::prelude::*;

/// Make the last part of a web address of a title.
#[mcp_tool(read_only)]
pub fn slug(
    /// The title.
    title: &str,
    /// Characters between the words.
    #[arg(default = "-", length(1..=3))]
    separator: String,
) -> String {
    let lower = title.to_lowercase();
    let words = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(&separator)
}

/// Count the lines, words and characters of a text.
#[mcp_tool(read_only)]
pub fn count(text: &str) -> Count {
    Count {
        lines: text.lines().count(),
        words: text.split_whitespace().count(),
        characters: text.chars().count(),
    }
}

/// How long a text is.
#[mcp_type]
#[derive(Debug, PartialEq)]
pub struct Count {
    pub lines: usize,
    /// Runs of anything but white space.
    pub words: usize,
    /// Unicode scalar values.
    pub characters: usize,
}
