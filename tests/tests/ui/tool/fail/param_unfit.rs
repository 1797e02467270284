use mcp_runtime::prelude::*;

struct Plain;

#[derive(serde::Deserialize)]
struct WithoutSchema;

/// Take what has no JSON form.
#[mcp_tool]
fn take(plain: Plain, list: &Vec<Plain>, without_schema: WithoutSchema) {
    let _ = (plain, list, without_schema);
}

fn main() {}
