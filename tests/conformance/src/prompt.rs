//! The prompts.

use mcp_runtime::prelude::*;

use crate::media::{PICTURE, PICTURE_TYPE};

/// A prompt without arguments.
#[mcp_prompt]
fn test_simple_prompt() -> &'static str {
    "This is a simple prompt for testing."
}

/// A prompt with two arguments.
#[mcp_prompt]
fn test_prompt_with_arguments(
    /// The first.
    #[arg(complete = words)]
    arg1: &str,
    /// The second.
    arg2: &str,
) -> String {
    format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")
}

fn words(typed: &str) -> Vec<&'static str> {
    let words = ["paris", "park", "party"].into_iter();
    words.filter(|word| word.starts_with(typed)).collect()
}

/// A prompt with a resource and its contents.
#[mcp_prompt]
fn test_prompt_with_embedded_resource(
    /// The URI of the resource.
    #[arg(rename = "resourceUri")]
    resource_uri: &str,
) -> [PromptMessage; 2] {
    let contents = ResourceContents::text(resource_uri, "Embedded resource content for testing.");
    [
        ContentBlock::resource(contents.mime_type("text/plain")).into(),
        PromptMessage::user("Please process the embedded resource above."),
    ]
}

/// A prompt with a picture.
#[mcp_prompt]
fn test_prompt_with_image() -> [PromptMessage; 2] {
    [
        ContentBlock::image(PICTURE, PICTURE_TYPE).into(),
        PromptMessage::user("Please analyze the image above."),
    ]
}
