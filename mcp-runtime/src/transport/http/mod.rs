//! Serving over HTTP: one endpoint that takes POST (basic/transports/streamable-http).
//!
//! [`endpoint`] is the way of one request; [`service`] offers it to routers, [`serve`] is a server that is ready to run.
//! A call runs beside its connection ([`call`]), by the same task while it is quick ([`drive`]), and the answer waits in the
//! connection: when the client goes, the connection drops the wait, and the wait stops the call. Its answer is one JSON object until the first notification makes it a stream
//! ([`events`]). There is no router here, no TLS, and no session.

mod body;
mod call;
mod closing;
mod connection;
mod cors;
mod drive;
mod endpoint;
mod events;
mod fields;
mod host;
mod later;
mod media;
mod opening;
mod options;
mod outbox;
mod owed;
mod payload;
mod peer;
mod rate;
mod serve;
mod service;
mod subscription;
#[cfg(test)]
mod tests;

pub use self::body::HttpBody;
pub use self::options::HttpOptions;
pub use self::peer::PeerAddress;
pub use self::service::HttpService;
