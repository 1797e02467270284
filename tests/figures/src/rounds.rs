//! A call with a question in its middle, as both of its rounds are sent again and again.

use std::io;

use mcp_runtime::Server;
use memchr::memmem;

use crate::{message, tools};

/// Both requests of a call in two rounds.
///
/// The second is good for as long as its state is, since nothing here makes a state good for one use.
#[derive(Debug)]
pub struct Rounds {
    first: String,
    second: String,
}

impl Rounds {
    /// Asks the server once, with a step whose result has `length` bytes; without a step, nothing is sealed.
    ///
    /// # Errors
    ///
    /// The server does not ask, or it does not take the answer.
    pub fn of(server: &Server, length: usize) -> io::Result<Self> {
        let first = message::order(1, length);
        let asked = tools::answer(server, &first);
        expect(&asked, r#""resultType":"input_required""#)?;
        let state = state(&asked);
        if state.is_some() != (length > 0) {
            return Err(io::Error::other(
                "a state is carried for a step, and for nothing else",
            ));
        }
        let second = message::ordered(1, length, state);
        expect(
            &tools::answer(server, &second),
            r#""resultType":"complete""#,
        )?;
        Ok(Self { first, second })
    }

    /// Sends both.
    pub fn run(&self, server: &Server, out: &mut Vec<u8>) {
        for message in [&self.first, &self.second] {
            out.clear();
            server.handle_message_blocking(message.as_bytes(), out);
        }
    }
}

fn expect(answer: &[u8], member: &str) -> io::Result<()> {
    let answer = String::from_utf8_lossy(answer);
    if answer.contains(member) && !answer.contains(r#""isError":true"#) {
        return Ok(());
    }
    Err(io::Error::other(format!("an unexpected answer: {answer}")))
}

/// The state in an answer, which has no escapes.
fn state(answer: &[u8]) -> Option<&str> {
    const MEMBER: &[u8] = br#""requestState":""#;
    let begin = memmem::find(answer, MEMBER)? + MEMBER.len();
    let end = begin + memchr::memchr(b'"', &answer[begin..])?;
    std::str::from_utf8(&answer[begin..end]).ok()
}
