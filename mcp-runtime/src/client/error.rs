//! Why a client could not go on.

use std::fmt;

use crate::jsonrpc::ErrorObject;
use crate::server::RecordedRequest;

/// Why a [`Client`](crate::client::Client) could not go on with its request.
///
/// Its `Debug` is its `Display`, so that a test which unwraps it says what is wrong.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum ClientError {
    /// The server refused a request for a list, a completion or a stream.
    Refused(ErrorObject),
    /// Something was asked that has no answer.
    Unanswered(RecordedRequest),
    /// The answer to what was asked cannot be sent, and why.
    Unsendable(RecordedRequest, String),
    /// Something was asked once more than it has answers.
    NoMoreAnswers {
        /// What was asked.
        asked: RecordedRequest,
        /// How many answers there were.
        given: usize,
    },
    /// The server asked on and on: either the answers do not fit what is asked, or the function does not stop asking.
    TooManyRounds {
        /// What was asked last.
        asked: RecordedRequest,
        /// How many rounds of questions there were.
        rounds: usize,
    },
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => {
                write!(f, "the server refused the request: {}", error.message)
            }
            Self::Unanswered(asked) => {
                write!(f, "nothing answers {}", Question(asked))
            }
            Self::Unsendable(asked, fault) => {
                write!(
                    f,
                    "the answer to {} cannot be sent: {fault}",
                    Question(asked)
                )
            }
            Self::NoMoreAnswers { asked, given } => {
                let question = Question(asked);
                write!(f, "all {given} answers have been given before {question}")
            }
            Self::TooManyRounds { asked, rounds } => {
                let question = Question(asked);
                write!(
                    f,
                    "the request is not done after {rounds} rounds, and asks {question}; \
                     its answers do not fit what is asked, or the function goes on asking"
                )
            }
        }
    }
}

/// A question in words: its key, and what a user would read, or else its method.
struct Question<'a>(&'a RecordedRequest);

impl fmt::Display for Question<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(asked) = self;
        let text = asked.message().unwrap_or(asked.method());
        write!(f, "`{}`: {text}", asked.key())?;
        if let Some(url) = asked.url() {
            write!(f, " ({url})")?;
        }
        let form = asked.requested_schema();
        let fields = form.and_then(|form| form.get("properties")?.as_object());
        if let Some(fields) = fields.filter(|fields| !fields.is_empty()) {
            let names: Vec<_> = fields.keys().map(|name| format!("`{name}`")).collect();
            write!(f, " (fields: {})", names.join(", "))?;
        }
        Ok(())
    }
}

impl fmt::Debug for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for ClientError {}
