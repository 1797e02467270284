//! The command line of a server binary, as a person or a script meets it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod asking;
mod serving;

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

const DONE: i32 = 0;
const FAILED: i32 = 1;
const USAGE: i32 = 2;
const NOT_SERVED: i32 = 3;

fn toolshed() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolshed"));
    command
        .env_remove("TOOLSHED")
        .env_remove("MCP_LOG")
        .env_remove("RUST_BACKTRACE")
        .stdin(Stdio::null());
    command
}

/// Exit code and both streams.
fn parts(output: Output) -> (i32, String, String) {
    (
        output.status.code().unwrap(),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

fn run(line: &[&str]) -> (i32, String, String) {
    parts(toolshed().args(line).output().unwrap())
}

fn run_with_input(line: &[&str], input: &str) -> (i32, String, String) {
    with_input(toolshed().args(line), input)
}

fn with_input(command: &mut Command, input: &str) -> (i32, String, String) {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    parts(child.wait_with_output().unwrap())
}

#[track_caller]
fn assert_done(line: &[&str], out: &str) {
    assert_eq!(run(line), (DONE, out.to_owned(), String::new()), "{line:?}");
}

#[track_caller]
fn assert_refused(line: &[&str], exit: i32, err: &str) {
    assert_eq!(run(line), (exit, String::new(), err.to_owned()), "{line:?}");
}

#[test]
fn list_is_a_table() {
    assert_done(
        &["list"],
        "\
NAME        HINTS            DESCRIPTION
add         read-only        Add two integers.
card        not destructive  Card printer: Make a card for somebody.
fail                         Fail.
flood                        Say more than fits into a pipe.
panic                        Panic.
picture                      Show a picture.
sheet.fill                   Take cells that may be empty.
stall                        Wait for ever.
talk                         Log something at each level.
wait                         Wait for a moment on the runtime's clock.
",
    );
}

#[test]
fn list_as_json_is_what_clients_get_on_all_pages() {
    let (exit, out, err) = run(&["list", "--json"]);
    assert_eq!((exit, err.as_str()), (DONE, ""));
    let shown: Value = serde_json::from_str(&out).unwrap();

    let mut served = Vec::new();
    let mut params = json!({"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }});
    loop {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params});
        let (_, out, _) = run_with_input(&["stdio"], &format!("{request}\n"));
        let response: Value = serde_json::from_str(&out).unwrap();
        served.extend(response["result"]["tools"].as_array().unwrap().clone());
        match response["result"].get("nextCursor") {
            Some(next) => params["cursor"] = next.clone(),
            None => break,
        }
    }
    assert!(served.len() > 3, "more than one page");
    assert_eq!(shown, json!({ "tools": served }));
}

#[test]
fn call_reads_values_as_the_schema_wants_them() {
    assert_done(&["call", "add", "a=2", "b=3"], "5\n");
    assert_done(&["call", "add", "a=-2", "b=3.0"], "1\n");
    assert_done(
        &[
            "call",
            "card",
            "user.name=7",
            "user.age=7",
            "tags=x",
            "tags=1",
            "loud=true",
        ],
        "{\n  \"name\": \"7\",\n  \"age\": 7,\n  \"tags\": [\n    \"x\",\n    \"1\"\n  ],\n  \"loud\": true\n}\n",
    );
}

#[test]
fn call_takes_a_json_object() {
    let object = r#"{"a": 2, "b": 3}"#;
    assert_done(&["call", "add", "--json", object], "5\n");
    for line in [
        ["call", "add", "--json", "-"].as_slice(),
        &["call", "add", "-"],
    ] {
        let (exit, out, err) = run_with_input(line, object);
        assert_eq!(
            (exit, out.as_str(), err.as_str()),
            (DONE, "5\n", ""),
            "{line:?}"
        );
    }
    let (exit, out, err) = run(&["call", "add", "--json", "{"]);
    assert_eq!((exit, out.as_str()), (USAGE, ""));
    assert!(
        err.starts_with("error: the arguments are not JSON: "),
        "{err}"
    );
    assert_refused(
        &["call", "add", "--json", "[1]"],
        FAILED,
        "error: Invalid params: arguments must be an object (-32602)\n",
    );
}

#[test]
fn call_shows_what_a_terminal_can_show() {
    assert_done(
        &["call", "picture"],
        "a picture\n[image: image/png, 100 bytes]\n",
    );
}

#[test]
fn call_gives_tools_the_runtime_that_they_have_when_served() {
    assert_done(&["call", "wait"], "waited\n");
}

#[test]
fn call_prints_the_whole_response_on_demand() {
    for flag in ["--raw", "--json-output"] {
        let (exit, out, err) = run(&["call", "add", "a=2", "b=3", flag]);
        assert_eq!((exit, err.as_str()), (DONE, ""));
        assert_eq!(out.lines().count(), 1);
        let response: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(response["result"]["resultType"], "complete");
        assert_eq!(response["result"]["structuredContent"], Value::Null);
        assert_eq!(response["result"]["content"][0]["text"], "5");
    }
    let (exit, out, _) = run(&["call", "fail", "why=because", "--raw"]);
    assert_eq!(exit, FAILED);
    let response: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(response["result"]["isError"], true);
}

#[test]
fn call_tells_failures_on_standard_error() {
    assert_refused(&["call", "fail", "why=because"], FAILED, "Error: because\n");
    let (exit, out, err) = run(&["call", "stall"]);
    assert_eq!((exit, &*out), (FAILED, ""));
    // The log has a line about it, too.
    assert!(err.contains("the key `timeout` of the tool"), "{err}");
    assert!(err.ends_with("\nerror: tool timed out (-32603)\n"), "{err}");
    let (exit, out, err) = run(&["call", "add", "a=x", "bb=3"]);
    assert_eq!((exit, out.as_str()), (FAILED, ""));
    for part in [
        "Missing required argument: b",
        "`a`: expected an integer",
        "`bb`",
    ] {
        assert!(err.contains(part), "{part:?} in {err}");
    }
}

#[test]
fn the_log_goes_to_standard_error_at_the_chosen_level() {
    let (exit, out, err) = run(&["call", "panic"]);
    assert_eq!((exit, out.as_str()), (FAILED, ""));
    assert!(err.contains("ERROR mcp_runtime::dispatch"), "{err}");
    assert!(err.ends_with("\nError: the tool failed\n"), "{err}");

    let logged = |level: Option<&str>| {
        let mut command = toolshed();
        command.args(["call", "talk"]);
        if let Some(level) = level {
            command.env("MCP_LOG", level);
        }
        let (exit, out, err) = parts(command.output().unwrap());
        assert_eq!((exit, out.as_str()), (DONE, "talked\n"));
        err
    };
    let warning = "WARN toolshed: a warning tool=\"talk\" count=3\n";
    assert_eq!(logged(None), warning);
    assert_eq!(logged(Some("off")), "");
    assert_eq!(
        logged(Some("info")),
        format!("{warning}INFO toolshed: some news\n")
    );
}

#[test]
fn wrong_lines_name_what_was_meant() {
    assert_refused(
        &["call", "ad", "a=2"],
        USAGE,
        "error: no tool is called `ad`; did you mean `add`?\n",
    );
    assert_refused(
        &["call", "elephant"],
        USAGE,
        "error: no tool is called `elephant`; `list` shows all\n",
    );
    for name in ["reset", "unwanted"] {
        assert_refused(
            &["call", name],
            USAGE,
            &format!("error: `{name}` is not served by this server; `doctor` says why\n"),
        );
    }
    assert_refused(
        &["schema", "crad"],
        USAGE,
        "error: no tool is called `crad`; did you mean `card`?\n",
    );
    assert_refused(
        &["call", "add", "2", "3"],
        USAGE,
        "error: `2` is not of the form name=value; write `call add a=… b=…`\n",
    );
    assert_refused(
        &["call", "picture", "x"],
        USAGE,
        "error: `x` is not of the form name=value; `picture` takes no arguments\n",
    );
    for (line, part) in [
        (&["lst"][..], "'list'"),
        (&["add", "a=2"], "`add` is a tool: write `call add …`"),
        (&["list", "--jsn"], "'--json'"),
        (&["call"], "<TOOL>"),
        (
            &["call", "add", "a=1", "--json", "{}"],
            "cannot be used with",
        ),
    ] {
        let (exit, out, err) = run(line);
        assert_eq!((exit, out.as_str()), (USAGE, ""), "{line:?}");
        assert!(err.contains(part), "{part:?} in {err}");
    }
}

#[test]
fn schema_shows_one_tool_or_all() {
    let (exit, out, err) = run(&["schema", "card"]);
    assert_eq!((exit, err.as_str()), (DONE, ""));
    assert!(
        out.starts_with("{\n  \"name\": \"card\",\n  \"inputSchema\": {\n    \"type\": \"object\""),
        "{out}"
    );
    let one: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(one["inputSchema"]["required"], json!(["user"]));
    assert_eq!(one["outputSchema"]["properties"]["loud"]["type"], "boolean");

    let (exit, out, _) = run(&["schema"]);
    assert_eq!(exit, DONE);
    let all: Vec<Value> = serde_json::from_str(&out).unwrap();
    assert!(all.contains(&one));
    assert_eq!(all.len(), 10);
}

#[test]
fn doctor_tells_where_tools_come_from_and_what_is_unportable() {
    let (exit, out, err) = run(&["doctor"]);
    assert_eq!((exit, err.as_str()), (DONE, ""));
    let row = |name: &str| {
        let row = out.lines().find(|line| line.starts_with(name)).unwrap();
        row.split("  ")
            .filter(|cell| !cell.is_empty())
            .map(|cell| cell.trim().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(row("add")[..3], ["add", "yes", "toolshed"]);
    assert!(row("add")[3].contains("toolshed.rs:"), "{out}");
    assert_eq!(
        row("reset")[..3],
        ["reset", "admin", "no, group not chosen"]
    );
    assert_eq!(row("unwanted")[1], "no, excluded");
    for part in [
        "10 tools served, 15 registered",
        "warning: `sheet.fill`: some hosts drop all tools",
        "warning: `sheet.fill`: `cells[]` may be null",
        "Nothing is wrong; 2 warnings.",
        "mcp_runtime::link!",
    ] {
        assert!(out.contains(part), "{part:?} in {out}");
    }
    assert_eq!(run(&["doctor", "--strict"]).0, FAILED);
}

#[test]
fn doctor_follows_groups_and_new_names() {
    let doctor = |group: &str| {
        parts(
            toolshed()
                .arg("doctor")
                .env("TOOLSHED", group)
                .output()
                .unwrap(),
        )
    };
    let (exit, out, _) = doctor("admin");
    assert_eq!(exit, DONE);
    assert!(out.contains("as start_over"), "{out}");
    let (exit, out, _) = doctor("admn");
    assert_eq!(exit, FAILED);
    assert!(
        out.contains("error: no tool is in the group `admn`; did you mean `admin`?"),
        "{out}"
    );
}

#[test]
fn what_cannot_be_built_is_told_in_full() {
    let broken = |line: &[&str]| {
        parts(
            toolshed()
                .args(line)
                .env("TOOLSHED", "broken")
                .output()
                .unwrap(),
        )
    };
    for line in [
        &["list"][..],
        &["call", "add"],
        &["schema"],
        &["stdio"],
        &[],
    ] {
        let (exit, out, err) = broken(line);
        assert_eq!((exit, out.as_str()), (NOT_SERVED, ""), "{line:?}");
        assert!(
            err.starts_with("could not start: no state of type `toolshed::Missing`"),
            "{err}"
        );
    }
    let (exit, out, err) = broken(&["doctor"]);
    assert_eq!((exit, err.as_str()), (FAILED, ""));
    assert!(
        out.contains("error: no state of type `toolshed::Missing`"),
        "{out}"
    );
    assert!(out.contains("1 error, 2 warnings."), "{out}");
    assert_eq!(broken(&["--help"]).0, DONE);
}

#[test]
fn help_has_the_lines_for_a_host_and_the_exit_codes() {
    let (exit, out, err) = run(&["--help"]);
    assert_eq!((exit, err.as_str()), (DONE, ""));
    let start = out.find("{\n").unwrap();
    let end = out.find("\n}\n").unwrap() + 2;
    let snippet: Value = serde_json::from_str(&out[start..end]).unwrap();
    assert_eq!(
        snippet["mcpServers"]["toolshed"]["command"],
        env!("CARGO_BIN_EXE_toolshed")
    );
    for part in ["Exit codes:", "MCP_LOG", "NO_COLOR", "doctor"] {
        assert!(out.contains(part), "{part:?} in {out}");
    }
    assert_done(&["--version"], "mcp-tests 0.1.0\n");
}

#[test]
fn nothing_is_coloured_in_a_pipe() {
    for line in [
        &["list"][..],
        &["doctor"],
        &["call", "fail", "why=x"],
        &["--help"],
        &["x"],
    ] {
        let (_, out, err) = run(line);
        assert!(
            !out.contains('\u{1b}') && !err.contains('\u{1b}'),
            "{line:?}"
        );
    }
}

#[test]
fn a_reader_that_stops_is_no_error() {
    let mut child = toolshed()
        .args(["call", "flood"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    let mut stdout = BufReader::with_capacity(1, child.stdout.take().unwrap());
    stdout.read_line(&mut first).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!(first, "and so on\n");
    assert_eq!(parts(output), (DONE, String::new(), String::new()));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told() {
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = toolshed().arg("list").stdout(full).output().unwrap();
    let (exit, _, err) = parts(output);
    assert_eq!(exit, FAILED);
    assert!(
        err.starts_with("error: the output cannot be written: "),
        "{err}"
    );
}
