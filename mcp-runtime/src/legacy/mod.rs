//! The front for clients of revisions that begin with `initialize`: which messages are theirs, the handshake, and the
//! forms of the messages that these revisions do not share with the current one.
//!
//! It makes values and bytes. Connections keep the sessions; nothing else in the crate knows that there are such revisions.

mod era;
mod initialize;
mod question;
mod revision;

pub(crate) use self::era::Era;
pub(crate) use self::initialize::{log_level, open_session, uri, write_session};
pub(crate) use self::question::{elicitation_id_size, refusal, write_cancellation, write_question};
