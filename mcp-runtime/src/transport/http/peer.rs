//! Where a request comes from, as far as the server that took its connection says so.

use std::net::IpAddr;

/// The address of a request's peer, for the [`rate_limit`](super::HttpOptions::rate_limit) of a service that is mounted in
/// a router.
///
/// A middleware puts it into the extensions of the request: the address of the connection, or what a proxy that is trusted
/// says in a header. The ready-made server knows its connections itself. In axum it is:
///
/// ```text
/// async fn peer(ConnectInfo(address): ConnectInfo<SocketAddr>, mut request: Request, next: Next) -> Response {
///     request.extensions_mut().insert(PeerAddress(address.ip()));
///     next.run(request).await
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "an address and nothing else")]
pub struct PeerAddress(pub IpAddr);
