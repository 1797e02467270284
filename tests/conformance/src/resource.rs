//! The resources, and the template.

use mcp_runtime::prelude::*;

use crate::media::PICTURE;

/// A resource that is text.
#[mcp_resource(
    "test://static-text",
    name = "static-text",
    mime_type = "text/plain",
    ttl = "1m"
)]
fn static_text() -> &'static str {
    "This is the content of the static text resource."
}

/// A resource that clients subscribe to.
#[mcp_resource("test://watched-resource", mime_type = "text/plain")]
fn watched_resource() -> &'static str {
    "This resource is watched."
}

/// A resource that is bytes.
#[mcp_resource(
    "test://static-binary",
    name = "static-binary",
    mime_type = "image/png",
    ttl = "1m"
)]
fn static_binary() -> &'static [u8] {
    PICTURE
}

/// What the template's resources say.
#[mcp_type]
#[serde(rename_all = "camelCase")]
struct Data {
    id: String,
    template_test: bool,
    data: String,
}

/// A resource for each id.
#[mcp_resource("test://template/{id}/data", name = "template")]
fn template(id: String) -> Json<Data> {
    Json(Data {
        data: format!("Data for ID: {id}"),
        template_test: true,
        id,
    })
}
