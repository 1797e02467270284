//! A process and its pipes.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

use super::conversation::{Transport, is_answered, is_notification};

/// The server as a process, which ends with its test.
pub(crate) struct Process(pub(crate) Child);

impl Process {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_with(arguments, |command| command)
    }

    /// Starts it with a layer.
    pub(crate) fn start_layered(arguments: &[&str]) -> Self {
        Self::start_with(arguments, |command| {
            command.env(mcp_tests::layer::VARIABLE, "1")
        })
    }

    /// Starts it with more said of how.
    pub(crate) fn start_with(
        arguments: &[&str],
        how: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_conversation-server"));
        let child = how(&mut command)
            .args(arguments)
            .env("MCP_LOG", "info")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        Self(child.unwrap())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // One that has ended by itself cannot be killed, which is as well.
        let _ended = self.0.kill();
        let _status = self.0.wait();
    }
}

pub(crate) struct StandardStreams {
    _process: Process,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl StandardStreams {
    pub(crate) fn start() -> Self {
        Self::of(Process::start(&[]))
    }

    /// The same with a layer.
    pub(crate) fn start_layered() -> Self {
        Self::of(Process::start_layered(&[]))
    }

    /// The streams of a process that serves over them.
    pub(crate) fn of(mut process: Process) -> Self {
        let input = process.0.stdin.take().unwrap();
        let output = BufReader::new(process.0.stdout.take().unwrap()).lines();
        Self {
            _process: process,
            input,
            output,
        }
    }
}

impl Transport for StandardStreams {
    fn say(&mut self, text: &str) -> Vec<Value> {
        writeln!(self.input, "{text}").unwrap();
        let mut said = Vec::new();
        // What comes unasked, after a notification say, is found in front of the next answer.
        while is_answered(text) {
            let line = self.output.next().expect("the server has ended").unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            let is_last = !is_notification(&message);
            said.push(message);
            if is_last {
                break;
            }
        }
        said
    }
}
