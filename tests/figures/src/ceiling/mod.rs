//! The least that an answer costs: one pass of serde_json into a borrowed struct, and a constant answer.
//!
//! It checks nothing that the types do not: no version, no schema, no profile.

pub mod cipher;
pub mod commits;
pub mod http;

use std::io::{self, Read, Write};

use memchr::memchr;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// What stands before the id in every answer.
const START: &[u8] = br#"{"jsonrpc":"2.0","id":"#;
/// What stands between the id and the sum.
const RESULT: &[u8] = br#","result":{"resultType":"complete","content":[{"type":"text","text":""#;
/// What stands behind the sum.
const END: &[u8] =
    br#""}],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"figures","version":"0.1.0"}}}}"#;

#[derive(Deserialize)]
struct Message<'a, P> {
    jsonrpc: &'a str,
    #[serde(borrow)]
    id: &'a RawValue,
    method: &'a str,
    params: P,
}

#[derive(Deserialize)]
struct Call<'a, A> {
    name: &'a str,
    arguments: A,
    #[serde(borrow, rename = "_meta")]
    meta: Meta<'a>,
}

#[derive(Deserialize)]
struct Addends {
    a: i64,
    b: i64,
}

#[derive(Deserialize)]
struct Said {
    text: String,
}

#[derive(Deserialize)]
struct Count {
    count: u32,
}

#[derive(Serialize)]
struct Line {
    points: Vec<Point>,
}

#[derive(Serialize)]
struct Point {
    x: f64,
    y: f64,
    label: String,
}

#[derive(Deserialize)]
struct Steps {
    steps: u32,
}

#[derive(Deserialize)]
struct List<'a> {
    #[serde(borrow, rename = "_meta")]
    meta: Meta<'a>,
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    version: &'a str,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientInfo")]
    client: &'a RawValue,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: &'a RawValue,
    #[serde(borrow, default, rename = "progressToken")]
    progress_token: Option<&'a RawValue>,
}

/// Appends the answer to a call of `add`.
///
/// # Errors
///
/// The message is no such call.
pub fn add(message: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    let (id, call) = read::<Addends>(message, "add")?;
    let Addends { a, b } = call.arguments;
    start(id, out);
    serde_json::to_writer(&mut *out, &(a + b))?;
    out.extend_from_slice(END);
    Ok(())
}

/// Appends the answer to a call of `echo`.
///
/// # Errors
///
/// The message is no such call.
pub fn echo(message: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    let (id, call) = read::<Said>(message, "echo")?;
    start(id, out);
    // The opening quote is there already; the text brings its own two.
    out.pop();
    serde_json::to_writer(&mut *out, &call.arguments.text)?;
    out.extend_from_slice(&END[1..]);
    Ok(())
}

/// Appends the answer to a call of `structured`: the points as text, and the same bytes as structured content.
///
/// # Errors
///
/// The message is no such call.
pub fn structured(message: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    let (id, call) = read::<Count>(message, "structured")?;
    let points = (0..call.arguments.count).map(|index| Point {
        x: f64::from(index),
        y: f64::from(index) / 2.0,
        label: format!("point {index}"),
    });
    let line = serde_json::to_string(&Line {
        points: points.collect(),
    })?;
    start(id, out);
    out.pop();
    serde_json::to_writer(&mut *out, &line)?;
    out.extend_from_slice(br#"}],"structuredContent":"#);
    out.extend_from_slice(line.as_bytes());
    out.extend_from_slice(&END[3..]);
    Ok(())
}

/// Appends the events of a call of `steps`: as many notifications as there are steps, and the answer.
///
/// # Errors
///
/// The message is no such call.
pub fn steps(message: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    let (id, call) = read::<Steps>(message, "steps")?;
    let (steps, token) = (call.arguments.steps, call.meta.progress_token);
    let token = token.map_or("null", RawValue::get);
    for step in 1..=steps {
        write!(
            out,
            r#"data: {{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{step}.0}}}}"#,
        )?;
        out.extend_from_slice(b"\n\n");
    }
    out.extend_from_slice(b"data: ");
    start(id, out);
    write!(out, "{steps}")?;
    out.extend_from_slice(END);
    out.extend_from_slice(b"\n\n");
    Ok(())
}

/// Reads a call of a tool.
fn read<'a, A: Deserialize<'a>>(
    message: &'a [u8],
    tool: &str,
) -> io::Result<(&'a RawValue, Call<'a, A>)> {
    let message = serde_json::from_slice::<Message<'a, Call<'a, A>>>(message)?;
    let call = message.params;
    if (message.jsonrpc, message.method, call.name) != ("2.0", "tools/call", tool)
        || !call.meta.is_served()
    {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok((message.id, call))
}

/// Writes an answer up to the text of its only block.
fn start(id: &RawValue, out: &mut Vec<u8>) {
    out.extend_from_slice(START);
    out.extend_from_slice(id.get().as_bytes());
    out.extend_from_slice(RESULT);
}

/// Appends the answer to a request for the list, of which `result` is all that comes behind the id.
///
/// # Errors
///
/// The message is no such request.
pub fn list(message: &[u8], result: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    start_list(message, out)?;
    out.extend_from_slice(result);
    Ok(())
}

/// Appends what comes before the result in the answer to a request for the list.
fn start_list(message: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    let Message {
        jsonrpc,
        id,
        method,
        params: List { meta },
    } = serde_json::from_slice::<Message<'_, List<'_>>>(message)?;
    if (jsonrpc, method) != ("2.0", "tools/list") || !meta.is_served() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    out.extend_from_slice(START);
    out.extend_from_slice(id.get().as_bytes());
    Ok(())
}

impl Meta<'_> {
    fn is_served(&self) -> bool {
        self.version == "2026-07-28"
            && self.client.get().starts_with('{')
            && self.capabilities.get().starts_with('{')
    }
}

/// What comes behind the id in an answer to the request with the id 1.
#[must_use]
pub fn behind_id(answer: &[u8]) -> Option<&[u8]> {
    answer.strip_prefix(START)?.strip_prefix(b"1")
}

/// Answers calls of one tool over standard input and output, on one thread: one read and one write for a burst.
///
/// # Errors
///
/// A stream fails, or a line is no call of the tool.
pub fn serve_stdio_blocking(tool: &str) -> io::Result<()> {
    let answer = match tool {
        "add" => add,
        "echo" => echo,
        "structured" => structured,
        _ => return Err(io::ErrorKind::InvalidInput.into()),
    };
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let mut buffer = vec![0; 64 * 1024];
    let mut end = 0;
    let mut answers = Vec::new();
    loop {
        if end == buffer.len() {
            buffer.resize(2 * end, 0);
        }
        let count = input.read(&mut buffer[end..])?;
        if count == 0 {
            return Ok(());
        }
        // What came before holds no whole line.
        let (mut start, mut seen) = (0, end);
        end += count;
        while let Some(length) = memchr(b'\n', &buffer[seen..end]) {
            answer(&buffer[start..seen + length], &mut answers)?;
            answers.push(b'\n');
            seen += length + 1;
            start = seen;
        }
        buffer.copy_within(start..end, 0);
        end -= start;
        output.write_all(&answers)?;
        output.flush()?;
        answers.clear();
    }
}
