//! The variables of templates: how far they reach, what their types make of them, and what is refused.

use std::path::PathBuf;
use std::str::FromStr;

use mcp_runtime::prelude::*;
use serde_json::json;

use super::server;

/// A file.
#[mcp_resource("file:///{+path}")]
fn file(path: PathBuf) -> String {
    path.display().to_string()
}

/// Any file.
#[mcp_resource("any-file:///{+path}")]
fn any_file(#[arg(raw)] path: &std::path::Path) -> String {
    path.display().to_string()
}

/// A named text.
#[mcp_resource("data://{name}/info")]
fn data(name: String) -> String {
    name
}

/// A search.
#[mcp_resource("search://{q}{?limit,deep,tags*}")]
fn search(
    q: &str,
    #[arg(default = 10)] limit: u8,
    deep: Option<bool>,
    tags: Vec<String>,
) -> String {
    format!("{q} {limit} {deep:?} {tags:?}")
}

/// What has to be switched on or off.
#[mcp_resource("config://x{?enabled}")]
fn config(enabled: bool) -> String {
    enabled.to_string()
}

/// A path across slashes.
#[mcp_resource("tree://{path*}")]
fn tree(path: String) -> String {
    path
}

/// Several numbers.
#[mcp_resource("sum://{numbers*}/total")]
fn sum(numbers: Vec<u32>) -> String {
    format!("{numbers:?}")
}

/// Two coordinates.
#[mcp_resource("map://{x},{y}")]
fn map(#[arg(rename = "x")] column: i8, y: i8) -> String {
    format!("{column} {y}")
}

/// An id of a shape of its own.
struct Id(String);

impl FromStr for Id {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.strip_prefix("A-")
            .map(|rest| Self(rest.to_owned()))
            .ok_or("an id begins with `A-`")
    }
}

/// Something with an id.
#[mcp_resource("ids://{id}")]
fn by_id(id: Id) -> String {
    id.0
}

fn text(uri: &str) -> String {
    let result = server().read_resource_blocking(uri);
    let text = &result["contents"][0]["text"];
    text.as_str()
        .unwrap_or_else(|| panic!("{uri}: {result}"))
        .to_owned()
}

fn refused(uri: &str) -> String {
    let error = server().read_resource_blocking(uri);
    assert_eq!(error["code"], -32602, "{uri}: {error}");
    assert_eq!(error["data"], json!({"uri": uri}));
    error["message"].as_str().unwrap().to_owned()
}

#[test]
fn values_are_decoded_once_and_parsed() {
    assert_eq!(text("data://hello%2Fworld/info"), "hello/world");
    assert_eq!(text("data://a%3Fb%23c%20d/info"), "a?b#c d");
    assert_eq!(text("data://caf%C3%A9/info"), "café");
    assert_eq!(text("data://100%2525/info"), "100%25");
    assert_eq!(text("file:///a/b/c.txt"), "a/b/c.txt");
    assert_eq!(text("tree://a/b/c"), "a/b/c");
    assert_eq!(text("tree://a%2Fb"), "a/b");
    assert_eq!(text("sum://1,2,3/total"), "[1, 2, 3]");
    assert_eq!(text("sum://7/total"), "[7]");
    assert_eq!(text("map://-3,4"), "-3 4");
    assert_eq!(text("ids://A-1"), "1");
}

#[test]
fn queries_may_be_left_out_where_the_types_say_so() {
    assert_eq!(text("search://x"), "x 10 None []");
    assert_eq!(
        text("search://x?tags=a&deep=true&tags=b%2Cc&limit=3"),
        r#"x 3 Some(true) ["a", "b,c"]"#
    );
    assert_eq!(text("search://x?tags=a,b"), r#"x 10 None ["a", "b"]"#);
    assert_eq!(
        refused("search://x?limit=1&limit=2"),
        "Invalid params: `limit` stands twice"
    );
    for empty in ["search://x?", "search://x?&", "search://x?&&"] {
        assert_eq!(text(empty), "x 10 None []", "{empty}");
    }
    assert_eq!(text("search://x?limit=3&"), "x 3 None []");
    assert_eq!(text("search://x?&limit=3&&deep=true"), "x 3 Some(true) []");
    assert_eq!(refused("search://x?="), "Resource not found");
    assert_eq!(refused("search://x?depp=true"), "Resource not found");
    assert_eq!(text("config://x?enabled=false"), "false");
    assert_eq!(
        refused("config://x"),
        "Invalid params: `enabled` is missing"
    );
}

#[test]
fn a_wrong_value_names_its_variable() {
    assert_eq!(
        refused("config://x?enabled=banana"),
        "Invalid params: `enabled`: provided string was not `true` or `false`"
    );
    assert_eq!(
        refused("map://200,x"),
        "Invalid params: `x`: number too large to fit in target type; `y`: invalid digit found in string"
    );
    assert_eq!(
        refused("ids://B-1"),
        "Invalid params: `id`: an id begins with `A-`"
    );
    assert_eq!(
        refused("sum://1,x/total"),
        "Invalid params: `numbers`: invalid digit found in string"
    );
    assert_eq!(
        refused("data://%zz/info"),
        "Invalid params: a URI cannot have the character '%'; write `%25`"
    );
    assert_eq!(
        refused("data://%ff/info"),
        "Invalid params: `name`: the encoded bytes are not UTF-8"
    );
}

#[test]
fn of_many_faults_some_are_told() {
    let pieces = vec!["x"; 2000].join(",");
    let pairs = "&limit=1".repeat(900);
    let encoded = vec!["%ff"; 2000].join(",");
    for uri in [
        format!("sum://{pieces}/total"),
        format!("sum://{encoded}/total"),
        format!("search://x?limit=1{pairs}"),
    ] {
        let message = refused(&uri);
        let told: Vec<_> = message.split("; ").collect();
        assert_eq!(told.len(), 33, "{message}");
        assert_eq!(told[32], "… and more of the same");
    }
}

#[test]
fn paths_do_not_leave_their_tree() {
    for uri in [
        "file:///../etc/passwd",
        "file:///a/../../b",
        "file:////etc/passwd",
        "file:///%2Fetc/passwd",
        "file:///..%2F..%2Fetc%2Fpasswd",
        "file:///%2e%2e/x",
        "file:///%252e%252e/x",
        "file:///a%00b",
        "file:///C:%5Cx",
        "file:///..%5Cx",
        "data://%2e%2e/info",
        "data://../info",
        "tree://a/../../b",
        "search://x?tags=a&tags=..%2Fb",
    ] {
        let message = refused(uri);
        assert!(message.starts_with("Invalid params: `"), "{uri}: {message}");
    }
    assert_eq!(text("file:///a..b/...c"), "a..b/...c");
    assert_eq!(text("any-file:////etc/../x"), "/etc/../x");
    assert_eq!(text("ids://A-..%2Fx"), "../x");
}

#[test]
fn other_uris_are_not_the_templates() {
    for uri in [
        "data:///info",
        "data://a/b/info",
        "data://a",
        "file:///",
        "tree://",
        "tree://a?b",
        "map://1",
        "sum:///total",
    ] {
        assert_eq!(refused(uri), "Resource not found");
    }
}
