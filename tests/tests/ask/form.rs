//! The forms of these tests.

use mcp_runtime::form::ElicitForm;

#[derive(Debug, PartialEq, ElicitForm)]
pub(crate) struct Confirm {
    /// Is that so?
    pub(crate) yes: bool,
}

#[derive(Debug, PartialEq, ElicitForm)]
pub(crate) struct Name {
    /// As you are called.
    pub(crate) name: String,
}

#[derive(Debug, PartialEq, ElicitForm)]
pub(crate) struct Colour {
    /// The best one, if there is one.
    pub(crate) colour: Option<String>,
}
