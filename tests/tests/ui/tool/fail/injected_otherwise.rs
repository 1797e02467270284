use mcp_runtime::Principal;
use mcp_runtime::prelude::*;

struct Db;

/// Greet whoever calls.
#[mcp_tool]
fn greet(principal: &Principal) -> String {
    format!("{principal:?}")
}

/// Greet whoever calls.
#[mcp_prompt]
fn welcome(principal: Option<Principal>) -> String {
    format!("{principal:?}")
}

/// Look into the database, if there is one.
#[mcp_tool]
fn look(db: Option<State<Db>>) -> bool {
    db.is_some()
}

fn main() {}
