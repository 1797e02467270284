//! `resources/list` and `resources/templates/list`.

use mcp_runtime::prelude::*;
use serde_json::{Value, json};

use super::{Shop, ask, server};

/// When the shop is open.
///
/// All week.
#[mcp_resource(
    "shop://hours",
    name = "hours",
    title = "Opening hours",
    mime_type = "text/plain",
    size = 6,
    annotations(audience = ["user", "assistant"], priority = 0.5, last_modified = "2026-01-31T12:00:00Z"),
    icons(icon(src = "https://example.com/a.png")),
    meta("com.example/team" = "shop"),
    ttl = "5m",
    cache = "public"
)]
fn opening_hours() -> &'static str {
    "9 to 5"
}

/// A shelf.
#[mcp_resource("shop://shelves/{row}/{column}{?lit}", mime_type = "application/json")]
fn shelf(
    row: u8,
    column: char,
    lit: Option<bool>,
    shop: State<Shop>,
    context: &Context,
) -> Json<Value> {
    let _ = context;
    Json(json!({"row": row, "column": column, "lit": lit, "shop": shop.0}))
}

/// Only for administrators.
#[mcp_resource("shop://secret", group = "admin")]
fn secret() -> &'static str {
    "secret"
}

fn all(server: &Server, method: &str, member: &str) -> Vec<Value> {
    let mut all = Vec::new();
    let mut params = json!({});
    loop {
        let answer = ask(server, method, params);
        let result = &answer["result"];
        assert_eq!(result["resultType"], "complete");
        assert_eq!(
            (&result["ttlMs"], &result["cacheScope"]),
            (&json!(60_000), &json!("private"))
        );
        all.extend(result[member].as_array().unwrap().iter().cloned());
        match result.get("nextCursor") {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => return all,
        }
    }
}

#[test]
fn all_members_of_a_resource_are_listed() {
    let resources = all(&server(), "resources/list", "resources");
    assert_eq!(
        *resources.iter().find(|it| it["name"] == "hours").unwrap(),
        json!({
            "uri": "shop://hours",
            "name": "hours",
            "title": "Opening hours",
            "description": "When the shop is open.\n\nAll week.",
            "mimeType": "text/plain",
            "size": 6,
            "annotations": {
                "audience": ["user", "assistant"], "priority": 0.5, "lastModified": "2026-01-31T12:00:00Z"
            },
            "icons": [{"src": "https://example.com/a.png"}],
            "_meta": {"com.example/team": "shop"},
        })
    );
    assert!(!resources.iter().any(|it| it["name"] == "secret"));
    assert!(!resources.iter().any(|it| it["name"] == "shelf"));
}

#[test]
fn templates_have_a_list_of_their_own() {
    let templates = all(&server(), "resources/templates/list", "resourceTemplates");
    assert_eq!(
        *templates.iter().find(|it| it["name"] == "shelf").unwrap(),
        json!({
            "uriTemplate": "shop://shelves/{row}/{column}{?lit}",
            "name": "shelf",
            "title": "Shelf",
            "description": "A shelf.",
            "mimeType": "application/json",
        })
    );
    assert!(!templates.iter().any(|it| it["name"] == "hours"));
}

#[test]
fn what_a_function_returns_tells_the_mime_type_where_the_attribute_does_not() {
    /// Numbers.
    #[mcp_resource("typed://numbers", group = "typed")]
    fn numbers() -> Result<Json<[u8; 2]>, ResourceError> {
        Ok(Json([1, 2]))
    }
    /// One number, if there is such a one.
    #[mcp_resource("typed://numbers/{n}", group = "typed")]
    async fn number(n: u8) -> Option<Vec<u8>> {
        Some(vec![n])
    }
    /// What a text is depends on what it says.
    #[mcp_resource("typed://text", group = "typed")]
    fn free() -> String {
        String::new()
    }
    let server = mcp_runtime::server!().groups(["typed"]).build().unwrap();
    let resources = all(&server, "resources/list", "resources");
    let listed = |list: &[Value], name: &str| {
        let resource = list.iter().find(|it| it["name"] == name).unwrap();
        resource.get("mimeType").cloned()
    };
    assert_eq!(
        listed(&resources, "numbers"),
        Some(json!("application/json"))
    );
    assert_eq!(listed(&resources, "free"), None);
    let templates = all(&server, "resources/templates/list", "resourceTemplates");
    assert_eq!(
        listed(&templates, "number"),
        Some(json!("application/octet-stream"))
    );
}

#[test]
fn lists_come_in_pages_that_hold_everything_once() {
    let paged = mcp_runtime::server!()
        .state(Shop(""))
        .page_size(2)
        .build()
        .unwrap();
    for (method, member) in [
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
    ] {
        let whole = all(&server(), method, member);
        assert!(whole.len() > 2);
        assert_eq!(all(&paged, method, member), whole);
        let answer = ask(&paged, method, json!({"cursor": "x"}));
        assert_eq!(answer["error"]["code"], -32602);
    }
    // The cursor of one list is none of another.
    let answer = ask(&paged, "resources/list", json!({}));
    let cursor = answer["result"]["nextCursor"].clone();
    let answer = ask(
        &paged,
        "resources/templates/list",
        json!({"cursor": cursor}),
    );
    assert_eq!(answer["error"]["code"], -32602);
}

#[test]
fn the_attributes_hints_are_those_of_the_contents() {
    let result = server().read_resource_blocking("shop://hours");
    assert_eq!(
        (&result["ttlMs"], &result["cacheScope"]),
        (&json!(300_000), &json!("public"))
    );
    let result = server().read_resource_blocking("shop://shelves/1/b");
    assert_eq!(
        (&result["ttlMs"], &result["cacheScope"]),
        (&json!(0), &json!("private"))
    );
}

#[test]
fn groups_and_names_are_chosen_as_those_of_tools() {
    let builder = mcp_runtime::server!()
        .groups(["admin"])
        .rename("secret", "seen");
    let server = builder.build().unwrap();
    let resources = all(&server, "resources/list", "resources");
    assert_eq!(resources.len(), 1);
    assert_eq!(resources[0]["name"], "seen");
    assert_eq!(
        server.read_resource_blocking("shop://hours")["code"],
        -32602
    );
}
