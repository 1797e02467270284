//! Every stop of the tour, through the pipeline that serves a client.

use mcp_runtime::{Server, client::CallOutcome, content::ContentBlock};
use serde_json::{Value, json};

use super::{admin, server};

mcp_runtime::check!(server(), admin());

fn call(tool: &str, arguments: Value) -> CallOutcome {
    library().call_blocking(tool, arguments)
}

fn library() -> Server {
    server().build().unwrap()
}

#[test]
fn functions_become_tools() {
    assert_eq!(call("add", json!({ "a": 2, "b": 3 })).text(), "5");
    assert_eq!(super::add(2, 3), 5);
}

#[test]
fn a_search_finds_structured_hits() {
    let found = call("search", json!({ "query": "darwin WATER bright" }));
    let wanted = json!([
        { "title": "Ring of Bright Water", "author": "Gavin Maxwell", "matches": 2 },
        { "title": "On the Origin of Species", "author": "Charles Darwin", "matches": 1 },
    ]);
    assert_eq!(found.structured_content(), Some(&wanted));
    let one = call("search", json!({ "query": "darwin water", "limit": 1 }));
    assert_eq!(
        one.structured_content().unwrap().as_array().unwrap().len(),
        1
    );
    let fiction = call("search", json!({ "query": "darwin", "shelf": "fiction" }));
    assert_eq!(fiction.structured_content(), Some(&json!([])));
}

#[test]
fn what_is_wrong_with_a_call_is_told_all_at_once() {
    let text = call(
        "search",
        json!({ "limit": 0, "shelf": "poetry", "lmit": 1 }),
    )
    .text();
    assert_eq!(
        text.lines().next(),
        Some("Missing required argument: query")
    );
    for argument in ["`limit`", "`shelf`", "`lmit`"] {
        assert!(text.contains(argument), "{argument} is not in: {text}");
    }
    let failed = call("search", json!({ "query": " " }));
    assert_eq!(
        failed.text(),
        "Error: the query has no words; name a title or an author"
    );
    assert!(failed.is_error());
}

#[test]
fn a_book_is_shelved_once() {
    let server = library();
    let book = json!({ "title": "Tarka the Otter", "author": "Henry Williamson", "year": 1927, "shelf": "fiction" });
    for _ in 0..2 {
        let shelved = server.call_blocking("shelve", json!({ "book": book }));
        assert_eq!(
            shelved.text(),
            "Tarka the Otter is on its shelf. Thank you, reader!"
        );
    }
    assert_eq!(
        server
            .call_blocking("count", json!({}))
            .structured_content(),
        Some(&json!(5))
    );
    let wrong = server.call_blocking(
        "shelve",
        json!({ "book": { "title": "x", "author": "y", "year": "1", "shelf": "z" } }),
    );
    assert!(
        wrong.text().contains("`book.year`") && wrong.text().contains("`book.shelf`"),
        "{}",
        wrong.text()
    );
}

#[test]
fn a_cover_is_a_caption_and_an_image() {
    let content = call("cover", json!({ "title": "Frankenstein" })).content();
    let [ContentBlock::Text(caption), ContentBlock::Image(image)] = content.as_slice() else {
        panic!("a text and an image, not {content:?}");
    };
    assert_eq!(caption.text, "Frankenstein, by Mary Shelley");
    assert_eq!(image.mime_type, "image/svg+xml");
    assert!(
        call("cover", json!({ "title": "x" }))
            .text()
            .contains("no book called")
    );
}

#[test]
fn stock_is_linked_counted_and_found_short() {
    let stock = call("take_stock", json!({ "expected": 4 }));
    assert!(!stock.is_error());
    assert_eq!(stock.content().len(), 4);
    assert_eq!(stock.structured_content(), Some(&json!({ "books": 4 })));
    assert!(call("take_stock", json!({ "expected": 5 })).is_error());
}

#[test]
fn a_group_is_served_only_where_it_is_asked_for() {
    assert_eq!(
        call("clear", json!({})).error().unwrap()["message"],
        "Unknown tool: clear"
    );
    let admin = admin().build().unwrap();
    assert!(!admin.call_blocking("clear", json!({})).is_error());
    assert_eq!(
        admin.call_blocking("count", json!({})).structured_content(),
        Some(&json!(0))
    );
}

#[test]
fn a_tool_may_be_registered_at_run_time() {
    assert_eq!(
        call("greet", json!({ "name": "Ada" })).text(),
        "Welcome, Ada!"
    );
    assert_eq!(
        call("greet", json!({})).text(),
        "Missing required argument: name"
    );
}
