//! `call`: one call of a tool, as a client would make it, with its result for people.

use std::io::Read;

use serde_json::Value;
use serde_json::value::RawValue;

use super::arguments::arguments;
use super::command::Given;
use super::outcome::{Exit, Outcome};
use super::palette::Palette;
use super::pretty::pretty;
use super::request;
use super::unknown_tool;
use crate::protocol::{ContentBlock, ResourceContents};
use crate::server::Server;

/// Calls a tool and shows what came of it: its result, or with `raw` the whole response.
pub(super) fn call(
    server: &Server,
    tool: &str,
    given: &Given,
    raw: bool,
    stdin: &mut dyn Read,
    errors: Palette,
) -> Outcome {
    let registry = server.core().registry.load();
    let Some(found) = registry.tool(tool) else {
        return unknown_tool(server, tool);
    };
    let arguments = match given {
        Given::Json(json) => whole(json),
        Given::Stdin => {
            let mut json = String::new();
            match stdin.read_to_string(&mut json) {
                Ok(_) => whole(&json),
                Err(error) => Err(format!("standard input cannot be read: {error}")),
            }
        }
        Given::Pairs(pairs) => {
            // A schema that cannot be used is for the server to report, as it does to clients.
            let schema = found.input().map_or(Value::Bool(true), |input| {
                serde_json::from_str(input.schema.json()).unwrap_or(Value::Bool(true))
            });
            arguments(&schema, pairs).map_err(|error| match usage_of(tool, &schema) {
                Some(usage) => format!("{error}; write {usage}"),
                None => format!("{error}; `{tool}` takes no arguments"),
            })
        }
    };
    let arguments = match arguments {
        Ok(arguments) => arguments,
        Err(text) => return Outcome::usage(&text),
    };
    match request::call_tool(server, tool, &arguments) {
        Ok(response) => show(&response, raw, errors),
        Err(error) => Outcome::failed(
            Exit::NotServed,
            format!("could not start: no async runtime: {error}\n"),
        ),
    }
}

/// Arguments that are given as one JSON text.
fn whole(json: &str) -> Result<String, String> {
    let json: &RawValue = serde_json::from_str(json.trim_start_matches('\u{feff}'))
        .map_err(|error| format!("the arguments are not JSON: {error}"))?;
    Ok(json.get().to_owned())
}

/// How a call of the tool is written; `None` for a tool without arguments.
fn usage_of(tool: &str, schema: &Value) -> Option<String> {
    let required = schema["required"].as_array();
    let names = schema["properties"].as_object()?.keys();
    let mut usage = format!("`call {tool}");
    let mut any = false;
    for name in names {
        any = true;
        let needed = required.is_some_and(|names| names.iter().any(|needed| needed == name));
        usage.push_str(&if needed {
            format!(" {name}=…")
        } else {
            format!(" [{name}=…]")
        });
    }
    usage.push('`');
    any.then_some(usage)
}

/// The members of a response that people want to see.
#[derive(serde::Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    result: Option<CallResult<'a>>,
    error: Option<Value>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallResult<'a> {
    #[serde(default)]
    content: Vec<ContentBlock>,
    #[serde(borrow)]
    structured_content: Option<&'a RawValue>,
    #[serde(default)]
    is_error: bool,
    #[serde(default)]
    result_type: String,
    #[serde(borrow)]
    requests: Option<&'a RawValue>,
}

fn show(response: &[u8], raw: bool, errors: Palette) -> Outcome {
    let read = std::str::from_utf8(response)
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

fn show_result(result: &CallResult<'_>, errors: Palette) -> Outcome {
    let mut text = match (result.structured_content, result.content.as_slice()) {
        // The text block repeats the structured content; laid out it reads better.
        (Some(structured), [ContentBlock::Text(block)]) if block.text == structured.get() => {
            pretty(structured.get())
        }
        (Some(structured), []) => pretty(structured.get()),
        (_, blocks) => blocks.iter().map(show_block).collect::<Vec<_>>().join("\n"),
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
        show(response.to_string().as_bytes(), false, Palette::PLAIN)
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
            let outcome = show(response.as_bytes(), false, Palette::PLAIN);
            assert_eq!(outcome.exit, Exit::Failed, "{response}");
        }
    }

    #[test]
    fn a_call_works_on_a_thread_that_drives_a_runtime() {
        let server = crate::server::ServerBuilder::new("t", "1")
            .register_tool(
                "e",
                "Echo.",
                json!({"type": "object"}),
                |arguments: Value| Ok::<_, crate::convert::ToolError>(arguments),
            )
            .build()
            .unwrap();
        let outer = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let outcome = outer.block_on(async {
            let given = Given::Stdin;
            call(
                &server,
                "e",
                &given,
                false,
                &mut &b"{\"x\":1}"[..],
                Palette::PLAIN,
            )
        });
        assert_eq!(outcome, Outcome::done("{\n  \"x\": 1\n}\n".to_owned()));
    }
}
