use mcp_runtime::prelude::*;
use serde_json::json;

struct Db(&'static str);

#[mcp_type]
struct Query {
    words: String,
}

/// Search the database.
#[mcp_tool]
fn search(db: State<Db>, query: Query) -> String {
    format!("{} in {}", query.words, db.0)
}

mod own {
    use mcp_runtime::prelude::*;

    #[mcp_type]
    pub struct Json<T>(pub T);

    #[mcp_type]
    pub struct Principal {
        pub name: String,
    }

    /// A type of one's own may be called so.
    #[mcp_tool]
    pub fn count(query: Json<super::Query>, principal: Option<Principal>) -> String {
        let name = principal.map(|principal| principal.name).unwrap_or_default();
        format!("{}{name}", query.0.words.len())
    }
}

fn main() {
    let server = mcp_runtime::server!().state(Db("books")).build().unwrap();
    let result = server.call_blocking("search", json!({"query": {"words": "otters"}}));
    assert_eq!(result.text(), "otters in books");
    let result = server.call_blocking("count", json!({"query": {"words": "otters"}, "principal": {"name": "Ada"}}));
    assert_eq!(result.text(), "6Ada");
}
