//! Tools that keep what belongs to somebody apart from what belongs to others.

use std::collections::HashMap;
use std::sync::Mutex;

use mcp_runtime::prelude::*;

/// The notes of everybody, by the identifier of their principal.
#[derive(Default)]
pub(crate) struct Notes(Mutex<HashMap<String, Vec<String>>>);

/// The identifier of the one who calls.
struct Owner(String);

impl FromContext for Owner {
    fn from_context(context: &Context) -> Result<Self, ToolError> {
        let principal = context
            .principal()
            .ok_or_else(|| ToolError::new("notes belong to somebody, and nobody asks"))?;
        Ok(Self(principal.id().to_owned()))
    }
}

/// Remember a note.
#[mcp_tool(destructive = false)]
fn remember(
    /// What to remember.
    #[arg(length(1..=1000))]
    note: String,
    owner: Owner,
    notes: State<Notes>,
) -> Result<usize, ToolError> {
    let mut notes = notes.0.lock()?;
    let own = notes.entry(owner.0).or_default();
    own.push(note);
    Ok(own.len())
}

/// Recall all notes.
#[mcp_tool(read_only)]
fn recall(owner: Owner, notes: State<Notes>) -> Result<Vec<String>, ToolError> {
    Ok(notes.0.lock()?.get(&owner.0).cloned().unwrap_or_default())
}
