//! What an HTTP endpoint is told once.

use std::time::Duration;

use super::origin_check::{Authority, HostPolicy, Origin};
use super::rate_limit::{Rate, RateLimiter};
use crate::transport::TransportError;

/// The rate of a sender unless one is set (server/tools, "Security Considerations": servers limit the rate of calls).
const DEFAULT_RATE: Rate = Rate {
    requests: 600_000,
    per: Duration::from_secs(60),
};

/// The options of serving over HTTP; [`HttpOptions::new`] has the defaults.
///
/// The bounds that hold for every transport, such as the size of a message, are set on the
/// [`ServerBuilder`](crate::ServerBuilder).
#[derive(Debug, Clone)]
#[must_use]
pub struct HttpOptions {
    pub(super) path: String,
    hosts: Vec<String>,
    origins: Vec<String>,
    pub(super) header_timeout: Duration,
    pub(super) body_timeout: Duration,
    pub(super) write_timeout: Duration,
    pub(super) idle_timeout: Duration,
    pub(super) drain_timeout: Duration,
    pub(super) keep_alive: Duration,
    pub(super) max_connections: usize,
    rate: Option<Rate>,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl HttpOptions {
    /// The defaults: path `/mcp`, and the names of this machine as hosts and origins.
    pub fn new() -> Self {
        Self {
            path: "/mcp".to_owned(),
            hosts: Vec::new(),
            origins: Vec::new(),
            header_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(120),
            drain_timeout: Duration::from_secs(10),
            keep_alive: Duration::from_secs(15),
            max_connections: 16_384,
            rate: Some(DEFAULT_RATE),
        }
    }

    /// Sets the path of the endpoint, `/mcp` unless set; every other path is not found.
    ///
    /// It begins with `/` and has no query; any other is refused when serving begins. It is served with and without a slash
    /// at its end. Where the service is mounted in a router, the router decides instead.
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// Serves requests for another host: `mcp.example.com` with any port, or `mcp.example.com:8443` with this one.
    ///
    /// `localhost`, `127.0.0.1` and `[::1]` on the port in use are always served, and so is the address that is
    /// listened on. A request for any other host is answered with 421, since a web page that lets its own name
    /// point to this machine could have sent it.
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(host.into());
        self
    }

    /// Serves web pages of another origin, such as `https://app.example.com`.
    ///
    /// Pages of the same host and port are always served, and so is what is no web page and sends no `Origin`.
    /// Every other origin is answered with 403. Preflights of browsers are answered, and every answer has the headers that
    /// let the page read it (CORS), without credentials: a page sends its token in `Authorization`, and cookies are not
    /// asked for. Where the service is mounted behind a middleware that refuses requests without a token, the middleware
    /// has to let `OPTIONS` pass, since a preflight has none.
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// Bounds the time in which the headers of a request have to arrive, and the first request of a connection with
    /// them; 10 seconds unless set. Over HTTP/2, requests after the first have the [`idle_timeout`](Self::idle_timeout), headers
    /// and all. A client that was refused and sends on is closed as late. It holds for the ready-made server.
    pub fn header_timeout(mut self, time: Duration) -> Self {
        self.header_timeout = time;
        self
    }

    /// Bounds the time in which the body of a request has to arrive; 30 seconds unless set.
    pub fn body_timeout(mut self, time: Duration) -> Self {
        self.body_timeout = time;
        self
    }

    /// Bounds the time in which a client has to take some of what is sent to it; 30 seconds unless set.
    ///
    /// A connection is closed, and its calls are stopped, when something has waited to be sent for this long and not a byte
    /// of it could be; over HTTP/2, when the client let no answer flow for this long, or up to twice as long. A stream that
    /// has nothing to send may stay open as long as its client likes. It holds for the ready-made server.
    pub fn write_timeout(mut self, time: Duration) -> Self {
        self.write_timeout = time;
        self
    }

    /// Closes connections that have been without a request for this long, or up to twice as long; 2 minutes unless set.
    /// It holds for the ready-made server.
    pub fn idle_timeout(mut self, time: Duration) -> Self {
        self.idle_timeout = time;
        self
    }

    /// Bounds the time that running calls get to finish when the server is told to stop; 10 seconds unless set. Each answer
    /// then says that its connection ends, and an idle connection has half a second for a request that is on its way. Async
    /// functions that block a worker are waited for as long once more, and then left to themselves.
    /// It holds for the ready-made server.
    pub fn drain_timeout(mut self, time: Duration) -> Self {
        self.drain_timeout = time;
        self
    }

    /// Sets how long a stream of events may be silent before a comment keeps it alive; 15 seconds unless set.
    pub fn keep_alive(mut self, interval: Duration) -> Self {
        self.keep_alive = interval;
        self
    }

    /// Bounds the connections that are open at one time; 16,384 unless set. Further ones wait until others are closed; there is
    /// always room for one.
    ///
    /// A call in flight and an open listen stream each keep a connection of HTTP/1.1 busy, so this belongs above the sum
    /// of their bounds; the limit of open files that the system sets belongs above this. It holds for the ready-made
    /// server.
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.max_connections = connections;
        self
    }

    /// Bounds the requests that each sender may make in a time; 600,000 a minute unless set.
    ///
    /// The default stops only a sender that makes more than 10,000 requests a second for a minute: set a rate that fits
    /// what your functions cost. [`without_rate_limit`](Self::without_rate_limit) removes the bound.
    ///
    /// `rate_limit(100, Duration::from_secs(60))` is a hundred requests a minute: all at once, or evenly, as the allowance
    /// grows back by one request every 0.6 seconds. What is beyond it is answered with 429 and a `Retry-After`
    /// in seconds.
    ///
    /// A sender is the [`Principal`](crate::Principal) of the request, if a middleware has set one. Otherwise it is the
    /// address of the peer, for IPv6 the network of its first 64 bits: the ready-made server knows it, and a service in a
    /// router takes it from the extension [`PeerAddress`](crate::http::PeerAddress). Requests without any of these count together. Behind
    /// a proxy the peer is the proxy, so set either there. The 65,536 busiest senders are remembered.
    pub fn rate_limit(mut self, requests: u32, per: Duration) -> Self {
        self.rate = Some(Rate { requests, per });
        self
    }

    /// Serves any number of requests of each sender, such as behind a proxy that bounds them.
    pub fn without_rate_limit(mut self) -> Self {
        self.rate = None;
        self
    }

    /// The rate limit, if there is one.
    pub(super) fn rate_limiter(&self) -> Result<Option<RateLimiter>, TransportError> {
        let Some(rate) = self.rate else {
            return Ok(None);
        };
        let limiter = RateLimiter::new(rate).ok_or_else(|| {
            let text = format!("{} requests in {:?}", rate.requests, rate.per);
            TransportError::invalid_option(
                "limit the rate to less than a request in some time",
                text,
            )
        })?;
        Ok(Some(limiter))
    }

    /// Refuses a path that no request could have.
    pub(super) fn check_path(&self) -> Result<(), TransportError> {
        let is_path = self.path.starts_with('/')
            && self
                .path
                .bytes()
                .all(|byte| byte.is_ascii_graphic() && !b"?#\"<>\\^`{|}".contains(&byte));
        if is_path {
            return Ok(());
        }
        Err(TransportError::invalid_option(
            "serve a path that is not the path of a URL, such as `/mcp`",
            format!("`{}`", self.path),
        ))
    }

    /// Reads the hosts and origins.
    pub(super) fn doorkeeper(&self) -> Result<HostPolicy, TransportError> {
        let wrong = |what: &'static str, text: &str| {
            TransportError::invalid_option(what, format!("`{text}`"))
        };
        let mut doorkeeper = HostPolicy::default();
        for host in &self.hosts {
            let host = Authority::parse(host).ok_or_else(|| {
                wrong(
                    "allow a host that is no `name`, `name:port` or `[address]:port`",
                    host,
                )
            })?;
            doorkeeper.hosts.push(host);
        }
        for origin in &self.origins {
            let origin = Origin::parse(origin)
                .ok_or_else(|| wrong("allow an origin that is no `scheme://host`", origin))?;
            doorkeeper.origins.push(origin);
        }
        Ok(doorkeeper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::Sender;

    #[test]
    fn requests_have_a_rate_unless_it_is_removed() {
        let limiter = HttpOptions::new().rate_limiter().unwrap().unwrap();
        for _ in 0..DEFAULT_RATE.requests {
            assert_eq!(limiter.take(Sender::Unknown, Duration::ZERO), Ok(()));
        }
        assert!(limiter.take(Sender::Unknown, Duration::ZERO).is_err());
        let unlimited = HttpOptions::new().without_rate_limit();
        assert!(unlimited.rate_limiter().unwrap().is_none());
    }
}
