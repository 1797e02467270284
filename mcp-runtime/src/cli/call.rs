//! `call`: one call of a tool, as a client would make it, with its result for people.

use serde_json::Value;
use serde_json::value::RawValue;

use super::arguments::arguments;
use super::command::Given;
use super::converse::converse;
use super::outcome::Outcome;
use super::person::Person;
use super::show::show;
use super::{Streams, unknown_tool};
use crate::protocol::Method;
use crate::server::{Server, json_string};

/// Calls a tool and shows what came of it: its result, or with `raw` the whole response.
pub(super) fn call(
    server: &Server,
    tool: &str,
    given: &Given,
    raw: bool,
    streams: Streams<'_>,
) -> Outcome {
    let Streams {
        stdin, talk, err, ..
    } = streams;
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
    let params = format!(r#""name":{},"arguments":{arguments}"#, json_string(tool));
    let mut person = Person::new(stdin, talk, err);
    show(
        converse(server, Method::CallTool.name(), &params, &mut person),
        raw,
        err,
    )
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::palette::Palette;

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
            let streams = Streams {
                stdin: &mut &b"{\"x\":1}"[..],
                talk: &mut Vec::new(),
                out: Palette::PLAIN,
                err: Palette::PLAIN,
            };
            call(&server, "e", &given, false, streams)
        });
        assert_eq!(outcome, Outcome::done("{\n  \"x\": 1\n}\n".to_owned()));
    }
}
