//! Only what the protocol has is asked: URLs that are some.

use mcp_runtime::prelude::*;
use serde_json::json;

use super::client::{Request, asked};

/// Send the user to a page, awaited or returned.
#[mcp_tool(group = "valid")]
async fn visit(url: String, is_returned: bool, ctx: &Context) -> Result<String, ToolError> {
    let message = "Connect your account.";
    if is_returned {
        return Err(InputRequired::elicit_url("page", message, url).into());
    }
    let visited = ctx.elicit_url("page", message, url).await?;
    Ok(format!("{visited:?}"))
}

fn server() -> Server {
    mcp_runtime::server!().groups(["valid"]).build().unwrap()
}

#[test]
fn a_user_is_sent_to_nothing_but_a_url() {
    let server = server();
    for is_returned in [false, true] {
        let request = |url| {
            let arguments = json!({"url": url, "is_returned": is_returned});
            Request::call("visit", arguments)
        };
        for url in [
            "connect?u=1",
            "/connect",
            "//example.com",
            "",
            "https://a b",
            "example.com",
        ] {
            let (code, message) = request(url).refused(&server);
            assert_eq!(code, -32603, "{url}");
            assert!(
                message.contains("asks under `page` for what the protocol does not have: its URL"),
                "{url}: {message}"
            );
        }
        let round = request("https://example.com/connect?u=1").send(&server);
        assert_eq!(asked(&round), ["page"]);
    }
}
