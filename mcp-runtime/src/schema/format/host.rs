//! The hosts of email addresses and URIs: names, and addresses of either version.
//!
//! Only their spelling; nothing is resolved.

use super::{find, part};

/// A domain of labels with dots between them (RFC 1123, section 2.1): up to 63 letters, digits and inner hyphens in each.
pub(super) const fn is_domain(text: &[u8]) -> bool {
    // A name on the wire has 255 bytes, two of which the text does not show.
    if text.is_empty() || text.len() > 253 {
        return false;
    }
    let mut start = 0;
    while start <= text.len() {
        let end = find(text, b'.', start);
        if !is_label(part(text, start, end)) {
            return false;
        }
        start = end + 1;
    }
    true
}

const fn is_label(text: &[u8]) -> bool {
    if text.is_empty() || text.len() > 63 || text[0] == b'-' || text[text.len() - 1] == b'-' {
        return false;
    }
    let mut at = 0;
    while at < text.len() {
        if !text[at].is_ascii_alphanumeric() && text[at] != b'-' {
            return false;
        }
        at += 1;
    }
    true
}

/// Four numbers from 0 to 255 without leading zeros (RFC 3986, `IPv4address`).
pub(super) const fn is_ipv4(text: &[u8]) -> bool {
    let mut numbers = 0;
    let mut start = 0;
    while start <= text.len() {
        let end = find(text, b'.', start);
        if !is_octet(part(text, start, end)) {
            return false;
        }
        numbers += 1;
        start = end + 1;
    }
    numbers == 4
}

const fn is_octet(text: &[u8]) -> bool {
    if text.is_empty() || text.len() > 3 || (text[0] == b'0' && text.len() > 1) {
        return false;
    }
    let mut number = 0;
    let mut at = 0;
    while at < text.len() {
        if !text[at].is_ascii_digit() {
            return false;
        }
        number = number * 10 + (text[at] - b'0') as u32;
        at += 1;
    }
    number <= 255
}

/// Eight groups of hexadecimal digits (RFC 3986, `IPv6address`): one `::` may stand for some of them, and the last two may be
/// an address of version 4.
pub(super) const fn is_ipv6(text: &[u8]) -> bool {
    let mut groups = 0;
    let mut is_shortened = false;
    let mut at = 0;
    if text.len() >= 2 && text[0] == b':' && text[1] == b':' {
        is_shortened = true;
        at = 2;
    }
    while at < text.len() {
        let end = find(text, b':', at);
        let group = part(text, at, end);
        if end == text.len() && find(group, b'.', 0) < group.len() {
            if !is_ipv4(group) {
                return false;
            }
            groups += 2;
            break;
        }
        if !is_group(group) {
            return false;
        }
        groups += 1;
        if end == text.len() {
            break;
        }
        at = end + 1;
        if at == text.len() {
            return false;
        }
        if text[at] == b':' {
            if is_shortened {
                return false;
            }
            is_shortened = true;
            at += 1;
        }
    }
    if is_shortened {
        groups <= 7
    } else {
        groups == 8
    }
}

const fn is_group(text: &[u8]) -> bool {
    if text.is_empty() || text.len() > 4 {
        return false;
    }
    let mut at = 0;
    while at < text.len() {
        if !text[at].is_ascii_hexdigit() {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_agree_with_the_standard_library() {
        let texts = [
            "::",
            "::1",
            "1::",
            "1::8",
            "1:2:3:4:5:6:7:8",
            "1:2:3:4:5:6:7::",
            "::2:3:4:5:6:7:8",
            "1:2:3:4:5:6:7:8:9",
            "1:2:3:4:5:6:7",
            "1::2::3",
            ":::",
            ":1",
            "1:",
            "12345::",
            "g::",
            "::127.0.0.1",
            "1:2:3:4:5:6:127.0.0.1",
            "1:2:3:4:5:6:7:127.0.0.1",
            "::127.0.0.1:1",
            "::127.0.0",
            "fe80::1%eth0",
            "127.0.0.1",
            "127.0.0.01",
            "127.0.0.256",
            "127.0.0",
            "127.0.0.1.",
            "",
        ];
        for text in texts {
            let v4 = text.parse::<std::net::Ipv4Addr>().is_ok();
            let v6 = text.parse::<std::net::Ipv6Addr>().is_ok();
            assert_eq!(is_ipv4(text.as_bytes()), v4, "{text}");
            assert_eq!(is_ipv6(text.as_bytes()), v6, "{text}");
        }
    }

    #[test]
    fn labels_have_their_limits() {
        let long = "a".repeat(63);
        assert!(is_domain(long.as_bytes()));
        assert!(!is_domain("a".repeat(64).as_bytes()));
        let name = format!("{long}.{long}.{long}.{}", "a".repeat(61));
        assert_eq!(name.len(), 253);
        assert!(is_domain(name.as_bytes()));
        assert!(!is_domain(format!("{name}a").as_bytes()));
        for text in [
            "", ".", "a.", ".a", "a..b", "-a", "a-.b", "a_b", "a b", "é.com",
        ] {
            assert!(!is_domain(text.as_bytes()), "{text}");
        }
    }
}
