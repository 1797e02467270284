//! The requests that are measured, as a client of the protocol sends them.

/// What a client says of itself in every request.
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"figures","version":"0.1.0"},"io.modelcontextprotocol/clientCapabilities":{}}"#;

/// A call of the tool `add`, without a newline.
#[must_use]
pub fn add(id: usize) -> String {
    add_by(id, "add")
}

/// A call of a tool that adds two integers, without a newline.
#[must_use]
pub fn add_by(id: usize, tool: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{"a":2,"b":3}},{META}}}}}"#
    )
}

/// What opens a session of revision 2025-11-25: a request, and a notification that has no answer.
pub const OPENING: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"figures","version":"0.1.0"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n",
);

/// A call of a tool that adds two integers, in a session.
#[must_use]
pub fn session_add(id: usize, tool: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{"a":2,"b":3}}}}}}"#
    )
}

/// What a client says that answers questions and follows tasks.
const ABLE: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"figures","version":"0.1.0"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}"#;

/// The first round of a call of `order`, whose step has a result of `length` bytes; without a step if that is 0.
#[must_use]
pub fn order(id: usize, length: usize) -> String {
    round(id, length, "")
}

/// The second round, with an answer, and with what the server gave the client to carry.
#[must_use]
pub fn ordered(id: usize, length: usize, state: Option<&str>) -> String {
    let state = state.map_or_else(String::new, |state| format!(r#""requestState":"{state}","#));
    let answer = r#""inputResponses":{"consent":{"action":"accept","content":{"go_on":true}}},"#;
    round(id, length, &format!("{state}{answer}"))
}

fn round(id: usize, length: usize, brought: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"order","arguments":{{"length":{length}}},{brought}{ABLE}}}}}"#
    )
}

/// A call of the tool `add_later`, which becomes a task.
#[must_use]
pub fn add_later(id: usize) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"add_later","arguments":{{"a":2,"b":3}},{ABLE}}}}}"#
    )
}

/// A request for the list of tools, without a newline.
#[must_use]
pub fn list(id: usize) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{{{META}}}}}"#)
}

/// A call of the tool `echo`, with a text of `length` bytes that needs no escape.
#[must_use]
pub fn echo(id: usize, length: usize) -> String {
    echo_by(id, "echo", length)
}

/// A call of a tool that repeats a text of `length` bytes.
#[must_use]
pub fn echo_by(id: usize, tool: &str, length: usize) -> String {
    let text = "otters ".repeat(length / 7 + 1);
    let text = &text[..length];
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{"text":"{text}"}},{META}}}}}"#
    )
}

/// A call of a tool that makes `count` points.
#[must_use]
pub fn structured_by(id: usize, tool: &str, count: usize) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{"count":{count}}},{META}}}}}"#
    )
}

/// A call of the tool `block`, which holds its thread.
#[must_use]
pub fn block(id: usize, milliseconds: u32) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"block","arguments":{{"milliseconds":{milliseconds}}},{META}}}}}"#
    )
}

/// A call of the tool `steps`, whose client asks to be told of its progress.
#[must_use]
pub fn steps(id: usize, steps: u32) -> String {
    let meta = META.replacen('{', r#"{"progressToken":7,"#, 1);
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"steps","arguments":{{"steps":{steps}}},{meta}}}}}"#
    )
}

/// A message as it is posted, with the headers that the revision requires.
#[must_use]
pub fn post(port: u16, tool: Option<&str>, message: &str) -> Vec<u8> {
    let routing = match tool {
        Some(tool) => format!("Mcp-Method: tools/call\r\nMcp-Name: {tool}"),
        None => "Mcp-Method: tools/list".to_owned(),
    };
    let length = message.len();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         {routing}\r\nContent-Length: {length}\r\n\r\n{message}"
    )
    .into_bytes()
}
