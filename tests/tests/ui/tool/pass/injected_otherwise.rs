use mcp_runtime::prelude::*;
use serde_json::json;

struct Db(u8);

/// Greet whoever calls.
#[mcp_tool]
fn greet(ctx: &Context) -> bool {
    ctx.principal().is_some()
}

/// Look into the database.
#[mcp_tool]
fn look(db: State<Db>) -> u8 {
    db.0
}

fn main() {
    let server = mcp_runtime::server!().state(Db(7)).build().unwrap();
    assert_eq!(server.call_blocking("greet", json!({})).text(), "false");
    assert_eq!(server.call_blocking("look", json!({})).text(), "7");
}
