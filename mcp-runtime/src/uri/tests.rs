use proptest::prelude::*;

use super::*;

const SEGMENT: UriPart<'_> = variable(0, Reach::Segment);

const fn variable(param: usize, reach: Reach) -> UriPart<'static> {
    UriPart::Variable {
        param,
        reach,
        separator: ',',
    }
}

/// Writes a value as RFC 6570 says (section 3.2.1): what is not allowed is encoded.
fn expand(value: &str, allow_reserved: bool) -> String {
    let mut out = String::new();
    for byte in value.bytes() {
        let c = char::from(byte);
        let stays = c.is_ascii_alphanumeric()
            || "-._~".contains(c)
            || (allow_reserved && ":/?#[]@!$&'()*+,;=".contains(c));
        if stays {
            out.push(c);
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn texts<'u>(parts: &[UriPart<'_>], uri: &'u str) -> Option<Vec<Cow<'u, str>>> {
    let captured = capture(parts, uri)?;
    Some(captured.iter().map(|it| decode(it.text).unwrap()).collect())
}

fn one(parts: &[UriPart<'_>], uri: &str) -> Option<String> {
    texts(parts, uri).map(|texts| texts.join("|"))
}

#[test]
fn values_reach_as_far_as_they_may() {
    let segment = [UriPart::Literal("a://"), SEGMENT];
    assert_eq!(one(&segment, "a://x").as_deref(), Some("x"));
    assert_eq!(
        one(&segment, "a://hello%2Fworld").as_deref(),
        Some("hello/world")
    );
    assert_eq!(one(&segment, "a://a%3Fb").as_deref(), Some("a?b"));
    assert_eq!(one(&segment, "a://a%23b").as_deref(), Some("a#b"));
    assert_eq!(one(&segment, "a://a%20b").as_deref(), Some("a b"));
    for other in [
        "a://", "a://x/y", "a://x?y", "a://x#y", "A://x", "b://x", "a:/x", "",
    ] {
        assert_eq!(one(&segment, other), None, "{other}");
    }
    let rest = [UriPart::Literal("file:///"), variable(0, Reach::Rest)];
    assert_eq!(
        one(&rest, "file:///a/b/c.txt").as_deref(),
        Some("a/b/c.txt")
    );
    assert_eq!(one(&rest, "file:///a?b#c").as_deref(), Some("a?b#c"));
    let segments = [
        UriPart::Literal("a:"),
        variable(0, Reach::Segments),
        UriPart::Literal("/end"),
    ];
    assert_eq!(one(&segments, "a:x/y/end").as_deref(), Some("x/y"));
    assert_eq!(one(&segments, "a:x/end/end").as_deref(), Some("x/end"));
    assert_eq!(one(&segments, "a:x?/end"), None);
}

#[test]
fn values_end_where_the_next_literal_belongs() {
    let parts = [
        UriPart::Literal("a:"),
        SEGMENT,
        UriPart::Literal("/b/"),
        variable(1, Reach::Segment),
        UriPart::Literal(".json"),
    ];
    assert_eq!(one(&parts, "a:x/b/y.json").as_deref(), Some("x|y"));
    assert_eq!(
        one(&parts, "a:x/b/y.json.json").as_deref(),
        Some("x|y.json")
    );
    for other in [
        "a:x/b/.json",
        "a:/b/y.json",
        "a:x/b/y/z.json",
        "a:x/c/b/y.json",
        "a:x/b/y",
    ] {
        assert_eq!(one(&parts, other), None, "{other}");
    }
}

#[test]
fn queries_come_in_any_order_and_only_with_known_names() {
    let query = UriPart::Query {
        opener: '?',
        names: &[("b", 1), ("c", 2)],
    };
    for parts in [
        &[UriPart::Literal("a:"), SEGMENT, query][..],
        &[
            UriPart::Literal("a:"),
            SEGMENT,
            UriPart::Literal("/z"),
            query,
        ],
    ] {
        let path = if parts.len() == 4 { "a:x/z" } else { "a:x" };
        let found = |query: &str| one(parts, &format!("{path}{query}"));
        assert_eq!(found("").as_deref(), Some("x"));
        assert_eq!(found("?b=1").as_deref(), Some("x|1"));
        assert_eq!(found("?c=%26&b=1").as_deref(), Some("x|&|1"));
        assert_eq!(found("?b").as_deref(), Some("x|"));
        assert_eq!(found("?d=1"), None);
        assert_eq!(found("?").as_deref(), Some("x"));
        assert_eq!(found("?&b=1&").as_deref(), Some("x|1"));
        assert_eq!(found("?="), None);
    }
    let more = [
        UriPart::Literal("a:"),
        SEGMENT,
        UriPart::Literal("?k=v"),
        UriPart::Query {
            opener: '&',
            names: &[("b", 1)],
        },
    ];
    assert_eq!(one(&more, "a:x?k=v&b=1").as_deref(), Some("x|1"));
    assert_eq!(one(&more, "a:x?k=v").as_deref(), Some("x"));
}

#[test]
fn escapes_have_two_digits_and_make_utf_8() {
    assert_eq!(decode("%C3%a9").unwrap(), "é");
    for broken in ["%", "%4", "%4x", "x%"] {
        assert!(decode(broken).is_err(), "{broken}");
    }
    assert!(decode("%ff").is_err());
}

#[test]
fn paths_out_of_the_tree_are_seen_however_they_are_encoded() {
    for value in [
        "..",
        "../x",
        "x/..",
        "x/../y",
        "..\\x",
        "/etc/passwd",
        "\\x",
        "C:\\x",
        "c:/x",
        "a\0b",
        "%2e%2e",
        "%2E./x",
        "..%2Fx",
        "x%2f..",
        "%252e%252e",
        "%25252e%25252e/x",
        "%00",
        "%2Fetc",
        "%c0%ae%2e%2e%2f",
    ] {
        assert!(leaves_tree(value).is_some(), "{value}");
    }
    for value in [
        "",
        "x",
        "a/b/c.txt",
        "...",
        "..x",
        "x..",
        ".",
        "a b",
        "100%",
        "50%25",
        "%41",
        "é",
        "ab:c",
    ] {
        assert_eq!(leaves_tree(value), None, "{value}");
    }
}

#[test]
fn a_hostile_uri_takes_linear_time() {
    // A hundred thousand separators: a matcher that tries again would not come back.
    let parts = [
        UriPart::Literal("a:/"),
        variable(0, Reach::Segments),
        UriPart::Literal("/z"),
    ];
    let uri = format!("a:/{}", ",/".repeat(100_000));
    assert_eq!(one(&parts, &uri), None);
    assert!(one(&parts, &format!("{uri}/z")).is_some());
}

#[test]
fn templates_meet_where_one_uri_fits_both() {
    const ID: &[UriPart<'_>] = &[UriPart::Literal("a://"), SEGMENT];
    const ID_ITEMS: &[UriPart<'_>] = &[
        UriPart::Literal("a://"),
        SEGMENT,
        UriPart::Literal("/items"),
    ];
    const ITEMS: &[UriPart<'_>] = &[UriPart::Literal("a://x/"), SEGMENT];
    const JSON: &[UriPart<'_>] = &[UriPart::Literal("a://"), SEGMENT, UriPart::Literal(".json")];
    const REST: &[UriPart<'_>] = &[UriPart::Literal("a://"), variable(0, Reach::Rest)];
    const OTHER: &[UriPart<'_>] = &[UriPart::Literal("b://"), SEGMENT];
    const QUERY: &[UriPart<'_>] = &[
        UriPart::Literal("a://x/y"),
        UriPart::Query {
            opener: '?',
            names: &[("q", 0)],
        },
    ];
    for (a, b, expected) in [
        (ID, ID, true),
        (ID, JSON, true),
        (ID, REST, true),
        (ID_ITEMS, REST, true),
        (ID_ITEMS, ITEMS, true),
        (ID, ID_ITEMS, false),
        (ID, ITEMS, false),
        (ID, OTHER, false),
        (REST, OTHER, false),
        (QUERY, ITEMS, true),
        (QUERY, ID, false),
        (QUERY, REST, true),
    ] {
        assert_eq!(overlap(a, b), expected, "{a:?} {b:?}");
        assert_eq!(overlap(b, a), expected, "{b:?} {a:?}");
    }
}

fn reach() -> impl Strategy<Value = Reach> {
    prop_oneof![
        Just(Reach::Segment),
        Just(Reach::Segments),
        Just(Reach::Rest)
    ]
}

proptest! {
    #[test]
    fn what_is_expanded_comes_back(a in "\\PC{1,12}", b in "\\PC{1,12}", c in "\\PC{0,12}") {
        let parts = [
            UriPart::Literal("a:x-"),
            SEGMENT,
            UriPart::Literal("-/b."),
            variable(1, Reach::Segment),
            UriPart::Literal(".c"),
            UriPart::Query { opener: '?', names: &[("q", 2)] },
        ];
        let uri = format!("a:x-{}-/b.{}.c?q={}", expand(&a, false), expand(&b, false), expand(&c, false));
        let found = texts(&parts, &uri);
        prop_assert_eq!(found, Some(vec![a.into(), b.into(), c.into()]));
    }

    /// Escapes in a reserved expansion stay as they are (RFC 6570, section 3.2.3), so a value without `%` comes back.
    #[test]
    fn a_reserved_expansion_comes_back(value in "[^%]{1,30}", suffix in prop::bool::ANY) {
        let whole = [UriPart::Literal("a:"), variable(0, Reach::Rest), UriPart::Literal("/end")];
        let parts = if suffix { &whole[..] } else { &whole[..2] };
        let uri = format!("a:{}{}", expand(&value, true), if suffix { "/end" } else { "" });
        prop_assert_eq!(one(parts, &uri), Some(value));
    }

    /// Two templates of one variable meet exactly if a URI that one was made for is matched by the other.
    #[test]
    fn templates_that_do_not_meet_share_no_uri(
        value in "[a-c/?]{1,6}", one_reach in reach(), other_reach in reach(), end in prop::bool::ANY,
    ) {
        let a = [UriPart::Literal("a:"), variable(0, one_reach), UriPart::Literal("/c")];
        let b = [UriPart::Literal("a:b"), variable(0, other_reach)];
        let a = if end { &a[..] } else { &a[..2] };
        for uri in [format!("a:{value}"), format!("a:b{value}"), format!("a:b{value}/c")] {
            if capture(a, &uri).is_some() && capture(&b, &uri).is_some() {
                prop_assert!(overlap(a, &b), "{}", uri);
            }
        }
    }

    #[test]
    fn any_text_is_looked_at_without_a_panic(uri in "\\PC*", value in "\\PC*") {
        let parts = [UriPart::Literal("a"), SEGMENT, UriPart::Literal("/"), variable(1, Reach::Segments)];
        let _ = capture(&parts, &uri);
        let _ = decode(&uri);
        let _ = leaves_tree(&value);
    }
}
