//! The two profiles: the published protocol, and a bare JSON-RPC contract.

use crate::protocol::Revision;
use crate::registry::Listing;

/// Which rules a server holds its callers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Profile {
    /// The published protocol, to the letter.
    #[default]
    Strict,
    /// A bare JSON-RPC contract for callers that send neither `_meta` nor headers:
    /// `tools/list` and `tools/call` with results of `content` alone, every message answered, notifications too.
    Contract,
}

/// What a profile answers: the places where the two differ, and nothing else.
///
/// The stages that a message passes are the same for both.
#[derive(Debug)]
pub(crate) struct Answers {
    /// Notifications are answered, with `id: null`, and so are messages whose id cannot be read; responses are refused.
    pub(crate) answers_without_id: bool,
    /// Requests carry metadata.
    pub(crate) needs_meta: bool,
    /// A tool that does not exist is a result that says so, not an error.
    pub(crate) unknown_tool_is_result: bool,
    /// Arguments of registered handlers are theirs to check, but for the required ones.
    pub(crate) handlers_check_arguments: bool,
    /// Requests that need input go on over several rounds, with a state that their clients carry.
    pub(crate) has_rounds: bool,
    /// Prompts and resources are served, and not tools alone.
    pub(crate) has_all_methods: bool,
    /// What results can say, outside of sessions.
    pub(crate) revision: &'static Revision,
    /// The members and the order of lists.
    pub(crate) listing: Listing,
}

impl Profile {
    pub(crate) fn answers(self) -> &'static Answers {
        match self {
            Self::Strict => &Answers {
                answers_without_id: false,
                needs_meta: true,
                unknown_tool_is_result: false,
                handlers_check_arguments: false,
                has_rounds: true,
                has_all_methods: true,
                revision: Revision::CURRENT,
                listing: Listing::Full,
            },
            Self::Contract => &Answers {
                answers_without_id: true,
                needs_meta: false,
                unknown_tool_is_result: true,
                handlers_check_arguments: true,
                has_rounds: false,
                has_all_methods: false,
                revision: Revision::BARE,
                listing: Listing::Bare,
            },
        }
    }
}
