//! What came of a request, for people: the contents of its result, or why there is none.

use std::io;

use serde_json::Value;
use serde_json::value::RawValue;

use super::outcome::{Exit, Outcome};
use super::palette::Palette;
use super::pretty::pretty;
use crate::protocol::{ContentBlock, PromptMessage, ResourceContents, Role};

/// The members of a response that people want to see.
#[derive(serde::Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    result: Option<Shown<'a>>,
    error: Option<Value>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Shown<'a> {
    /// Of a tool.
    #[serde(default)]
    content: Vec<ContentBlock>,
    /// Of a prompt.
    #[serde(default)]
    messages: Vec<PromptMessage>,
    /// Of a resource.
    #[serde(default)]
    contents: Vec<ResourceContents>,
    #[serde(borrow)]
    structured_content: Option<&'a RawValue>,
    #[serde(default)]
    is_error: bool,
    #[serde(default)]
    result_type: String,
    #[serde(borrow)]
    requests: Option<&'a RawValue>,
}

/// Shows the result of a request, or with `raw` the whole response.
pub(super) fn show(response: io::Result<Vec<u8>>, raw: bool, errors: Palette) -> Outcome {
    let response = match response {
        Ok(response) => response,
        Err(error) => return Outcome::failed(Exit::Failed, format!("error: {error}\n")),
    };
    let read = std::str::from_utf8(&response)
        .map_err(|error| error.to_string())
        .and_then(|text| {
            serde_json::from_str::<Response<'_>>(text)
                .map(|read| (text, read))
                .map_err(|error| error.to_string())
        });
    let (text, read) = match read {
        Ok(read) => read,
        Err(error) => {
            return Outcome::failed(
                Exit::Failed,
                format!("the response cannot be read: {error}\n"),
            );
        }
    };
    let mut outcome = match read {
        Response {
            result: Some(result),
            ..
        } => show_result(&result, errors),
        Response { error, .. } => {
            let error = error.unwrap_or_default();
            let message = error["message"].as_str().unwrap_or("no result");
            let code = &error["code"];
            Outcome::failed(
                Exit::Failed,
                format!("{}: {message} ({code})\n", errors.error("error")),
            )
        }
    };
    if raw {
        outcome.out = format!("{text}\n");
        outcome.err.clear();
    }
    outcome
}

fn show_result(result: &Shown<'_>, errors: Palette) -> Outcome {
    let mut text = match (result.structured_content, result.content.as_slice()) {
        // The text block repeats the structured content; laid out it reads better.
        (Some(structured), [ContentBlock::Text(block)]) if block.text == structured.get() => {
            pretty(structured.get())
        }
        (Some(structured), []) => pretty(structured.get()),
        (_, blocks) => {
            let blocks = blocks.iter().map(show_block);
            let messages = result.messages.iter().map(show_message);
            let contents = result.contents.iter().map(show_contents);
            let all: Vec<_> = blocks.chain(messages).chain(contents).collect();
            all.join("\n")
        }
    };
    if let Some(requests) = result.requests {
        text.push('\n');
        text.push_str(&pretty(requests.get()));
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    if result.is_error || result.result_type == "input_required" {
        return Outcome::failed(Exit::Failed, format!("{}\n", errors.error(text.trim_end())));
    }
    Outcome::done(text)
}

fn show_message(message: &PromptMessage) -> String {
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    format!("[{role}]\n{}", show_block(&message.content))
}

/// Contents that were asked for by their URI, which need not be said again.
fn show_contents(contents: &ResourceContents) -> String {
    let is_json = contents.mime_type.as_deref() == Some("application/json");
    match &contents.text {
        Some(text) if is_json && serde_json::from_str::<&RawValue>(text).is_ok() => pretty(text),
        Some(text) => text.clone(),
        None => show_resource(contents),
    }
}

fn show_block(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => media("image", &image.mime_type, &image.data),
        ContentBlock::Audio(audio) => media("audio", &audio.mime_type, &audio.data),
        ContentBlock::ResourceLink(link) => {
            let name = link.title.as_deref().unwrap_or(&link.name);
            format!("[link: {name}, {}]", link.uri)
        }
        ContentBlock::Resource(resource) => show_resource(&resource.resource),
    }
}

fn show_resource(contents: &ResourceContents) -> String {
    let mime_type = contents.mime_type.as_deref().unwrap_or("resource");
    match (&contents.text, &contents.blob) {
        (Some(text), _) => format!("[{}]\n{text}", contents.uri),
        (None, Some(blob)) => media(&contents.uri, mime_type, blob),
        (None, None) => format!("[{}]", contents.uri),
    }
}

/// One line for what a terminal cannot show.
fn media(noun: &str, mime_type: &str, base64: &str) -> String {
    let padding = base64
        .bytes()
        .rev()
        .take_while(|&byte| byte == b'=')
        .count();
    let bytes = (base64.len() / 4 * 3).saturating_sub(padding);
    format!("[{noun}: {mime_type}, {bytes} bytes]")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(result: &Value) -> Outcome {
        let response = json!({"jsonrpc": "2.0", "id": 1, "result": result});
        show(Ok(response.to_string().into()), false, Palette::PLAIN)
    }

    #[test]
    fn blocks_are_shown_in_their_order() {
        let outcome = shown(&json!({"resultType": "complete", "content": [
            {"type": "text", "text": "first"},
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "audio", "data": "AA==", "mimeType": "audio/wav"},
            {"type": "resource_link", "uri": "file:///a", "name": "a"},
            {"type": "resource", "resource": {"uri": "file:///b", "text": "inside"}},
            {"type": "resource", "resource": {"uri": "file:///c", "blob": "AAA="}},
            {"type": "text", "text": "last"}
        ]}));
        assert_eq!(
            outcome,
            Outcome::done(
                "first\n\
                 [image: image/png, 3 bytes]\n\
                 [audio: audio/wav, 1 bytes]\n\
                 [link: a, file:///a]\n\
                 [file:///b]\n\
                 inside\n\
                 [file:///c: resource, 2 bytes]\n\
                 last\n"
                    .to_owned()
            )
        );
    }

    #[test]
    fn structured_content_is_laid_out_unless_the_text_says_something_else() {
        let structured = json!({"b": 1});
        let outcome = shown(&json!({
            "content": [{"type": "text", "text": "{\"b\":1}"}],
            "structuredContent": structured,
        }));
        assert_eq!(outcome.out, "{\n  \"b\": 1\n}\n");
        let outcome = shown(&json!({
            "content": [{"type": "text", "text": "one"}],
            "structuredContent": structured,
        }));
        assert_eq!(outcome.out, "one\n");
    }

    #[test]
    fn a_result_without_content_shows_nothing() {
        assert_eq!(shown(&json!({"content": []})), Outcome::done(String::new()));
    }

    #[test]
    fn what_a_tool_asks_for_is_shown_and_the_call_is_not_done() {
        let outcome = shown(&json!({
            "resultType": "input_required",
            "requests": {"name": {}},
            "content": [{"type": "text", "text": "Input is required."}],
        }));
        assert_eq!(
            outcome,
            Outcome::failed(
                Exit::Failed,
                "Input is required.\n{\n  \"name\": {}\n}\n".to_owned()
            )
        );
    }

    #[test]
    fn what_is_no_response_fails() {
        for response in ["", "{}", "null", r#"{"result":null}"#] {
            let outcome = show(Ok(response.into()), false, Palette::PLAIN);
            assert_eq!(outcome.exit, Exit::Failed, "{response}");
        }
    }

    #[test]
    fn messages_and_contents_are_shown_one_behind_the_other() {
        let prompt = shown(&json!({"messages": [
            {"role": "user", "content": {"type": "text", "text": "Why?"}},
            {"role": "assistant", "content": {"type": "text", "text": "Because."}},
        ]}));
        assert_eq!(prompt.out, "[user]\nWhy?\n[assistant]\nBecause.\n");
        let resource = shown(&json!({"contents": [
            {"uri": "file:///a", "text": "one\n"},
            {"uri": "file:///b", "blob": "AAA=", "mimeType": "image/png"},
        ]}));
        assert_eq!(resource.out, "one\n\n[file:///b: image/png, 2 bytes]\n");
    }
}
