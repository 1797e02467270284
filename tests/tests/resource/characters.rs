//! The characters that the URI of a client may have (RFC 3986, section 2), wherever it names one.

use mcp_runtime::prelude::*;
use serde_json::{Value, json};

use super::{ask, server};

fn refused(answer: &Value, uri: &str, sentence: &str) {
    let error = &answer["error"];
    assert_eq!(error["code"], -32602, "{uri:?}: {answer}");
    assert_eq!(error["message"], format!("Invalid params: {sentence}"));
    assert_eq!(error["data"], json!({ "uri": uri }));
}

/// Texts in the place of a variable that are no part of a URI, and what is said of each.
const ODD: [(&str, &str); 17] = [
    ("a b", "a URI cannot have the character ' '; write `%20`"),
    ("a\n", "a URI cannot have the character '\\n'; write `%0A`"),
    ("\r", "a URI cannot have the character '\\r'; write `%0D`"),
    ("\0", "a URI cannot have the character '\\0'; write `%00`"),
    (
        "\u{7f}",
        "a URI cannot have the character '\\u{7f}'; write `%7F`",
    ),
    ("é", "a URI cannot have the character 'é'; write `%C3%A9`"),
    ("\"", "a URI cannot have the character '\"'; write `%22`"),
    ("<", "a URI cannot have the character '<'; write `%3C`"),
    (">", "a URI cannot have the character '>'; write `%3E`"),
    ("\\", "a URI cannot have the character '\\\\'; write `%5C`"),
    ("^", "a URI cannot have the character '^'; write `%5E`"),
    ("`", "a URI cannot have the character '`'; write `%60`"),
    ("{name}", "a URI cannot have the character '{'; write `%7B`"),
    ("|", "a URI cannot have the character '|'; write `%7C`"),
    ("a}", "a URI cannot have the character '}'; write `%7D`"),
    ("%", "a URI cannot have the character '%'; write `%25`"),
    ("%4g", "a URI cannot have the character '%'; write `%25`"),
];

#[test]
fn what_is_no_uri_is_not_read() {
    let server = server();
    for (odd, sentence) in ODD {
        for uri in [
            format!("data://{odd}/info"),
            format!("search://x?tags={odd}"),
            format!("nowhere://{odd}"),
            odd.to_owned(),
        ] {
            let answer = ask(&server, "resources/read", json!({ "uri": uri }));
            refused(&answer, &uri, sentence);
        }
    }
}

#[test]
fn what_is_no_uri_and_no_template_is_not_completed() {
    let server = server();
    let complete = |uri: &str| {
        let params = json!({
            "ref": {"type": "ref/resource", "uri": uri},
            "argument": {"name": "name", "value": ""},
        });
        ask(&server, "completion/complete", params)
    };
    for (odd, sentence) in ODD {
        let uri = format!("completed://{odd}/{odd}");
        refused(&complete(&uri), &uri, sentence);
    }
    for uri in ["completed://{name}", "completed://a%20b"] {
        let answer = complete(uri);
        assert!(answer["result"]["completion"].is_object(), "{answer}");
    }
}

fn anybody(_: &str) -> Vec<&'static str> {
    vec!["ada"]
}

/// Somebody whose name is completed.
#[mcp_resource("completed://{name}")]
fn completed(#[arg(complete = anybody)] name: String) -> String {
    name
}

#[test]
fn every_uri_that_can_be_registered_can_be_read() {
    let server = mcp_runtime::server!().groups(["tools"]).build().unwrap();
    let characters = (0..=0x7f).map(char::from).chain(['é', '\u{200b}', '🦀']);
    let mut admitted = String::new();
    for character in characters {
        let uri = format!("a://x{character}y");
        let registered = server.register_resource(uri.clone(), "x", "X.", |uri: String| {
            Ok::<_, ResourceError>(uri)
        });
        if registered.is_err() {
            continue;
        }
        admitted.push(character);
        let answer = ask(&server, "resources/read", json!({ "uri": uri }));
        let contents = &answer["result"]["contents"][0];
        assert_eq!(contents, &json!({"uri": uri, "text": uri}), "{answer}");
    }
    let reserved = admitted.replace(|c: char| c.is_ascii_alphanumeric(), "");
    assert_eq!(reserved, "!#$&'()*+,-./:;=?@[]_~");
}
