//! Tools that answer with each kind of content.

use mcp_runtime::prelude::*;

use crate::media::{PICTURE, PICTURE_TYPE, SOUND, SOUND_TYPE};

/// Answer with a text.
#[mcp_tool]
fn test_simple_text() -> &'static str {
    "This is a simple text response for testing."
}

/// Answer with a picture.
#[mcp_tool]
fn test_image_content() -> ContentBlock {
    ContentBlock::image(PICTURE, PICTURE_TYPE)
}

/// Answer with a sound.
#[mcp_tool]
fn test_audio_content() -> ContentBlock {
    ContentBlock::audio(SOUND, SOUND_TYPE)
}

/// Answer with a resource and its contents.
#[mcp_tool]
fn test_embedded_resource() -> ContentBlock {
    let contents = ResourceContents::text(
        "test://embedded-resource",
        "This is an embedded resource content.",
    );
    ContentBlock::resource(contents.mime_type("text/plain"))
}

/// Answer with a text, a picture and a resource.
#[mcp_tool]
fn test_multiple_content_types() -> [ContentBlock; 3] {
    let contents = ResourceContents::text(
        "test://mixed-content-resource",
        r#"{"test":"data","value":123}"#,
    );
    [
        ContentBlock::text("Multiple content types test:"),
        ContentBlock::image(PICTURE, PICTURE_TYPE),
        ContentBlock::resource(contents.mime_type("application/json")),
    ]
}

/// Fail.
#[mcp_tool]
fn test_error_handling() -> ToolResult {
    let text = "This tool intentionally returns an error for testing";
    ToolResult::new([ContentBlock::text(text)]).error(true)
}
