//! A server as one route of an axum program, which decides who may call it and speaks TLS.
//!
//! ```text
//! MOUNTED_TOKENS=ada:s3cret cargo run -p mounted -- 127.0.0.1:8000
//! curl -s 127.0.0.1:8000/mcp -H 'Authorization: Bearer s3cret' \
//!   -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
//!   -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' -H 'Mcp-Name: remember' \
//!   -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"remember","arguments":{"note":"Feed the otters."},
//!        "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'
//! ```
//!
//! With a certificate and its key, `-- 0.0.0.0:8443 chain.pem key.pem`, it speaks TLS itself; `MOUNTED_HOST` is the name that it
//! is called by then. Behind a proxy that does so, leave them out, and let the proxy pass the `Host` header on.

mod notes;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum_server::tls_rustls::RustlsConfig;
use mcp_runtime::{
    Principal, ServerBuilder,
    http::{HttpOptions, HttpService},
};

use self::notes::Notes;

/// Who has which token. A real program asks an authorization server, or checks the signature of the token.
type Tokens = Arc<HashMap<String, Principal>>;

fn server() -> ServerBuilder {
    mcp_runtime::server!().state(Notes::default())
}

/// What answers at `/mcp`, also under the name of another host.
fn service(host: Option<&str>) -> Result<HttpService, Box<dyn std::error::Error>> {
    // Whoever is known here may send sixty requests a minute.
    let mut options = HttpOptions::new().rate_limit(60, Duration::from_secs(60));
    if let Some(host) = host {
        options = options.allow_host(host);
    }
    Ok(server().build()?.into_service_with(options)?)
}

/// The whole program, but for its sockets.
fn app(tokens: Tokens, service: HttpService) -> Router {
    Router::new()
        .route_service("/mcp", service.clone())
        // Some clients add a slash.
        .route_service("/mcp/", service)
        .layer(from_fn_with_state(tokens, authenticate))
        // What is added below the layer is not behind it.
        .route("/health", get(|| async { "well" }))
}

/// Lets those in who have a token, and says who they are.
async fn authenticate(State(tokens): State<Tokens>, mut request: Request, next: Next) -> Response {
    // A browser asks without a token whether its page may send one, and such a request reaches no tool.
    if request.method() == Method::OPTIONS {
        return next.run(request).await;
    }
    let Some(principal) = bearer(request.headers()).and_then(|token| tokens.get(token)) else {
        return (
            StatusCode::UNAUTHORIZED,
            [(header::WWW_AUTHENTICATE, "Bearer")],
        )
            .into_response();
    };
    request.extensions_mut().insert(principal.clone());
    next.run(request).await
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
}

/// Reads `name:token,name:token`.
fn tokens(text: &str) -> Tokens {
    let pairs = text.split(',').filter_map(|pair| pair.split_once(':'));
    let tokens = pairs.map(|(name, token)| (token.to_owned(), Principal::new(name)));
    Arc::new(tokens.collect())
}

#[tokio::main]
async fn main() -> ExitCode {
    match serve().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let tokens = tokens(&std::env::var("MOUNTED_TOKENS").unwrap_or_default());
    let host = std::env::var("MOUNTED_HOST").ok();
    let service = service(host.as_deref())?;
    let app = app(tokens, service.clone());
    let (address, certificate) = match &arguments[..] {
        [address] => (address, None),
        [address, chain, key] => (address, Some((chain, key))),
        _ => return Err("usage: mounted ADDRESS [CHAIN.pem KEY.pem]".into()),
    };
    let listener = std::net::TcpListener::bind(address.parse::<SocketAddr>()?)?;
    listener.set_nonblocking(true)?;
    eprintln!("serving on {}", listener.local_addr()?);
    let handle = axum_server::Handle::new();
    tokio::spawn(stop(handle.clone(), service));
    match certificate {
        None => {
            let server = axum_server::from_tcp(listener)?.handle(handle);
            server.serve(app.into_make_service()).await?;
        }
        Some((chain, key)) => {
            // It fails only if there is a provider already, which is as well.
            let _ = rustls::crypto::ring::default_provider().install_default();
            let tls = RustlsConfig::from_pem_file(chain, key).await?;
            let server = axum_server::from_tcp_rustls(listener, tls)?.handle(handle);
            server.serve(app.into_make_service()).await?;
        }
    }
    Ok(())
}

/// Gives running calls ten seconds when somebody ends the program.
async fn stop(handle: axum_server::Handle<SocketAddr>, service: HttpService) {
    match tokio::signal::ctrl_c().await {
        Ok(()) => {
            handle.graceful_shutdown(Some(Duration::from_secs(10)));
            // Clients that listen for changes would keep the program from ending, and are told that it ends.
            service.end_streams();
        }
        Err(error) => eprintln!("no signal can be heard: {error}"),
    }
}
