//! Whole expansions, held against the golden files beside this one, and whole lists of mistakes.
//!
//! No compiler runs here. `UPDATE_GOLDEN=1 cargo test -p mcp-macros` writes the files anew.

mod expansion;
mod mistakes;
