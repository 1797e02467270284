use mcp_runtime::prelude::*;

/// The weather.
#[mcp_resource("weather://now")]
async fn weather() -> String {
    "fair".to_owned()
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let result = server.read_resource_blocking("weather://now");
    assert_eq!(result["contents"][0]["text"], "fair");
}
