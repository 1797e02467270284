//! On whose behalf requests come, and how many each sender may make.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_runtime::prelude::*;
use mcp_runtime::{Principal, http::HttpOptions};
use serde_json::{Value, json};

use super::middleware::{Claims, Mounted};
use super::peer::{Post, Reply, Running};

/// Tell on whose behalf this runs.
#[mcp_tool(group = "senders")]
fn whoami(ctx: &Context) -> String {
    let Some(principal) = ctx.principal() else {
        return "nobody".to_owned();
    };
    let team = principal.claims::<Claims>().map(|claims| &*claims.team);
    format!("{} of {}", principal.id(), team.unwrap_or("no team"))
}

/// The same, for those who ask later.
#[mcp_resource("whoami://me", group = "senders")]
async fn whoami_later(ctx: Context) -> String {
    tokio::task::yield_now().await;
    whoami(&ctx)
}

/// Tell everything that the context shows of itself.
#[mcp_tool(group = "senders")]
fn reveal(ctx: &Context) -> String {
    format!("{ctx:?} {:?} {:?}", ctx.client_info(), ctx.principal())
}

#[derive(ElicitForm)]
struct Confirm {
    yes: bool,
}

/// How often `entrust` has been run.
static RUNS: AtomicUsize = AtomicUsize::new(0);

/// Remember something for the next round, and ask.
#[mcp_tool(group = "senders")]
async fn entrust(ctx: &Context) -> Result<String, ToolError> {
    RUNS.fetch_add(1, Ordering::Relaxed);
    let secret = ctx.once("secret", async { Ok::<_, ToolError>(7) }).await?;
    let answer = ctx.elicit::<Confirm>("sure", "Sure?").await?;
    let sure = answer.accepted().is_some_and(|answer| answer.yes);
    Ok(format!("{secret} {sure}"))
}

fn server() -> Server {
    mcp_runtime::server!().groups(["senders"]).build().unwrap()
}

fn ask() -> Post {
    Post::call("whoami", json!({}))
}

fn text(reply: &Reply) -> String {
    let result = &reply.json()["result"];
    let text = result["content"][0]["text"].as_str();
    text.or(result["contents"][0]["text"].as_str())
        .unwrap()
        .to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_principal_that_a_middleware_sets_reaches_every_function() {
    let mounted = Mounted::start(&server(), HttpOptions::new()).await;
    let read = Post::new("resources/read", json!({"uri": "whoami://me"}))
        .header("Mcp-Name", "whoami://me");
    for post in [ask(), read] {
        assert_eq!(text(&mounted.send(&post).await), "nobody");
        let post = post.header("Authorization", "Bearer ada");
        assert_eq!(text(&mounted.send(&post).await), "ada of otters");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_principal_is_given_to_carry_is_no_use_to_another() {
    let mounted = Mounted::start(&server(), HttpOptions::new()).await;
    let of = |name: &str, post: &Post| {
        post.clone()
            .header("Authorization", &format!("Bearer {name}"))
    };
    let first = Post::call("entrust", json!({})).body(|body| {
        body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
            json!({"elicitation": {}});
    });
    let asked = mounted.send(&of("ada", &first)).await.json()["result"].clone();
    assert_eq!(asked["resultType"], "input_required");
    let state = asked["requestState"].as_str().unwrap();
    let second = first.body(|body| {
        body["params"]["requestState"] = json!(state);
        body["params"]["inputResponses"] =
            json!({"sure": {"action": "accept", "content": {"yes": true}}});
    });
    assert_eq!(RUNS.load(Ordering::Relaxed), 1);
    for stranger in [of("eve", &second), second.clone()] {
        assert_eq!(mounted.send(&stranger).await.code(), (200, -32602));
    }
    assert_eq!(RUNS.load(Ordering::Relaxed), 1, "nothing ran for them");
    assert_eq!(text(&mounted.send(&of("ada", &second)).await), "7 true");
    assert_eq!(RUNS.load(Ordering::Relaxed), 2);
}

#[test]
fn in_process_a_principal_is_given_with_the_call() {
    let ada = Principal::new("ada").with_claims(Claims {
        team: "otters".into(),
    });
    assert_eq!(
        server().call_as_blocking(&ada, "whoami", json!({})).text(),
        "ada of otters"
    );
    assert_eq!(server().call_blocking("whoami", json!({})).text(), "nobody");
}

#[tokio::test]
async fn a_transport_of_ones_own_gives_a_principal_with_each_message() {
    let message: Value = serde_json::from_slice(&ask().body).unwrap();
    let answer = server()
        .handle_as(&Principal::new("bob"), &message)
        .await
        .unwrap();
    assert_eq!(answer["result"]["content"][0]["text"], "bob of no team");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_headers_say_goes_no_further_by_itself() {
    let running = Running::start(&server()).await;
    let post = Post::call("reveal", json!({}))
        .header("Authorization", "Bearer s3cret")
        .header("Cookie", "session=s3cret")
        .header("X-Forwarded-For", "s3cret")
        .header("Traceparent", "s3cret");
    let reply = running.send(&post).await;
    assert_eq!(reply.code(), (200, 0));
    assert!(!format!("{reply:?}").contains("s3cret"), "{reply:?}");
    assert!(!text(&reply).contains("s3cret"));
    running.stop().await;
}

fn limited(requests: u32) -> HttpOptions {
    // An allowance that does not grow back while the test runs.
    HttpOptions::new().rate_limit(requests, Duration::from_secs(3600) * requests)
}

/// Checks that a reply tells its sender to slow down.
#[track_caller]
fn assert_refused(reply: &Reply) {
    assert_eq!(reply.code(), (429, -32603));
    let wait: u64 = reply.header("retry-after").unwrap().parse().unwrap();
    assert!((3500..=3600).contains(&wait), "{wait}");
    assert!(reply.json().get("id").is_none());
    let message = format!("Too many requests: send the next in {wait} s");
    assert_eq!(reply.json()["error"]["message"], message);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_principal_has_a_rate_of_its_own_wherever_it_calls_from() {
    let mounted = Mounted::start(&server(), limited(2)).await;
    let of = |name: &str, peer: &str| {
        ask()
            .header("Authorization", &format!("Bearer {name}"))
            .header("X-Peer", peer)
    };
    for name in ["ada", "bob"] {
        for peer in ["192.0.2.1", "192.0.2.2"] {
            assert_eq!(mounted.send(&of(name, peer)).await.status, 200);
        }
        assert_refused(&mounted.send(&of(name, "192.0.2.3")).await);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_principal_each_address_has_a_rate_and_each_network_of_ipv6() {
    let mounted = Mounted::start(&server(), limited(1)).await;
    let from = |peer: &str| ask().header("X-Peer", peer);
    for peer in ["192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8:0:1::1"] {
        assert_eq!(mounted.send(&from(peer)).await.status, 200, "{peer}");
    }
    for peer in ["192.0.2.1", "::ffff:192.0.2.2", "2001:db8::2:1"] {
        assert_refused(&mounted.send(&from(peer)).await);
    }
    // Those of whom nothing is known share one.
    assert_eq!(mounted.send(&ask()).await.status, 200);
    assert_refused(&mounted.send(&ask()).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_ready_server_knows_its_peers() {
    let running = Running::start_with(&server(), limited(2)).await;
    let mut peer = running.connect().await;
    peer.write(&ask().bytes(running.port)).await;
    assert_eq!(peer.reply().await.status, 200);
    // A page of another host was turned away before it was counted, and another method was not.
    assert_eq!(
        running
            .send(&ask().header("Host", "evil.example"))
            .await
            .status,
        421
    );
    assert_eq!(
        running.send(&ask().start("GET /mcp HTTP/1.1")).await.status,
        405
    );
    assert_refused(&running.send(&ask()).await);
    peer.write(&ask().bytes(running.port)).await;
    assert_refused(&peer.reply().await);
    running.stop().await;
}

#[test]
fn a_rate_of_nothing_is_refused_at_once() {
    for (requests, per) in [(0, Duration::from_secs(1)), (1, Duration::ZERO)] {
        let options = HttpOptions::new().rate_limit(requests, per);
        let error = server().into_service_with(options).unwrap_err();
        assert!(error.to_string().contains("limit the rate"), "{error}");
    }
}
