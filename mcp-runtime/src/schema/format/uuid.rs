//! UUIDs as they are written (RFC 9562, section 4): 32 hexadecimal digits in five groups.

/// A UUID of any version.
pub(super) const fn is_uuid(text: &[u8]) -> bool {
    if text.len() != 36 {
        return false;
    }
    let mut at = 0;
    while at < text.len() {
        let fits = match at {
            8 | 13 | 18 | 23 => text[at] == b'-',
            _ => text[at].is_ascii_hexdigit(),
        };
        if !fits {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::is_uuid;

    #[test]
    fn only_the_usual_form_is_one() {
        for (text, is_one) in [
            ("67e55044-10b1-426f-9247-bb680e5fe0c8", true),
            ("67E55044-10B1-426F-9247-BB680E5FE0C8", true),
            ("00000000-0000-0000-0000-000000000000", true),
            ("67e5504410b1426f9247bb680e5fe0c8", false),
            ("{67e55044-10b1-426f-9247-bb680e5fe0c8}", false),
            ("67e55044-10b1-426f-9247-bb680e5fe0cg", false),
            ("67e55044-10b1-426f-9247bb680e5fe0c8-", false),
            ("", false),
        ] {
            assert_eq!(is_uuid(text.as_bytes()), is_one, "{text}");
        }
    }
}
