//! A server in a router of somebody else, who knows its callers.

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use mcp_runtime::{
    Principal, Server,
    http::{HttpOptions, PeerAddress},
};
use tokio::task::JoinHandle;

use super::peer::{Peer, Post, Reply};

/// What the middleware knows of somebody.
#[derive(Debug)]
pub(crate) struct Claims {
    pub(crate) team: String,
}

/// What the middleware attaches to a request for functions.
#[derive(Debug, Clone)]
pub(crate) struct Tenant(pub(crate) String);

fn header(request: &Request, name: &str) -> Option<String> {
    let value = request.headers().get(name)?;
    value.to_str().ok().map(str::to_owned)
}

/// Names the principal that a token stands for, and the peer that a trusted proxy names.
async fn authenticate(mut request: Request, next: Next) -> Response {
    if let Some(token) = header(&request, "authorization")
        && let Some(name) = token.strip_prefix("Bearer ")
    {
        let team = "otters".to_owned();
        let principal = Principal::new(name).with_claims(Claims { team });
        request.extensions_mut().insert(principal);
    }
    if let Some(tenant) = header(&request, "x-tenant") {
        request.extensions_mut().insert(Tenant(tenant));
    }
    if let Some(peer) = header(&request, "x-peer") {
        let address = PeerAddress(peer.parse().unwrap());
        request.extensions_mut().insert(address);
    }
    next.run(request).await
}

/// A server in axum behind a middleware that knows its callers.
pub(crate) struct Mounted {
    pub(crate) port: u16,
    serving: JoinHandle<()>,
}

impl Mounted {
    pub(crate) async fn start(server: &Server, options: HttpOptions) -> Self {
        let service = server.clone().into_service_with(options).unwrap();
        let app = Router::new()
            .route_service("/mcp", service)
            .layer(from_fn(authenticate));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let serving = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { port, serving }
    }

    pub(crate) async fn send(&self, post: &Post) -> Reply {
        let mut peer = Peer::connect(self.port).await;
        peer.write(&post.bytes(self.port)).await;
        peer.reply().await
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        self.serving.abort();
    }
}
