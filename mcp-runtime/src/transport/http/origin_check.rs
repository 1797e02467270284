//! Who may be asked for, and by which web pages: `Host` and `Origin` (basic/transports/streamable-http, "Security & Endpoint").
//!
//! Both are parsed and then compared as wholes, never by their beginning or end.

use std::net::{Ipv6Addr, SocketAddr};

use http::{Uri, Version};

use super::fields::{Fields, Lines};

/// A host and perhaps a port, as in `localhost:8080` or `[::1]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Authority {
    /// In lower case; IPv6 without brackets.
    host: String,
    port: Option<u16>,
}

impl Authority {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (address, after) = rest.split_once(']')?;
                let address: Ipv6Addr = address.parse().ok()?;
                let port = match after {
                    "" => None,
                    _ => Some(after.strip_prefix(':')?),
                };
                (address.to_string(), port)
            }
            None => {
                let (host, port) = match text.split_once(':') {
                    Some((host, port)) => (host, Some(port)),
                    None => (text, None),
                };
                let valid = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
                if host.is_empty() || !host.bytes().all(valid) {
                    return None;
                }
                (host.to_ascii_lowercase(), port)
            }
        };
        let port = match port {
            None => None,
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                Some(digits.parse().ok()?)
            }
            Some(_) => return None,
        };
        Some(Self { host, port })
    }

    fn of(address: SocketAddr) -> Self {
        Self {
            host: address.ip().to_canonical().to_string(),
            port: Some(address.port()),
        }
    }

    fn is_loopback(&self) -> bool {
        matches!(self.host.as_str(), "localhost" | "127.0.0.1" | "::1")
    }

    /// Whether this, as it was allowed, covers a host that is asked for: without a port it covers all.
    fn covers(&self, asked: &Self) -> bool {
        self.host == asked.host && self.port.is_none_or(|port| asked.is_on(port))
    }

    fn is_on(&self, port: u16) -> bool {
        self.port.map_or(is_default(port), |own| own == port)
    }
}

/// Whether a port goes unsaid under one of the schemes that lead here.
fn is_default(port: u16) -> bool {
    port == 80 || port == 443
}

/// Where a web page comes from, as in `https://app.example.com`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Origin {
    /// In lower case.
    scheme: String,
    /// Without the scheme's default port.
    authority: Authority,
}

impl Origin {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (scheme, authority) = text.split_once("://")?;
        let valid = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        if scheme.is_empty() || !scheme.bytes().all(valid) {
            return None;
        }
        let scheme = scheme.to_ascii_lowercase();
        let mut authority = Authority::parse(authority)?;
        if authority.port.is_some() && authority.port == default_port(&scheme) {
            authority.port = None;
        }
        Some(Self { scheme, authority })
    }

    fn port(&self) -> Option<u16> {
        self.authority.port.or_else(|| default_port(&self.scheme))
    }

    /// Whether the page was served by the host and port that it now asks; the names of this machine are one host.
    fn is_of(&self, asked: &Authority) -> bool {
        let Some(default) = default_port(&self.scheme) else {
            return false;
        };
        let host = self.authority.host == asked.host
            || (self.authority.is_loopback() && asked.is_loopback());
        host && self.port() == Some(asked.port.unwrap_or(default))
    }
}

fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}

/// Which hosts and origins are served.
#[derive(Debug, Clone, Default)]
pub(super) struct HostPolicy {
    /// The port that is served, if it is known here: under loopback names, only this one is right.
    pub(super) port: Option<u16>,
    pub(super) hosts: Vec<Authority>,
    pub(super) origins: Vec<Origin>,
    /// The loopback names as most clients write them, which are served without a closer look.
    usual: Vec<String>,
}

/// Why a request is turned away at the door.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RejectedRequest {
    /// It names no host, or several.
    NoHost,
    /// It asks for a host that is not served here.
    Host,
    /// It comes from a web page that may not ask.
    Origin,
}

impl HostPolicy {
    /// Serves the address that is listened on under its own name, too.
    pub(super) fn bound_to(&mut self, address: SocketAddr) {
        let port = address.port();
        self.port = Some(port);
        self.usual = vec![format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        if !address.ip().to_canonical().is_unspecified() {
            self.hosts.push(Authority::of(address));
        }
    }

    /// Returns `true` if only the names of this machine are served.
    pub(super) fn is_loopback_only(&self) -> bool {
        self.hosts.iter().all(Authority::is_loopback)
    }

    /// Looks at every host that the request names, and at its origin if it has one.
    ///
    /// A page that may not ask is told so, as the specification demands, whatever is wrong with the host.
    pub(super) fn check(
        &self,
        uri: &Uri,
        version: Version,
        fields: &Fields<'_>,
    ) -> Result<(), RejectedRequest> {
        if let (Lines::One(host), Lines::None, None) = (fields.host, fields.origin, uri.authority())
            && self.usual.iter().any(|usual| host == usual.as_str())
        {
            return Ok(());
        }
        let asked = self.asked(uri, version, fields.host);
        let may_ask = match fields.origin {
            Lines::None => true,
            Lines::One(origin) => {
                let origin = origin.to_str().ok().and_then(Origin::parse);
                origin.is_some_and(|origin| self.admits(&origin, &asked))
            }
            Lines::Several => false,
        };
        if may_ask {
            asked.map(|_| ())
        } else {
            Err(RejectedRequest::Origin)
        }
    }

    /// The host that is asked for, if the request names one and each that it names is served.
    fn asked(
        &self,
        uri: &Uri,
        version: Version,
        host: Lines<'_>,
    ) -> Result<Option<Authority>, RejectedRequest> {
        let host = match host {
            Lines::None if uri.authority().is_none() && version >= Version::HTTP_11 => {
                // HTTP/1.1 requests carry the header, those of HTTP/2 the pseudo-header that `uri` holds.
                return Err(RejectedRequest::NoHost);
            }
            Lines::Several => return Err(RejectedRequest::NoHost),
            Lines::None => None,
            Lines::One(host) => Some(host),
        };
        let named = host.map(|host| host.to_str().ok());
        let routed = uri.authority().map(|authority| Some(authority.as_str()));
        let mut asked = None;
        for text in named.into_iter().chain(routed) {
            let authority = text
                .and_then(Authority::parse)
                .filter(|authority| self.serves(authority));
            asked = Some(authority.ok_or(RejectedRequest::Host)?);
        }
        Ok(asked)
    }

    fn serves(&self, asked: &Authority) -> bool {
        let local = asked.is_loopback() && self.port.is_none_or(|port| asked.is_on(port));
        local || self.hosts.iter().any(|host| host.covers(asked))
    }

    /// Whether pages of an origin may ask: those that are allowed, and those of the host that is asked for.
    ///
    /// Where no host is asked for that is served, the pages of every host that is may have asked.
    fn admits(&self, origin: &Origin, asked: &Result<Option<Authority>, RejectedRequest>) -> bool {
        let of_host = match asked {
            Ok(asked) => asked.as_ref().is_some_and(|asked| origin.is_of(asked)),
            Err(_) => default_port(&origin.scheme).is_some() && self.serves(&origin.authority),
        };
        of_host || self.origins.contains(origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::header::{HOST, HeaderMap, ORIGIN};

    fn doorkeeper() -> HostPolicy {
        HostPolicy {
            port: Some(8080),
            hosts: vec![
                Authority::parse("mcp.example.com").unwrap(),
                Authority::parse("exact.example:9000").unwrap(),
            ],
            origins: vec![Origin::parse("https://app.example.com").unwrap()],
            usual: Vec::new(),
        }
    }

    fn check(host: &str, origin: Option<&str>) -> Result<(), RejectedRequest> {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(ORIGIN, origin.parse().unwrap());
        }
        doorkeeper().check(
            &Uri::from_static("/mcp"),
            Version::HTTP_11,
            &Fields::read(&headers),
        )
    }

    #[test]
    fn loopback_names_are_served_on_the_port_in_use() {
        for host in [
            "localhost:8080",
            "LOCALHOST:8080",
            "127.0.0.1:8080",
            "[::1]:8080",
        ] {
            assert_eq!(check(host, None), Ok(()), "{host}");
        }
        for host in [
            "localhost",
            "localhost:8081",
            "localhost.:8080",
            "localhost.evil.example:8080",
            "127.0.0.1.nip.example:8080",
            "127.0.0.2:8080",
            "user@localhost:8080",
            "localhost:8080:8080",
            "localhost:",
            "localhost:99999",
            "[::1",
            "::1",
            "[::2]:8080",
            "",
            "evil.example",
        ] {
            assert_eq!(check(host, None), Err(RejectedRequest::Host), "{host}");
        }
    }

    #[test]
    fn allowed_hosts_are_compared_as_wholes() {
        for host in [
            "mcp.example.com",
            "mcp.example.com:443",
            "MCP.example.com:1",
            "exact.example:9000",
        ] {
            assert_eq!(check(host, None), Ok(()), "{host}");
        }
        for host in [
            "xmcp.example.com",
            "mcp.example.com.evil",
            "example.com",
            "exact.example",
            "exact.example:90",
        ] {
            assert_eq!(check(host, None), Err(RejectedRequest::Host), "{host}");
        }
    }

    #[test]
    fn pages_of_the_same_host_and_port_may_ask() {
        for origin in [
            "http://localhost:8080",
            "http://127.0.0.1:8080",
            "http://[::1]:8080",
            "https://app.example.com",
            "https://app.example.com:443",
        ] {
            assert_eq!(check("127.0.0.1:8080", Some(origin)), Ok(()), "{origin}");
        }
        assert_eq!(
            check("mcp.example.com", Some("https://mcp.example.com")),
            Ok(())
        );
    }

    #[test]
    fn other_pages_may_not_ask() {
        for origin in [
            "null",
            "",
            "http://evil.example",
            "http://localhost.evil.example",
            "http://localhost.evil.example:8080",
            "http://127.0.0.1.nip.example:8080",
            "http://localhost:8081",
            "http://localhost",
            "http://localhost:8080/",
            "http://a@localhost:8080",
            "http://app.example.com",
            "https://app.example.com.evil.example",
            "file://localhost:8080",
            "localhost:8080",
        ] {
            assert_eq!(
                check("127.0.0.1:8080", Some(origin)),
                Err(RejectedRequest::Origin),
                "{origin}"
            );
        }
    }

    #[test]
    fn what_is_wrong_with_the_host_is_told_to_pages_that_may_ask() {
        for (origin, told) in [
            ("https://app.example.com", RejectedRequest::Host),
            ("http://localhost:8080", RejectedRequest::Host),
            ("https://mcp.example.com", RejectedRequest::Host),
            ("http://exact.example:9000", RejectedRequest::Host),
            // The page has the host's name from whoever lets it point here.
            ("http://evil.example", RejectedRequest::Origin),
            ("http://localhost:8081", RejectedRequest::Origin),
            ("http://localhost", RejectedRequest::Origin),
            ("http://exact.example", RejectedRequest::Origin),
            ("ftp://mcp.example.com", RejectedRequest::Origin),
            ("null", RejectedRequest::Origin),
        ] {
            assert_eq!(check("evil.example", Some(origin)), Err(told), "{origin}");
        }
    }

    #[test]
    fn every_name_of_the_host_is_looked_at() {
        let door = doorkeeper();
        let mut headers = HeaderMap::new();
        let uri = Uri::from_static("http://evil.example/mcp");
        assert_eq!(
            door.check(&uri, Version::HTTP_2, &Fields::read(&headers)),
            Err(RejectedRequest::Host)
        );
        headers.insert(HOST, "localhost:8080".parse().unwrap());
        assert_eq!(
            door.check(&uri, Version::HTTP_11, &Fields::read(&headers)),
            Err(RejectedRequest::Host)
        );
        headers.append(HOST, "localhost:8080".parse().unwrap());
        let path = Uri::from_static("/mcp");
        assert_eq!(
            door.check(&path, Version::HTTP_11, &Fields::read(&headers)),
            Err(RejectedRequest::NoHost)
        );
        assert_eq!(
            door.check(&path, Version::HTTP_11, &Fields::read(&HeaderMap::new())),
            Err(RejectedRequest::NoHost)
        );
        assert_eq!(
            door.check(&path, Version::HTTP_10, &Fields::read(&HeaderMap::new())),
            Ok(())
        );
    }

    #[test]
    fn two_origins_are_none() {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, "localhost:8080".parse().unwrap());
        headers.append(ORIGIN, "http://localhost:8080".parse().unwrap());
        headers.append(ORIGIN, "http://localhost:8080".parse().unwrap());
        let checked = doorkeeper().check(
            &Uri::from_static("/mcp"),
            Version::HTTP_11,
            &Fields::read(&headers),
        );
        assert_eq!(checked, Err(RejectedRequest::Origin));
    }

    #[test]
    fn the_bound_address_is_served_by_its_number() {
        let mut door = HostPolicy::default();
        door.bound_to("192.0.2.7:8080".parse().unwrap());
        assert!(door.serves(&Authority::parse("192.0.2.7:8080").unwrap()));
        assert!(!door.serves(&Authority::parse("192.0.2.7:81").unwrap()));
        let mut door = HostPolicy::default();
        door.bound_to("0.0.0.0:8080".parse().unwrap());
        assert!(!door.serves(&Authority::parse("0.0.0.0:8080").unwrap()));
        assert!(door.serves(&Authority::parse("localhost:8080").unwrap()));
    }
}
