//! The parameters of requests: the members that any method of ours reads, found in one pass.

use serde_json::value::RawValue;

use super::meta::RequestMeta;
use crate::jsonrpc::{Shape, object};

object! {
    /// The members of `params`, of whatever type; a method judges those that it needs.
    pub(crate) struct Params<'a> {
        /// The metadata of the request.
        meta: Shape<RequestMeta<'a>> = "_meta",
        /// The name of a tool or a prompt.
        name: &'a RawValue = "name",
        /// The arguments of a tool or a prompt.
        arguments: &'a RawValue = "arguments",
        /// The URI of a resource.
        uri: &'a RawValue = "uri",
        /// What a completion is for.
        reference: &'a RawValue = "ref",
        /// The argument that is completed.
        argument: &'a RawValue = "argument",
        /// The other arguments of a completion.
        context: &'a RawValue = "context",
        /// The position in a list.
        cursor: &'a RawValue = "cursor",
        /// Answers to what the server asked in an earlier round.
        input_responses: &'a RawValue = "inputResponses",
        /// The state that the server handed out in an earlier round.
        request_state: &'a RawValue = "requestState",
        /// What a stream is to tell of.
        notifications: &'a RawValue = "notifications",
        /// The task that a request is about.
        task_id: &'a RawValue = "taskId",
        /// The revision that a client wants its session to have.
        protocol_version: &'a RawValue = "protocolVersion",
        /// What the client of a session can do.
        capabilities: &'a RawValue = "capabilities",
        /// The software of the client of a session.
        client_info: &'a RawValue = "clientInfo",
        /// The least severe log messages that a session wants.
        level: &'a RawValue = "level",
        /// The request that a cancellation is about.
        request_id: &'a RawValue = "requestId",
    }
}

impl Params<'_> {
    /// Whether the request carries on an earlier one.
    pub(crate) fn carries_a_round(&self) -> bool {
        self.input_responses.is_some() || self.request_state.is_some()
    }
}
