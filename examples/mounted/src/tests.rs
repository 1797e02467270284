//! Who is let in, what belongs to whom, and how much anybody may ask.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

use super::*;

fn mounted() -> Router {
    let service = service(Some("notes.example")).unwrap();
    app(tokens("ada:one,bob:two"), service)
}

/// A call, as a client of this revision sends it.
fn call(token: &str, tool: &str, arguments: Value) -> Request<Body> {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    Request::post("/mcp")
        .header("Host", "notes.example")
        .header("Authorization", format!("Bearer {token}"))
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", "2026-07-28")
        .header("Mcp-Method", "tools/call")
        .header("Mcp-Name", tool)
        .body(body.to_string().into())
        .unwrap()
}

async fn send(app: &Router, request: Request<Body>) -> Response {
    app.clone().oneshot(request).await.unwrap()
}

/// The text of a call that is served.
async fn served(app: &Router, request: Request<Body>) -> String {
    let response = send(app, request).await;
    assert_eq!(response.status(), StatusCode::OK);
    let body = response.into_body().collect().await.unwrap().to_bytes();
    let answer: Value = serde_json::from_slice(&body).unwrap();
    answer["result"]["content"][0]["text"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn browsers_ask_without_a_token_what_a_page_may_send() {
    let app = mounted();
    for path in ["/mcp", "/mcp/"] {
        let preflight = Request::options(path)
            .header("Host", "notes.example")
            .header("Origin", "https://notes.example")
            .header("Access-Control-Request-Method", "POST")
            .header("Access-Control-Request-Headers", "authorization,mcp-method");
        let response = send(&app, preflight.body(Body::empty()).unwrap()).await;
        assert_eq!(response.status(), StatusCode::NO_CONTENT);
        let headers = response.headers();
        assert_eq!(
            headers["access-control-allow-origin"],
            "https://notes.example"
        );
        assert_eq!(
            headers["access-control-allow-headers"],
            "authorization,mcp-method"
        );
    }
    let options = Request::options("/mcp").header("Host", "notes.example");
    let response = send(&app, options.body(Body::empty()).unwrap()).await;
    assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn only_those_with_a_token_are_let_in() {
    let app = mounted();
    for token in ["", "three", "ada"] {
        let response = send(&app, call(token, "recall", json!({}))).await;
        assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
        assert_eq!(response.headers()["www-authenticate"], "Bearer");
    }
    let health = Request::get("/health").body(Body::empty()).unwrap();
    assert_eq!(send(&app, health).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn notes_belong_to_who_made_them() {
    let app = mounted();
    let note = json!({"note": "Feed the otters."});
    assert_eq!(served(&app, call("one", "remember", note)).await, "1");
    assert_eq!(
        served(&app, call("one", "recall", json!({}))).await,
        r#"["Feed the otters."]"#
    );
    assert_eq!(served(&app, call("two", "recall", json!({}))).await, "[]");
}

#[tokio::test]
async fn who_asks_too_much_is_told_when_to_come_back() {
    let app = mounted();
    for _ in 0..60 {
        served(&app, call("one", "recall", json!({}))).await;
    }
    let response = send(&app, call("one", "recall", json!({}))).await;
    assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(response.headers()["retry-after"], "1");
    assert_eq!(served(&app, call("two", "recall", json!({}))).await, "[]");
}
