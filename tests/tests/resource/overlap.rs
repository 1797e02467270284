//! Resources that get in each other's way are refused by `build()`.

use mcp_runtime::Problem;
use mcp_runtime::prelude::*;

/// One order.
#[mcp_resource("orders://{id}", group = "meeting")]
fn by_id(id: String) -> String {
    id
}

/// One order, named otherwise.
#[mcp_resource("orders://{name}.json", group = "meeting")]
fn by_name(name: String) -> String {
    name
}

/// Lines of an order, which meet nothing else.
#[mcp_resource("orders://{id}/lines", group = "meeting")]
fn lines(id: String) -> String {
    id
}

/// The newest.
#[mcp_resource("orders://newest", group = "equal")]
fn newest() -> &'static str {
    "1"
}

mod elsewhere {
    use mcp_runtime::prelude::*;

    /// The newest, again.
    #[mcp_resource("orders://newest", group = "equal-too")]
    fn newest_again() -> &'static str {
        "2"
    }
}

fn problems(groups: &[&str]) -> Vec<Problem> {
    let builder = mcp_runtime::server!().groups(groups.iter().copied());
    builder.build().unwrap_err().problems().to_vec()
}

#[test]
fn two_templates_that_match_one_uri_are_told() {
    let problems = problems(&["meeting"]);
    assert_eq!(problems.len(), 1);
    let text = problems[0].to_string();
    assert!(
        text.starts_with("some URIs match `orders://{id}` (`resource::overlap::by_id` at tests/tests/resource/overlap.rs:")
            || text.starts_with("some URIs match `orders://{id}` (`resource::overlap::by_id` at tests/resource/overlap.rs:"),
        "{text}"
    );
    assert!(
        text.contains("and `orders://{name}.json` (`resource::overlap::by_name`"),
        "{text}"
    );
    assert!(matches!(problems[0], Problem::OverlappingTemplates { .. }));
}

#[test]
fn two_resources_of_one_uri_are_told() {
    let problems = problems(&["equal", "equal-too"]);
    assert_eq!(problems.len(), 1);
    let text = problems[0].to_string();
    assert!(
        text.starts_with("2 resources have the URI `orders://newest`: `resource::overlap::"),
        "{text}"
    );
    assert!(text.contains("newest_again"), "{text}");
}
