//! URIs of RFC 3986 with their scheme; no relative references.
//!
//! Generic syntax only: what a scheme makes of its path is its own affair.

use super::host::is_ipv6;
use super::{find, part};

/// `URI`: `scheme:`, perhaps `//authority`, a path, perhaps `?query` and `#fragment`.
pub(super) const fn is_uri(text: &[u8]) -> bool {
    let colon = find(text, b':', 0);
    if colon == text.len() || !is_scheme(part(text, 0, colon)) {
        return false;
    }
    let rest = part(text, colon + 1, text.len());
    let fragment = find(rest, b'#', 0);
    if fragment < rest.len() && !is_made_of(part(rest, fragment + 1, rest.len()), b"/?:@") {
        return false;
    }
    let rest = part(rest, 0, fragment);
    let query = find(rest, b'?', 0);
    if query < rest.len() && !is_made_of(part(rest, query + 1, rest.len()), b"/?:@") {
        return false;
    }
    let rest = part(rest, 0, query);
    if rest.len() < 2 || rest[0] != b'/' || rest[1] != b'/' {
        return is_made_of(rest, b"/:@");
    }
    let rest = part(rest, 2, rest.len());
    let path = find(rest, b'/', 0);
    is_authority(part(rest, 0, path)) && is_made_of(part(rest, path, rest.len()), b"/:@")
}

const fn is_scheme(text: &[u8]) -> bool {
    if text.is_empty() || !text[0].is_ascii_alphabetic() {
        return false;
    }
    let mut at = 0;
    while at < text.len() {
        if !text[at].is_ascii_alphanumeric() && !matches!(text[at], b'+' | b'-' | b'.') {
            return false;
        }
        at += 1;
    }
    true
}

/// `authority`: perhaps `userinfo@`, a host, perhaps `:port`.
const fn is_authority(text: &[u8]) -> bool {
    let user = find(text, b'@', 0);
    let host = if user == text.len() {
        text
    } else if is_made_of(part(text, 0, user), b":") {
        part(text, user + 1, text.len())
    } else {
        return false;
    };
    let (is_host, port) = if !host.is_empty() && host[0] == b'[' {
        let end = find(host, b']', 0);
        if end == host.len() {
            return false;
        }
        let inner = part(host, 1, end);
        (
            is_ipv6(inner) || is_future(inner),
            part(host, end + 1, host.len()),
        )
    } else {
        let end = find(host, b':', 0);
        (
            is_made_of(part(host, 0, end), b""),
            part(host, end, host.len()),
        )
    };
    is_host && is_port(port)
}

/// Nothing, or `:` and digits, of which there may be none.
const fn is_port(text: &[u8]) -> bool {
    let mut at = 1;
    while at < text.len() {
        if !text[at].is_ascii_digit() {
            return false;
        }
        at += 1;
    }
    text.is_empty() || text[0] == b':'
}

/// `IPvFuture`: `v`, a version in hexadecimal digits, `.`, and the address.
const fn is_future(text: &[u8]) -> bool {
    let dot = find(text, b'.', 0);
    if dot < 2 || dot + 1 >= text.len() || !matches!(text[0], b'v' | b'V') {
        return false;
    }
    let mut at = 1;
    while at < dot {
        if !text[at].is_ascii_hexdigit() {
            return false;
        }
        at += 1;
    }
    let address = part(text, dot + 1, text.len());
    find(address, b'%', 0) == address.len() && is_made_of(address, b":")
}

/// Whether a text has unreserved characters, `sub-delims`, bytes as `%` and two digits, and those of `others` only.
const fn is_made_of(text: &[u8], others: &[u8]) -> bool {
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'%' => {
                if at + 2 >= text.len()
                    || !text[at + 1].is_ascii_hexdigit()
                    || !text[at + 2].is_ascii_hexdigit()
                {
                    return false;
                }
                at += 2;
            }
            byte if byte.is_ascii_alphanumeric() => {}
            b'-' | b'.' | b'_' | b'~' => {}
            b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' => {}
            byte => {
                if find(others, byte, 0) == others.len() {
                    return false;
                }
            }
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_have_a_scheme_and_no_other_characters() {
        for uri in [
            "https://example.com/",
            "http://u:p@example.com:8080/a/b;c=1?q=%20&r=/?#x/?",
            "http://[::1]:80/",
            "http://[v1.fe:80]/",
            "http://example.com:",
            "file:///a/b",
            "mailto:ada@example.com",
            "urn:isbn:0451450523",
            "a+b-c.d:",
            "tel:+1-816-555-1212",
            "http://",
        ] {
            assert!(is_uri(uri.as_bytes()), "{uri}");
        }
        for text in [
            "",
            "example.com",
            "/a/b",
            "//example.com",
            ":a",
            "1a:b",
            "a_b:c",
            "http://exa mple.com",
            "http://example.com/ü",
            "http://example.com/%2",
            "http://example.com/%zz",
            "http://example.com/a#b#c",
            "http://example.com/[a]",
            "http://example.com:80a/",
            "http://a@b@c/",
            "http://[::1/",
            "http://[::g]/",
            "http://[v.a]/",
            "http://[::1]80/",
            "http://example.com/a\\b",
            "http://example.com/<a>",
        ] {
            assert!(!is_uri(text.as_bytes()), "{text}");
        }
    }
}
