//! A server for the bare JSON-RPC contract, with tools that are registered by hand and no async runtime.
//!
//! ```text
//! echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":2,"b":3}}}' \
//!   | cargo run -q -p starter
//! ```
//!
//! It reads one request a line and writes one answer a line. `examples/mcp-server/verify.py starter` checks it
//! clause by clause; a server for AI hosts begins better with `examples/calculator`.

use std::io::{self, BufRead, Write};

use mcp_runtime::prelude::*;
use mcp_runtime::{Profile, ServerBuilder};
use serde_json::{Map, Value, json};

fn main() -> io::Result<()> {
    let server = server().build().map_err(io::Error::other)?;
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let mut answer = Vec::new();
        server.handle_message_blocking(&line, &mut answer);
        answer.push(b'\n');
        output.write_all(&answer)?;
        output.flush()?;
        line.clear();
    }
    Ok(())
}

/// The tools, in the order in which they are listed.
fn server() -> ServerBuilder {
    mcp_runtime::server!()
        .profile(Profile::Contract)
        .register_tool(
            "echo",
            "Give a text back.",
            schema("string", ["text"]),
            echo,
        )
        .register_tool(
            "add",
            "Add two integers.",
            schema("integer", ["a", "b"]),
            add,
        )
        .register_tool(
            "pair",
            "Make an object of two texts.",
            schema("string", ["first", "second"]),
            pair,
        )
        .register_tool(
            "confirm_delete",
            "Delete a file after asking the user.",
            schema("string", ["path"]),
            confirm_delete,
        )
        .register_tool(
            "fail",
            "Fail with a message.",
            schema("string", ["message"]),
            fail,
        )
        .register_tool(
            "panic",
            "Panic, which is a failed call and no more.",
            schema("null", []),
            panic,
        )
}

/// The schema of arguments of one type that are all required.
fn schema<const N: usize>(kind: &str, names: [&str; N]) -> Value {
    let properties: Map<_, _> = names
        .map(|name| (name.into(), json!({ "type": kind })))
        .into_iter()
        .collect();
    json!({ "type": "object", "properties": properties, "required": names.as_slice() })
}

// The server has seen to it that the required arguments are there; of which type they are is for the handler to see.

fn echo(arguments: Value) -> Result<Value, ToolError> {
    Ok(arguments["text"].clone())
}

fn add(arguments: Value) -> Result<i64, ToolError> {
    let integer = |name: &str| {
        arguments[name]
            .as_i64()
            .ok_or_else(|| ToolError::new(format!("{name} must be a 64-bit integer")))
    };
    integer("a")?
        .checked_add(integer("b")?)
        .ok_or_else(|| ToolError::new("the sum does not fit into 64 bits"))
}

fn pair(arguments: Value) -> Result<Value, ToolError> {
    Ok(json!({ "first": arguments["first"], "second": arguments["second"] }))
}

/// Asks first: the client sends the call again with its answers as `inputResponses`.
fn confirm_delete(arguments: Value, input_responses: Value) -> Result<String, ToolError> {
    let path = text(&arguments, "path")?;
    match input_responses["confirm"].as_bool() {
        Some(true) => Ok(format!("deleted {path}")),
        Some(false) => Ok(format!("kept {path}")),
        None => {
            let message = format!("Delete {path}?");
            let question = json!({ "type": "boolean", "message": message });
            Err(InputRequired::new(json!({ "confirm": question })).into())
        }
    }
}

fn fail(arguments: Value) -> Result<(), ToolError> {
    Err(ToolError::new(text(&arguments, "message")?))
}

fn panic(_arguments: Value) -> Result<(), ToolError> {
    panic!("the tool was asked to")
}

fn text<'a>(arguments: &'a Value, name: &str) -> Result<&'a str, ToolError> {
    arguments[name]
        .as_str()
        .ok_or_else(|| ToolError::new(format!("{name} must be a string")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_answered_with_one_text() {
        let server = server().build().unwrap();
        let pair = server.call_blocking("pair", json!({ "first": "a", "second": "b" }));
        let content = json!([{ "type": "text", "text": r#"{"first":"a","second":"b"}"# }]);
        assert_eq!(pair.result(), Some(&json!({ "content": content })));
        assert!(server.call_blocking("panic", json!({})).is_error());
    }
}
