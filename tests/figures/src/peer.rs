//! A client of a server in a process of its own.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::{message, process};

/// Ids run in a circle that is much longer than the calls in flight, and all have as many digits.
const FIRST_ID: usize = 1_000;
const IDS: usize = 4_096;
/// What a pipe holds: a client that has written no more has not waited for a server, which may wait for it to read.
const PIPE: usize = 64 * 1024;

/// A server and the pipes to it; it ends when this is dropped.
#[derive(Debug)]
pub struct Peer {
    child: Child,
    /// `None` once the input has been closed.
    input: Option<ChildStdin>,
    output: ChildStdout,
    /// A call for each id, one behind the other, and the circle once more.
    lines: Vec<u8>,
    ids: usize,
    line_length: usize,
    answer_length: usize,
    next: usize,
    buffer: Vec<u8>,
}

impl Peer {
    /// Starts `program role`, which calls of a tool that adds are made to, and waits for its first answer.
    ///
    /// # Errors
    ///
    /// It does not start, or it does not answer the call.
    pub fn start(program: &Path, role: &str, tool: &str) -> io::Result<Self> {
        let call = |id| message::add_by(id, tool);
        Self::of(Command::new(program).arg(role), IDS, call, r#""text":"5""#)
    }

    /// The same in a session of revision 2025-11-25, which is opened first.
    ///
    /// # Errors
    ///
    /// It does not start, or it does not answer the opening or the call.
    pub fn start_session(program: &Path, role: &str, tool: &str) -> io::Result<Self> {
        let call = |id| message::session_add(id, tool);
        let command = &mut Command::new(program);
        Self::opened(
            command.arg(role),
            message::OPENING,
            IDS,
            call,
            r#""text":"5""#,
        )
    }

    /// Starts a command, which calls with `ids` different ids are made to, and waits for its first answer.
    ///
    /// # Errors
    ///
    /// It does not start, or its answer does not contain `expected`.
    pub fn of(
        command: &mut Command,
        ids: usize,
        call: impl Fn(usize) -> String,
        expected: &str,
    ) -> io::Result<Self> {
        Self::opened(command, "", ids, call, expected)
    }

    /// The same, after an opening that has one answer unless it is empty.
    fn opened(
        command: &mut Command,
        opening: &str,
        ids: usize,
        call: impl Fn(usize) -> String,
        expected: &str,
    ) -> io::Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(mut input), Some(mut output)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both streams are piped")
        };
        if !opening.is_empty() {
            input.write_all(opening.as_bytes())?;
            let mut byte = [0];
            while byte != *b"\n" {
                output.read_exact(&mut byte)?;
            }
        }
        let mut lines = Vec::new();
        for number in 0..2 * ids {
            lines.extend_from_slice(call(FIRST_ID + number % ids).as_bytes());
            lines.push(b'\n');
        }
        let mut peer = Self {
            child,
            input: Some(input),
            output,
            line_length: lines.len() / (2 * ids),
            ids,
            lines,
            answer_length: 0,
            next: 0,
            buffer: vec![0; PIPE],
        };
        peer.send(1)?;
        let mut answer = 0;
        while !peer.buffer[..answer].ends_with(b"\n") {
            if answer == peer.buffer.len() {
                peer.buffer.resize(2 * answer, 0);
            }
            answer += peer.receive(answer)?;
        }
        let text = String::from_utf8_lossy(&peer.buffer[..answer]);
        if !text.contains(expected) {
            return Err(io::Error::other(format!("an unexpected answer: {text}")));
        }
        peer.answer_length = answer;
        Ok(peer)
    }

    /// Makes one call and tells how long its answer took.
    ///
    /// # Errors
    ///
    /// The server does not answer.
    pub fn call(&mut self) -> io::Result<Duration> {
        let begin = Instant::now();
        self.calls(1, 1)?;
        Ok(begin.elapsed())
    }

    /// Makes calls, of which `window` are in flight until the last have been sent.
    ///
    /// # Errors
    ///
    /// The server does not answer, or not with as many bytes as the first time.
    pub fn calls(&mut self, count: usize, window: usize) -> io::Result<()> {
        if window * self.line_length > PIPE {
            return self.long_calls(count, window);
        }
        let mut sent = count.min(window);
        self.send(sent)?;
        let mut received = 0;
        while received < count * self.answer_length {
            let answered = received / self.answer_length;
            received += self.receive(0)?;
            let freed = received / self.answer_length - answered;
            let more = freed.min(count - sent);
            if more > 0 {
                self.send(more)?;
                sent += more;
            }
        }
        if received > count * self.answer_length {
            return Err(io::Error::other("more was answered than asked"));
        }
        Ok(())
    }

    /// The same where the pipe does not hold the calls in flight: a second thread writes.
    fn long_calls(&mut self, count: usize, window: usize) -> io::Result<()> {
        let Self {
            input: Some(input),
            output,
            lines,
            ids,
            line_length,
            answer_length,
            next,
            buffer,
            ..
        } = self
        else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let (length, total) = (*line_length, count * *answer_length);
        thread::scope(|scope| {
            let (permits, permitted) = mpsc::channel();
            let writer = scope.spawn(move || {
                permitted.iter().try_for_each(|()| {
                    let line = &lines[*next * length..][..length];
                    *next = (*next + 1) % *ids;
                    input.write_all(line)
                })
            });
            // The writer has failed if it takes no permit, and tells why below.
            let permit = |calls| (0..calls).for_each(|_| permits.send(()).unwrap_or_default());
            let mut sent = count.min(window);
            permit(sent);
            let mut received = 0;
            while received < total {
                let answered = received / *answer_length;
                received += match output.read(buffer)? {
                    0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                    count => count,
                };
                let more = (received / *answer_length - answered).min(count - sent);
                permit(more);
                sent += more;
            }
            drop(permits);
            match writer.join() {
                Ok(written) => written,
                Err(_) => unreachable!("the writer does not panic"),
            }
        })
    }

    /// The memory that the server has in use, in bytes.
    ///
    /// # Errors
    ///
    /// The system does not tell; Linux does.
    pub fn memory(&self) -> io::Result<u64> {
        process::memory(&self.child)
    }

    /// The processor time that the server has taken.
    ///
    /// # Errors
    ///
    /// The system does not tell; Linux does.
    pub fn cpu_time(&self) -> io::Result<Duration> {
        process::cpu_time(&self.child)
    }

    fn send(&mut self, calls: usize) -> io::Result<()> {
        let begin = self.next * self.line_length;
        self.next = (self.next + calls) % self.ids;
        match &mut self.input {
            Some(input) => input.write_all(&self.lines[begin..begin + calls * self.line_length]),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn receive(&mut self, at: usize) -> io::Result<usize> {
        match self.output.read(&mut self.buffer[at..])? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            count => Ok(count),
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The end of its input ends the server; it is waited for, so that it disturbs nothing that is measured next.
        self.input = None;
        // There is nobody to tell of a failure, and nothing is lost by one.
        let _ended = self.child.wait();
    }
}
