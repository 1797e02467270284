//! Mailboxes of RFC 5321, section 4.1.2, as people type them: a local part, `@`, and a domain or an address in brackets.
//!
//! Comments, folding and names in angle brackets are no part of a mailbox.

use super::host::{is_domain, is_ipv4, is_ipv6};
use super::part;

/// `Mailbox`.
pub(super) const fn is_email(text: &[u8]) -> bool {
    // The last one: an earlier `@` can only stand within quotes.
    let mut at = text.len();
    while at > 0 && text[at - 1] != b'@' {
        at -= 1;
    }
    if at == 0 {
        return false;
    }
    let (local, domain) = (part(text, 0, at - 1), part(text, at, text.len()));
    // Section 4.5.3.1.1: a local part has up to 64 octets.
    if local.is_empty() || local.len() > 64 {
        return false;
    }
    (is_dotted(local) || is_quoted(local)) && (is_domain(domain) || is_literal(domain))
}

/// `Dot-string`.
const fn is_dotted(text: &[u8]) -> bool {
    let mut is_after_dot = true;
    let mut at = 0;
    while at < text.len() {
        let is_dot = text[at] == b'.';
        if (is_dot && is_after_dot) || !(is_dot || is_atom(text[at])) {
            return false;
        }
        is_after_dot = is_dot;
        at += 1;
    }
    !is_after_dot
}

/// `atext` of RFC 5322, section 3.2.3.
const fn is_atom(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'!' | b'#'
                | b'$'
                | b'%'
                | b'&'
                | b'\''
                | b'*'
                | b'+'
                | b'-'
                | b'/'
                | b'='
                | b'?'
                | b'^'
                | b'_'
                | b'`'
                | b'{'
                | b'|'
                | b'}'
                | b'~'
        )
}

/// `Quoted-string`.
const fn is_quoted(text: &[u8]) -> bool {
    if text.len() < 2 || text[0] != b'"' || text[text.len() - 1] != b'"' {
        return false;
    }
    let end = text.len() - 1;
    let mut at = 1;
    while at < end {
        if text[at] == b'\\' {
            at += 1;
        } else if text[at] == b'"' {
            return false;
        }
        if at == end || !matches!(text[at], b' '..=b'~') {
            return false;
        }
        at += 1;
    }
    true
}

/// `address-literal`, of the two kinds that are in use.
const fn is_literal(text: &[u8]) -> bool {
    if text.len() < 2 || text[0] != b'[' || text[text.len() - 1] != b']' {
        return false;
    }
    let inner = part(text, 1, text.len() - 1);
    if inner.len() > 5 && part(inner, 0, 5).eq_ignore_ascii_case(b"IPv6:") {
        is_ipv6(part(inner, 5, inner.len()))
    } else {
        is_ipv4(inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mailboxes_are_told_from_other_texts() {
        for email in [
            "ada@example.com",
            "a.b+c@sub.example.co",
            "o'neil@localhost",
            "\"joe bloggs\"@example.com",
            "\"a@b\\\"\"@example.com",
            "a@[127.0.0.1]",
            "a@[IPv6:::1]",
            // Hyphens at the third and fourth place of a label, which are reserved for `xn--` (RFC 5891), but in use.
            "ops@r3---sn.example.com",
            "ops@xn--bcher-kva.example",
            &format!("{}@example.com", "a".repeat(64)),
        ] {
            assert!(is_email(email.as_bytes()), "{email}");
        }
        for text in [
            "",
            "@",
            "ada",
            "ada@",
            "@example.com",
            ".ada@example.com",
            "ada.@example.com",
            "a..b@example.com",
            "a b@example.com",
            "a@b@example.com",
            "ada@example..com",
            "ada@-example.com",
            "ada@exa mple.com",
            "ada@example.com.",
            "ädä@example.com",
            "ada@exämple.com",
            "\"@example.com",
            "\"a\\\"@example.com",
            "\"a\"b\"@example.com",
            "a@[127.0.0.300]",
            "a@[IPv6:1]",
            "a@[::1]",
            "Ada <ada@example.com>",
            &format!("{}@example.com", "a".repeat(65)),
        ] {
            assert!(!is_email(text.as_bytes()), "{text}");
        }
    }
}
