//! A request on behalf of the person at the terminal, who answers what is asked.

use std::io;

use super::person::Person;
use crate::dispatch::TASKS;
use crate::protocol::Capability;
use crate::server::{Caller, Server};

/// Sends a request and gives the last response, as it would go over the wire; `params` are the members of its
/// parameters, without braces.
pub(super) fn converse(
    server: &Server,
    method: &str,
    params: &str,
    person: &mut Person<'_>,
) -> io::Result<Vec<u8>> {
    let caller = Caller::able(&[
        Capability::ElicitationForm,
        Capability::ElicitationUrl,
        Capability::extension(TASKS),
    ]);
    server.converse(&caller, person, method, params)
}
