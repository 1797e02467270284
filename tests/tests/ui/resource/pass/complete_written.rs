use mcp_runtime::prelude::*;

fn rows(_: &str) -> [&'static str; 1] {
    ["1"]
}

/// A row.
#[mcp_resource("rows://{row}/{other}/{third}")]
fn row(
    #[arg(complete = rows)] row: String,
    #[arg(complete(rows, inline))] other: String,
    #[arg(complete(rows, inline,))] third: String,
) -> String {
    row + &other + &third
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let result = server.read_resource_blocking("rows://1/2/3");
    assert_eq!(result["contents"][0]["text"], "123");
}
