use mcp_runtime::prelude::*;

struct Db;

#[mcp_type]
struct Query {
    words: String,
}

/// Search the database.
#[mcp_tool]
fn search(State(db): State<Db>, Json(query): Json<Query>) -> String {
    query.words
}

/// Count the words of a query.
#[mcp_tool]
fn count(query: Json<Query>) -> usize {
    query.0.words.len()
}

fn main() {}
