//! Which rules a message is held to: a property of each message, never of a connection.

use crate::protocol::Method;

/// The rules for one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// Those of the current revision.
    Modern,
    /// It opens a session.
    Opening,
    /// Those of the session that is open, or of no session for `ping`.
    Session,
}

impl Era {
    /// The rules for a request of this method: whether its metadata states a revision, and whether a session is open.
    ///
    /// All other metadata, and all headers, decide nothing: requests within sessions carry progress tokens.
    pub(crate) fn of(method: Option<Method>, states_revision: bool, has_session: bool) -> Self {
        match method {
            _ if states_revision => Self::Modern,
            Some(Method::Initialize) => Self::Opening,
            // Clients may ask whether the server is alive before they open a session.
            Some(Method::Ping) => Self::Session,
            _ if has_session => Self::Session,
            _ => Self::Modern,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_states_its_revision_is_modern_whatever_else_it_is() {
        for method in [
            None,
            Some(Method::Initialize),
            Some(Method::Ping),
            Some(Method::CallTool),
        ] {
            for has_session in [false, true] {
                assert_eq!(Era::of(method, true, has_session), Era::Modern);
            }
        }
    }

    #[test]
    fn any_other_request_belongs_to_the_session_if_there_is_one() {
        for (method, without, within) in [
            (Some(Method::Initialize), Era::Opening, Era::Opening),
            (Some(Method::Ping), Era::Session, Era::Session),
            (Some(Method::CallTool), Era::Modern, Era::Session),
            (Some(Method::Discover), Era::Modern, Era::Session),
            (None, Era::Modern, Era::Session),
        ] {
            assert_eq!(Era::of(method, false, false), without, "{method:?}");
            assert_eq!(Era::of(method, false, true), within, "{method:?}");
        }
    }
}
