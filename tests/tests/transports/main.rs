//! The same conversations give the same replies over memory, stdio and HTTP, and over a transport of a user's own.
//!
//! A conversation is a file of lines, `{"client": …}` and `{"server": …}`. What the client says is a message, or a string
//! that is sent as it is. `UPDATE_GOLDEN=1` writes the server's lines anew, as stdio gives them.

#![allow(
    clippy::unwrap_used,
    reason = "a test ends where something is not as it should be"
)]

mod conversation;
mod http;
mod keys;
mod memory;
mod protocol;
mod stdio;
#[cfg(unix)]
mod unix;

use self::conversation::{Conversation, Transport};
use self::http::Http;
use self::memory::Memory;
use self::protocol::Protocol;
use self::stdio::StandardStreams;

/// Has all conversations over a transport.
fn converse<T: Transport>(start: impl Fn() -> T) {
    let conversations = Conversation::all();
    assert!(!conversations.is_empty());
    for conversation in conversations {
        conversation.hold(&mut start());
    }
}

/// Has all conversations of clients that begin with `initialize`.
fn converse_in_sessions<T: Transport>(start: impl Fn() -> T) {
    let conversations = Conversation::of_sessions();
    assert_eq!(conversations.len(), 4);
    for conversation in conversations {
        conversation.hold(&mut start());
    }
}

#[test]
fn over_memory() {
    converse(Memory::start);
    converse_in_sessions(Memory::start);
}

#[test]
fn over_stdio() {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        for conversation in Conversation::all() {
            conversation.record(&mut StandardStreams::start());
        }
        for conversation in Conversation::of_sessions() {
            conversation.record(&mut StandardStreams::start());
        }
    }
    converse(StandardStreams::start);
    converse_in_sessions(StandardStreams::start);
}

#[test]
fn over_http() {
    converse(Http::start);
}

#[cfg(unix)]
#[test]
fn over_unix_sockets() {
    converse(unix::UnixSockets::start);
}

#[test]
fn through_a_layer_they_are_the_same() {
    converse(Memory::start_layered);
    converse(StandardStreams::start_layered);
    converse_in_sessions(StandardStreams::start_layered);
    converse(Http::start_layered);
}

#[test]
fn everything_that_is_said_is_valid_in_the_protocol() {
    let mut protocol = Protocol::read();
    for conversation in Conversation::all() {
        conversation.check(&mut protocol);
    }
}

#[test]
fn everything_that_is_said_in_a_session_is_valid_in_its_revision() {
    for conversation in Conversation::of_sessions() {
        conversation.check_session();
    }
}
