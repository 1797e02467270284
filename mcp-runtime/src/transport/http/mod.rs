//! Serving over HTTP: one endpoint that takes POST (basic/transports/streamable-http).
//!
//! [`endpoint`] is the way of one request; [`service`] offers it to routers, [`serve`] is a server that is ready to run.
//! A call ([`call`]) is polled by the task of its connection, or runs on a thread that may block; when the client goes, the
//! connection drops the call, which cancels it. Its answer is one JSON object until the first notification makes it a stream
//! ([`events`]). There is no router here, no TLS, and no session.

mod call;
mod call_channel;
mod closing;
mod connection;
mod cors;
mod counted_bytes;
mod deadline;
mod endpoint;
mod events;
mod fields;
mod media;
mod opening;
mod options;
mod origin_check;
mod peer;
mod rate_limit;
mod request_body;
mod request_head;
mod response_body;
mod sender;
mod serve;
mod service;
mod subscription;
#[cfg(test)]
mod tests;

pub use self::options::HttpOptions;
pub use self::peer::PeerAddress;
pub use self::response_body::HttpBody;
pub use self::service::HttpService;
