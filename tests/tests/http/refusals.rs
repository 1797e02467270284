//! What is refused, with which status, and that the connection or the server lives on.

use std::time::Duration;

use mcp_runtime::{Profile, Server, http::HttpOptions, transport::TransportErrorKind};
use serde_json::{Value, json};

use super::peer::{Post, Reply, Running, patiently};

fn server() -> Server {
    mcp_runtime::server!().build().unwrap()
}

/// A request that is served unless something is changed in it.
fn list() -> Post {
    Post::new("tools/list", json!({}))
}

/// Sends, and checks that the error has no id and the code of an invalid request.
async fn refused(running: &Running, post: &Post) -> Reply {
    let reply = refused_with(running, post, None).await;
    assert_eq!(reply.json().get("id"), None);
    reply
}

/// The same for an error with an id, or with none.
async fn refused_with(running: &Running, post: &Post, id: Option<i64>) -> Reply {
    let reply = running.send(post).await;
    assert_eq!(reply.json()["error"]["code"], -32600, "{post:?}");
    assert_eq!(
        reply.json().get("id").and_then(Value::as_i64),
        id,
        "{post:?}"
    );
    assert_eq!(reply.header("content-type"), Some("application/json"));
    reply
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_post_is_a_method_of_the_endpoint() {
    let running = Running::start(&server()).await;
    for method in ["GET", "DELETE", "PUT", "PATCH", "OPTIONS", "post", "BREW"] {
        let reply = refused(&running, &list().start(&format!("{method} /mcp HTTP/1.1"))).await;
        assert_eq!(reply.status, 405, "{method}");
        assert_eq!(reply.header("allow"), Some("POST"));
    }
    let mut peer = running.connect().await;
    peer.write(&list().start("HEAD /mcp HTTP/1.1").bytes(running.port))
        .await;
    assert_eq!(peer.head().await.status, 405);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn responses_are_no_messages_of_clients() {
    let running = Running::start(&server()).await;
    for member in ["result", "error"] {
        // The id is one of the server's, had it asked anything.
        let response = json!({"jsonrpc": "2.0", "id": 1, member: {}});
        assert_eq!(refused(&running, &Post::raw(&response)).await.status, 400);
    }
    let contract = mcp_runtime::server!().profile(Profile::Contract);
    let running = Running::start(&contract.build().unwrap()).await;
    let response = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
    let reply = running.send(&Post::raw(&response)).await;
    assert_eq!(reply.code(), (400, -32600));
    assert_eq!(reply.json()["id"], 1);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_and_resumption_of_older_revisions_are_ignored() {
    let running = Running::start(&server()).await;
    let post = list()
        .header("Mcp-Session-Id", "1234")
        .header("Last-Event-ID", "5");
    let reply = running.send(&post).await;
    assert_eq!(reply.code(), (200, 0));
    assert_eq!(reply.header("mcp-session-id"), None);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_paths_are_not_found() {
    let running = Running::start(&server()).await;
    for path in [
        "/", "//", "/mcp//", "//mcp", "/MCP", "/mcpx", "/mcp/x", "/sse", "*",
    ] {
        let reply = refused(&running, &list().start(&format!("POST {path} HTTP/1.1"))).await;
        assert_eq!(reply.status, 404, "{path}");
        let reply = reply.json();
        let message = reply["error"]["message"].as_str().unwrap();
        assert!(message.contains("`/mcp`"), "{message}");
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_endpoint_is_served_with_and_without_a_final_slash() {
    for (path, served) in [
        ("/mcp", &["/mcp", "/mcp/", "/mcp?x=1", "/mcp/?x=1"][..]),
        ("/mcp/", &["/mcp", "/mcp/"]),
        ("/a/b", &["/a/b", "/a/b/"]),
        ("/", &["/", "/?x=1"]),
    ] {
        let options = HttpOptions::new().path(path);
        let running = Running::start_with(&server(), options).await;
        for path in served {
            let post = list().start(&format!("POST {path} HTTP/1.1"));
            assert_eq!(running.send(&post).await.code(), (200, 0), "{path}");
            let get = list().start(&format!("GET {path} HTTP/1.1"));
            assert_eq!(refused(&running, &get).await.status, 405, "{path}");
        }
        let other = list().start("POST /other HTTP/1.1");
        let reply = refused(&running, &other).await;
        assert_eq!(reply.status, 404);
        let message = reply.json()["error"]["message"].to_string();
        assert!(message.contains(&format!("`{path}`")), "{message}");
        running.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hosts_and_origins_are_compared_as_wholes() {
    let options = HttpOptions::new()
        .path("/tools")
        .allow_host("mcp.example.com")
        .allow_origin("https://app.example.com");
    let running = Running::start_with(&server(), options).await;
    let port = running.port;
    let list = list().start("POST /tools HTTP/1.1");
    let status = async |headers: &[(&str, &str)]| {
        let post = headers
            .iter()
            .fold(list.clone(), |post, (name, value)| post.header(name, value));
        running.send(&post).await.status
    };
    for (host, expected) in [
        (format!("localhost:{port}"), 200),
        (format!("[::1]:{port}"), 200),
        ("mcp.example.com".into(), 200),
        ("evil.example".into(), 421),
        ("localhost".into(), 421),
        (format!("localhost.evil.example:{port}"), 421),
        (format!("127.0.0.1.nip.example:{port}"), 421),
        (format!("127.0.0.1@evil.example:{port}"), 421),
        (String::new(), 421),
    ] {
        assert_eq!(status(&[("Host", &host)]).await, expected, "{host}");
    }
    for (origin, expected) in [
        (format!("http://127.0.0.1:{port}"), 200),
        (format!("http://localhost:{port}"), 200),
        (format!("http://[::1]:{port}"), 200),
        ("https://app.example.com".into(), 200),
        ("http://app.example.com".into(), 403),
        ("https://app.example.com.evil.example".into(), 403),
        ("http://evil.example".into(), 403),
        (format!("http://localhost.evil.example:{port}"), 403),
        ("http://localhost:1".into(), 403),
        ("null".into(), 403),
        (String::new(), 403),
    ] {
        assert_eq!(status(&[("Origin", &origin)]).await, expected, "{origin}");
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_that_may_not_ask_gets_403_whichever_host_it_names() {
    let options = HttpOptions::new().allow_origin("https://app.example.com");
    let running = Running::start_with(&server(), options).await;
    let port = running.port;
    let own = format!("127.0.0.1:{port}");
    let hosts: [(&[&str], u16); 4] = [
        (&[&own], 200),
        (&["evil.example"], 421),
        (&[], 400),
        (&[&own, &own], 400),
    ];
    let page = format!("http://localhost:{port}");
    let origins: [(&[&str], bool); 8] = [
        (&[], true),
        (&["https://app.example.com"], true),
        (&[&page], true),
        (&["http://evil.example"], false),
        (&["null"], false),
        (&[""], false),
        (&["http://localhost:1"], false),
        (&[&page, &page], false),
    ];
    for (hosts, of_host) in hosts {
        for (origins, admitted) in origins {
            // Without the host that is put in where there is none.
            let marker = "Host: marker";
            let mut post = list().header("Host", "marker");
            for host in hosts {
                post = post.header("Host", host);
            }
            for origin in origins {
                post = post.header("Origin", origin);
            }
            let bytes = String::from_utf8(post.bytes(port)).unwrap();
            let bytes = bytes.replacen(&format!("{marker}\r\n"), "", 1);
            let mut peer = running.connect().await;
            peer.write(bytes.as_bytes()).await;
            let expected = if admitted { of_host } else { 403 };
            let status = peer.reply().await.status;
            assert_eq!(status, expected, "{hosts:?} {origins:?}");
        }
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_door_comes_before_the_method_and_the_body() {
    let running = Running::start(&server()).await;
    let get = Post::bytes_of(Vec::new()).start("GET /mcp HTTP/1.1");
    let get = get.header("Origin", "http://evil.example");
    assert_eq!(refused(&running, &get).await.status, 403);
    let nonsense = Post::bytes_of(b"{".to_vec()).with("Host", "evil.example");
    assert_eq!(refused(&running, &nonsense).await.status, 421);
    running.stop().await;
}

#[tokio::test]
async fn hosts_that_cannot_be_read_are_told_before_serving() {
    for options in [
        HttpOptions::new().allow_host("https://example.com"),
        HttpOptions::new().allow_host("::1"),
        HttpOptions::new().allow_origin("example.com"),
        HttpOptions::new().allow_origin("https://example.com/path"),
    ] {
        let error = server().into_service_with(options).unwrap_err();
        assert!(error.to_string().starts_with("could not allow"), "{error}");
        assert_eq!(error.kind(), TransportErrorKind::InvalidOption);
    }
}

#[tokio::test]
async fn an_address_in_use_is_an_error_of_the_start() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let server = server();
    let error = patiently(server.serve_http(address)).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Start);
}

#[tokio::test]
async fn a_path_that_no_request_has_is_told_before_serving() {
    for path in ["mcp", "", "/x?y", "/a b", "/é"] {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let options = HttpOptions::new().path(path);
        let server = server();
        let served = server.serve_http_on(listener, options, std::future::pending::<()>());
        let error = patiently(served).await.unwrap_err();
        assert!(error.to_string().contains(&format!("`{path}`")), "{error}");
        assert_eq!(error.kind(), TransportErrorKind::InvalidOption);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn media_types_are_parsed() {
    let running = Running::start(&server()).await;
    for (value, expected) in [
        ("application/json", 200),
        ("APPLICATION/JSON", 200),
        ("application/json; charset=utf-8", 200),
        ("text/plain; a=application/json", 415),
        ("text/plain", 415),
        ("application/json; charset=latin1", 415),
        ("", 415),
    ] {
        let reply = running.send(&list().with("Content-Type", value)).await;
        assert_eq!(reply.status, expected, "{value}");
    }
    assert_eq!(
        refused(&running, &list().without("Content-Type"))
            .await
            .status,
        415
    );
    let zipped = list().header("Content-Encoding", "gzip");
    assert_eq!(refused(&running, &zipped).await.status, 415);
    for (value, expected) in [
        ("*/*", 200),
        ("application/*", 200),
        ("application/json", 200),
        ("text/event-stream, application/json", 200),
        ("text/html", 406),
        ("application/json;q=0", 406),
    ] {
        let reply = running.send(&list().with("Accept", value)).await;
        assert_eq!(reply.status, expected, "{value}");
    }
    assert_eq!(running.send(&list().without("Accept")).await.status, 200);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_is_packed_for_the_way_is_not_unpacked() {
    let running = Running::start(&server()).await;
    let mut chunked = list();
    let length = format!("{:x}\r\n", chunked.body.len()).into_bytes();
    chunked.body = [&length, &chunked.body[..], b"\r\n0\r\n\r\n"].concat();
    for plain in ["chunked", "Chunked"] {
        let post = chunked.clone().header("Transfer-Encoding", plain);
        assert_eq!(running.send(&post).await.code(), (200, 0));
    }
    for packed in ["gzip, chunked", "identity, chunked", "x, deflate, chunked"] {
        let post = chunked.clone().header("Transfer-Encoding", packed);
        assert_eq!(refused(&running, &post).await.status, 501, "{packed}");
    }
    let twice = chunked
        .header("Transfer-Encoding", "gzip")
        .header("Transfer-Encoding", "chunked");
    assert_eq!(refused(&running, &twice).await.status, 501);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_request_is_answered_with_400() {
    let running = Running::start(&server()).await;
    for (body, code) in [
        (&b""[..], -32700),
        (b"{", -32700),
        (b"{}x", -32700),
        (b"\xff\xfe", -32700),
        (br#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#, -32700),
        (b"[]", -32600),
        (
            b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}]",
            -32600,
        ),
        (b"1", -32600),
        (b"{}", -32600),
        (br#"{"jsonrpc":"2.0","id":1,"result":{}}"#, -32600),
        (
            br#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#,
            -32600,
        ),
        (
            br#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}"#,
            -32600,
        ),
    ] {
        let mut post = list();
        post.body = body.to_vec();
        let reply = running.send(&post).await;
        assert_eq!(
            reply.code(),
            (400, code),
            "{}",
            String::from_utf8_lossy(body)
        );
    }
    let deep = Post::bytes_of([b"[".repeat(100), b"]".repeat(100)].concat());
    assert_eq!(running.send(&deep).await.code(), (400, -32700));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_error_has_the_id_wherever_it_can_be_read() {
    let small = mcp_runtime::server!()
        .max_message_size(1000)
        .build()
        .unwrap();
    let running = Running::start(&small).await;
    let long = "x".repeat(10_000);
    for (status, body) in [
        (
            400,
            r#"{"method":"\ud800","params":{"id":1},"id":"a"}"#.to_owned(),
        ),
        (400, r#"{"id":"a","method":"tools/li"#.to_owned()),
        (
            400,
            r#"{"id":"a","method":"tools/list","method":"x"}"#.to_owned(),
        ),
        (
            413,
            format!(r#"{{"jsonrpc":"2.0","method":"{long}","id":"a"}}"#),
        ),
        (
            413,
            format!(r#"{{"id":"a","jsonrpc":"2.0","params":{{"id":1,"x":"{long}"}}}}"#),
        ),
    ] {
        let mut post = list();
        post.body = body.into_bytes();
        let mut chunked = post.clone().header("Transfer-Encoding", "chunked");
        let chunks = post
            .body
            .chunks(700)
            .map(|chunk| [format!("{:x}\r\n", chunk.len()).as_bytes(), chunk, b"\r\n"].concat());
        chunked.body = [chunks.collect::<Vec<_>>().concat(), b"0\r\n\r\n".to_vec()].concat();
        for post in [post, chunked] {
            let reply = running.send(&post).await;
            assert_eq!(reply.status, status, "{}", reply.json());
            assert_eq!(reply.json()["id"], "a");
        }
    }
    let mut post = Post::call("add", json!({"a": 1, "b": 2}));
    let whole = String::from_utf8(post.body).unwrap();
    post.body = whole.replace("\"b\":2", "\"b\":\"\\udc00\"").into_bytes();
    let reply = running.send(&post).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.json()["result"]["isError"], true, "{}", reply.json());
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bom_and_blank_space_around_a_message_are_no_fault() {
    let running = Running::start(&server()).await;
    let mut post = list();
    post.body = [b"\xef\xbb\xbf \r\n".as_slice(), &post.body, b"\r\n"].concat();
    assert_eq!(running.send(&post).await.code(), (200, 0));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_much_is_refused_while_it_is_read() {
    let server = mcp_runtime::server!()
        .max_message_size(1000)
        .build()
        .unwrap();
    let options = HttpOptions::new().body_timeout(Duration::from_millis(200));
    let running = Running::start_with(&server, options).await;
    let sized = |size: usize| {
        let mut post = list();
        let length = post.body.len();
        post.body.extend(std::iter::repeat_n(b' ', size - length));
        post
    };
    assert_eq!(running.send(&sized(1000)).await.code(), (200, 0));
    let one_more = refused_with(&running, &sized(1001), Some(1)).await;
    assert_eq!(one_more.status, 413);
    // Far too much is announced, and never sent.
    let announced = list().header("Content-Length", "99999999999");
    assert_eq!(refused(&running, &announced).await.status, 413);
    // Not announced, and without an end: it is read on for its id for as long as a body may take.
    let mut endless = list().header("Transfer-Encoding", "chunked");
    endless.body = [b"400\r\n".to_vec(), vec![b' '; 1024], b"\r\n".to_vec()].concat();
    let refused = refused(&running, &endless).await;
    assert_eq!(refused.status, 413);
    assert_eq!(refused.header("connection"), Some("close"));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_does_not_arrive_is_not_waited_for() {
    let options = HttpOptions::new().body_timeout(Duration::from_millis(50));
    let running = Running::start_with(&server(), options).await;
    let mut slow = list().header("Content-Length", "1000");
    slow.body.truncate(10);
    let refused = refused_with(&running, &slow, Some(1)).await;
    assert_eq!(refused.status, 408);
    // RFC 9110, section 15.5.9.
    assert_eq!(refused.header("connection"), Some("close"));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn metadata_versions_and_methods_have_their_statuses() {
    let running = Running::start(&server()).await;
    let code = async |post: Post| running.send(&post).await.code();
    let meta = |key: &'static str| {
        list().body(move |body| {
            let meta = &mut body["params"]["_meta"];
            meta.as_object_mut().unwrap().remove(key);
        })
    };
    let no_meta = list().body(|body| body["params"] = json!({}));
    assert_eq!(code(no_meta).await, (400, -32602));
    assert_eq!(
        code(meta("io.modelcontextprotocol/protocolVersion")).await,
        (400, -32602)
    );
    assert_eq!(
        code(meta("io.modelcontextprotocol/clientCapabilities")).await,
        (400, -32602)
    );
    let future = list().with("MCP-Protocol-Version", "v999").body(|body| {
        body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("v999");
    });
    let reply = running.send(&future).await;
    assert_eq!(reply.code(), (400, -32022));
    assert_eq!(
        reply.json()["error"]["data"],
        json!({"supported": ["2026-07-28"], "requested": "v999"})
    );
    for method in [
        "no/such",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "prompts/get",
        "",
    ] {
        let reply = running.send(&Post::new(method, json!({}))).await;
        assert_eq!(reply.code(), (404, -32601), "{method}");
        assert_eq!(reply.json()["id"], 1);
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handshake_is_told_what_is_served() {
    let running = Running::start(&server()).await;
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}});
    let bare = running.send(&Post::raw(&initialize)).await;
    assert_eq!(bare.code(), (400, -32020));
    let modern = Post::raw(&initialize)
        .header("MCP-Protocol-Version", "2026-07-28")
        .header("Mcp-Method", "initialize");
    let modern = running.send(&modern).await;
    assert_eq!(modern.code(), (404, -32601));
    for reply in [bare, modern] {
        let error = &reply.json()["error"];
        assert_eq!(error["data"]["supported"], json!(["2026-07-28"]));
        assert!(error["message"].as_str().unwrap().contains("2026-07-28"));
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_contract_profile_asks_for_no_headers() {
    let server = mcp_runtime::server!()
        .profile(Profile::Contract)
        .build()
        .unwrap();
    let running = Running::start(&server).await;
    let list = Post::raw(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    assert_eq!(running.send(&list).await.code(), (200, 0));
    running.stop().await;
}
