//! A request on behalf of the person at the terminal, who answers what is asked.

use std::io;
use std::time::Duration;

use super::person::Person;
use crate::protocol::Capability;
use crate::protocol::TASKS_EXTENSION;
use crate::server::{Caller, Server};

/// How long the store of tasks may take to end the work on them.
const STOP: Duration = Duration::from_secs(2);

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
        Capability::extension(TASKS_EXTENSION),
    ]);
    let response = server.converse(&caller, person, method, params);
    // What is left goes on in the next process at once, and is not cut in the middle of a step.
    Server::stop_tasks_within(server.core(), STOP, STOP);
    response
}
