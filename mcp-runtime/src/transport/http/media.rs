//! What a request's body is, and what its answer may be: `Content-Type`, `Content-Encoding` and `Accept`
//! (RFC 9110, sections 8 and 12.5.1), and how it is sent: `Transfer-Encoding` (RFC 9112, section 6.1).

use http::header::{ACCEPT, HeaderValue};

use super::fields::{Fields, Lines};

/// What every client has to send (basic/transports/streamable-http, "Sending Messages"), in the usual spelling.
const USUAL_ACCEPT: &[u8] = b"application/json, text/event-stream";

/// The forms in which an answer may come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Accepted {
    pub(super) json: bool,
    pub(super) events: bool,
}

/// Whether the body is JSON in UTF-8, as it is.
pub(super) fn is_json(fields: &Fields<'_>) -> bool {
    let Lines::One(content_type) = fields.content_type else {
        return false;
    };
    let plain = match fields.content_encoding {
        Lines::None => true,
        Lines::One(coding) => coding.as_bytes().eq_ignore_ascii_case(b"identity"),
        Lines::Several => false,
    };
    plain && (content_type == "application/json" || text(content_type).is_some_and(is_json_type))
}

/// Whether the body is sent as it is, if in chunks. hyper undoes the chunks and no other coding.
pub(super) fn is_sent_plainly(fields: &Fields<'_>) -> bool {
    match fields.transfer_encoding {
        Lines::None => true,
        Lines::One(coding) => coding.as_bytes().eq_ignore_ascii_case(b"chunked"),
        Lines::Several => false,
    }
}

fn is_json_type(value: &str) -> bool {
    let mut parts = parameters(value);
    let json = parts
        .next()
        .is_some_and(|essence| essence.eq_ignore_ascii_case("application/json"));
    json && parts.all(|parameter| match parameter.split_once('=') {
        Some((name, charset)) if name.trim().eq_ignore_ascii_case("charset") => {
            let charset = charset.trim().trim_matches('"');
            charset.eq_ignore_ascii_case("utf-8") || charset.eq_ignore_ascii_case("utf8")
        }
        // RFC 8259 gives the type no parameters; others mean nothing.
        Some(_) => true,
        None => parameter.is_empty(),
    })
}

/// What the answer may be; a request that does not say takes anything.
pub(super) fn accepted(fields: &Fields<'_>) -> Accepted {
    let usual = match fields.accept {
        Lines::None => true,
        Lines::One(value) => value.as_bytes() == USUAL_ACCEPT,
        Lines::Several => false,
    };
    if usual {
        return Accepted {
            json: true,
            events: true,
        };
    }
    let ranges = || {
        let lines = fields.all.get_all(ACCEPT).iter();
        lines.filter_map(text).flat_map(split)
    };
    Accepted {
        json: takes(ranges(), "application", "json"),
        events: takes(ranges(), "text", "event-stream"),
    }
}

fn text(value: &HeaderValue) -> Option<&str> {
    value.to_str().ok()
}

fn split(line: &str) -> impl Iterator<Item = &str> {
    line.split(',').map(str::trim)
}

/// The parts of a value between its semicolons; none of our types has a quoted semicolon.
fn parameters(value: &str) -> impl Iterator<Item = &str> {
    value.split(';').map(str::trim)
}

/// Whether the ranges admit a type: the most specific one that matches decides, and a weight of zero refuses.
fn takes<'a>(ranges: impl Iterator<Item = &'a str>, kind: &str, subtype: &str) -> bool {
    let mut best = None;
    for range in ranges {
        let mut parts = parameters(range);
        let Some((left, right)) = parts.next().and_then(|range| range.split_once('/')) else {
            continue;
        };
        let specific = match (left, right) {
            ("*", "*") => 0,
            (left, "*") if left.eq_ignore_ascii_case(kind) => 1,
            (left, right)
                if left.eq_ignore_ascii_case(kind) && right.eq_ignore_ascii_case(subtype) =>
            {
                2
            }
            _ => continue,
        };
        let refused = parts.any(|parameter| {
            parameter.split_once('=').is_some_and(|(name, weight)| {
                name.trim().eq_ignore_ascii_case("q")
                    && weight
                        .trim()
                        .parse::<f32>()
                        .is_ok_and(|weight| weight <= 0.0)
            })
        });
        if best.is_none_or(|(other, _)| specific >= other) {
            best = Some((specific, !refused));
        }
    }
    best.is_some_and(|(_, taken)| taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};

    fn headers(name: &http::HeaderName, values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(name, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn json_is_told_by_the_parsed_type() {
        for value in [
            "application/json",
            "APPLICATION/JSON",
            "application/json; charset=utf-8",
            "application/json;charset=\"UTF-8\"",
            "application/json ; Charset=UTF8",
            "application/json;",
            "application/json; a=text/plain",
        ] {
            assert!(
                is_json(&Fields::read(&headers(&CONTENT_TYPE, &[value]))),
                "{value}"
            );
        }
        for values in [
            &["text/plain; a=application/json"][..],
            &["application/jsonp"],
            &["application/json-seq"],
            &["text/json"],
            &["application/x-www-form-urlencoded"],
            &["application/json; charset=latin1"],
            &["application/json, text/plain"],
            &["application/json", "application/json"],
            &[""],
            &[],
        ] {
            assert!(
                !is_json(&Fields::read(&headers(&CONTENT_TYPE, values))),
                "{values:?}"
            );
        }
    }

    #[test]
    fn a_compressed_body_is_not_json() {
        let mut map = headers(&CONTENT_TYPE, &["application/json"]);
        map.insert(CONTENT_ENCODING, "gzip".parse().unwrap());
        assert!(!is_json(&Fields::read(&map)));
        map.insert(CONTENT_ENCODING, "Identity".parse().unwrap());
        assert!(is_json(&Fields::read(&map)));
    }

    #[test]
    fn ranges_say_what_is_accepted() {
        let both = (true, true);
        for (values, expected) in [
            (&[][..], both),
            (&["application/json, text/event-stream"], both),
            (&["text/event-stream,application/json"], both),
            (&["application/json", "text/event-stream"], both),
            (&["*/*"], both),
            (&["application/json;q=0.5, TEXT/*"], both),
            (&["application/*"], (true, false)),
            (&["application/json"], (true, false)),
            (&["text/event-stream"], (false, true)),
            (&["text/html"], (false, false)),
            (&["*/*;q=0"], (false, false)),
            (&["*/*, application/json;q=0"], (false, true)),
            (&["application/json;q=0, */*"], (false, true)),
            (&["json"], (false, false)),
        ] {
            let headers = headers(&ACCEPT, values);
            let accepted = accepted(&Fields::read(&headers));
            assert_eq!((accepted.json, accepted.events), expected, "{values:?}");
        }
    }
}
