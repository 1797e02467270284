//! `tools/list` and `tools/call` (server/tools).

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::call::Call;
use super::invocation::Arguments;
use super::message::{optional_object, string};
use super::target::CallTarget;
use super::{Answer, CallHandle, Core, DispatchError, PendingCall, PendingFunction, Request, task};
use crate::convert::{Failure, Rejected, Rejection, Written};
use crate::json::write_str;
use crate::jsonrpc::{RawId, write_error, write_result_start};
use crate::protocol::{Params, Revision};
use crate::registry::{CallFn, Callee, Handler, HandlerInput, Tool};
use crate::schema::{Fault, quote_wide_integers};

const ASKS_FOR_INPUT: &str = "Additional client input is required before this tool can finish.";

/// Answers `tools/call`.
pub(super) fn call(
    core: &Arc<Core>,
    request: &Request<'_>,
    params: &Params<'_>,
    control: &Arc<CallHandle>,
    out: &mut Vec<u8>,
) -> Result<Answer, DispatchError> {
    let name = name(params)?;
    let registry = core.registry.load();
    let Some(tool) = registry.tool(&name) else {
        if core.options.profile.answers().unknown_tool_is_result {
            core.write_failed_call(control, request.id, "Tool not found", out);
            return Ok(Answer::Written);
        }
        return Err(DispatchError::UnknownTool(name.into_owned()));
    };
    let arguments = arguments(params)?;
    if !request.argument_faults.is_empty() {
        let lines: Vec<_> = request
            .argument_faults
            .iter()
            .map(ToString::to_string)
            .collect();
        core.write_failed_call(control, request.id, &lines.join("\n"), out);
        return Ok(Answer::Written);
    }
    let call =
        Call::new(core, control, CallTarget::Tool(Arc::clone(tool)), arguments).resume(params)?;
    control.begin(tool.call_timeout(core.options.limits.call_timeout));
    if let Some(created) = task::created_at_once(&call, tool, request)? {
        return Ok(task::answer_later(core, request, control, created, out));
    }
    call.begin(tool.execution(), |call| match &tool.callee {
        Callee::Function(entry) => {
            let arguments = Arguments::Json(tool, arguments);
            call.run_function(entry.item.call, request, arguments, out)
        }
        Callee::Handler(handler) => run_handler(call, tool, &**handler, request, out),
    })
}

/// Begins a run of a task, within the layers if there are some; gives the response if the tool was not fit to be called.
pub(super) fn begin_task_call(
    core: &Arc<Core>,
    tool: &Arc<Tool>,
    request: &Request<'_>,
    control: &Arc<CallHandle>,
) -> Result<PendingCall, Vec<u8>> {
    if core.layers.is_some() {
        return Ok(core.call_task_layers(tool, request, control));
    }
    begin_task_function(core, tool, request, control)
}

/// Begins a run of a task; gives the response if the tool was not fit to be called.
pub(super) fn begin_task_function(
    core: &Arc<Core>,
    tool: &Arc<Tool>,
    request: &Request<'_>,
    control: &Arc<CallHandle>,
) -> Result<PendingCall, Vec<u8>> {
    let refuse = |error: DispatchError| {
        let mut response = Vec::new();
        write_error(
            &mut response,
            request.id,
            &error.to_wire(core.options.profile),
        );
        Err(response)
    };
    let Some(params) = request.params() else {
        return refuse(DispatchError::Params("params must be an object"));
    };
    let arguments = match arguments(params) {
        Ok(arguments) => arguments,
        Err(error) => return refuse(error),
    };
    let Some(CallFn::Async(function)) = tool.entry().map(|entry| entry.item.call) else {
        return refuse(DispatchError::ToolChanged(tool.name.clone().into_owned()));
    };
    control.begin(tool.timeout.filter(|time| !time.is_zero()));
    let call = Call::new(core, control, CallTarget::Tool(Arc::clone(tool)), arguments);
    let future = call.start_async(function, request, Arguments::Json(tool, arguments))?;
    Ok(PendingCall::Function(PendingFunction::new(
        call.into_owned(),
        Some(future),
    )))
}

/// Runs a handler that was registered at run time.
fn run_handler(
    call: Call<'_>,
    tool: &Tool,
    handler: &dyn Handler,
    request: &Request<'_>,
    out: &mut Vec<u8>,
) -> Answer {
    match handler_input(&call, tool, request) {
        Ok(input) => call.run_handler(handler, input, request.id, out),
        Err(faults) => {
            let mut reply = call.begin_reply(Vec::new(), request.id);
            call.reject(Rejected(Rejection::Arguments(faults)), &mut reply);
            out.append(&mut call.finish(request.id, 0, reply));
            Answer::Written
        }
    }
}

/// The JSON objects that a handler gets, once its arguments have passed.
fn handler_input(
    call: &Call<'_>,
    tool: &Tool,
    request: &Request<'_>,
) -> Result<HandlerInput, Vec<Fault>> {
    let schema = match tool.input() {
        Ok(input) => &input.schema,
        Err(_) => unreachable!("a registered tool has a schema"),
    };
    let mut arguments = call.arguments.clone();
    if !schema.accepts_all(&arguments) {
        let repaired = call.core.options.repair.then(|| schema.repair(&arguments));
        match repaired.flatten() {
            Some(repaired) => arguments = Cow::Owned(repaired.arguments),
            None => return Err(schema.faults(&arguments)),
        }
    }
    if let Some(canonical) = schema.canonical_all(&arguments) {
        arguments = Cow::Owned(canonical);
    }
    let context = call.take_context(request).clone();
    Ok(HandlerInput {
        arguments: object(&arguments, "arguments")?,
        input_responses: match context.begun_conversation() {
            Some(conversation) => object(&conversation.all_answers(), "input responses")?,
            None => empty(),
        },
        context,
    })
}

/// Checks what a tool wrote; gives the failure if it does not hold.
pub(super) fn check_result(core: &Core, tool: &Tool, written: &Written) -> Option<Failure> {
    let checked = match written.structured.clone() {
        Some(range) => check_output(tool, &written.out[range]),
        None if !written.is_error => check_absence(core, tool),
        None => Ok(()),
    };
    checked.err()
}

/// Checks a result that a layer made in place of the tool's own.
pub(super) fn check_new_result(
    core: &Core,
    tool: &Tool,
    members: &Map<String, Value>,
) -> Result<(), Failure> {
    match members.get("structuredContent") {
        Some(value) => check_output(tool, value.to_string().as_bytes()),
        None if members.get("isError") == Some(&Value::Bool(true)) => Ok(()),
        None => check_absence(core, tool),
    }
}

/// Checks that a result without structured content has no schema in the list that promises some.
fn check_absence(core: &Core, tool: &Tool) -> Result<(), Failure> {
    if !core.options.profile.answers().revision.is_bare
        && let Ok(Some(_)) = tool.output()
    {
        let text = "the tool has an output schema, but gave no structured content";
        tracing::warn!(tool = %tool.name, "{text}");
        return Err(Failure::Tool(text.to_owned()));
    }
    Ok(())
}

impl Core {
    /// Writes a result that says that the call failed.
    pub(super) fn write_failed_call(
        &self,
        control: &CallHandle,
        id: RawId<'_>,
        text: &str,
        out: &mut Vec<u8>,
    ) {
        let mut reply = self.begin_reply(self.revision(control), std::mem::take(out), id);
        reply.text(text);
        *out = reply.into_parts().out;
        out.extend_from_slice(br#","isError":true"#);
        out.extend_from_slice(self.closing(self.revision(control)));
    }

    /// Ends a round of a caller without metadata, with its requests as JSON.
    pub(super) fn write_bare_round(&self, id: RawId<'_>, requests: &[u8], out: &mut Vec<u8>) {
        write_result_start(out, id);
        out.extend_from_slice(br#"{"resultType":"input_required","requests":"#);
        out.extend_from_slice(requests);
        out.extend_from_slice(br#","content":[{"type":"text","text":"#);
        write_str(out, ASKS_FOR_INPUT);
        out.extend_from_slice(b"}]");
        out.extend_from_slice(self.closing(Revision::BARE));
    }
}

fn name<'a>(params: &Params<'a>) -> Result<Cow<'a, str>, DispatchError> {
    let name = params.name.and_then(string);
    name.ok_or(DispatchError::Params(
        "name is required and must be a string",
    ))
}

fn arguments<'a>(params: &Params<'a>) -> Result<&'a str, DispatchError> {
    let arguments = optional_object(params.arguments)
        .map_err(|()| DispatchError::Params("arguments must be an object"))?;
    Ok(arguments.unwrap_or("{}"))
}

fn object(text: &str, what: &str) -> Result<Value, Vec<Fault>> {
    // The text was read as JSON before; only a number beyond the range of `f64` is left to refuse here.
    serde_json::from_str(&quote_wide_integers(text)).map_err(|_| {
        let line = format!("the {what} hold a number that a 64-bit float cannot hold");
        vec![Fault::whole(line)]
    })
}

fn empty() -> Value {
    Value::Object(Map::new())
}

/// Checks structured content against the schema that the list shows.
fn check_output(tool: &Tool, json: &[u8]) -> Result<(), Failure> {
    let schema = match tool.output() {
        Ok(Some(schema)) => schema,
        Ok(None) => return Ok(()),
        Err(problems) => {
            tracing::error!(tool = %tool.name, "the result cannot be checked: {problems}");
            return Err(Failure::Broken);
        }
    };
    let broken = |fault: &dyn fmt::Display| {
        let text = format!("the result of the tool does not fit its output schema: {fault}");
        tracing::warn!(tool = %tool.name, "{text}");
        Failure::Tool(text)
    };
    // What serde writes is UTF-8.
    let json = std::str::from_utf8(json).map_err(|error| broken(&error))?;
    if schema.accepts(json) {
        return Ok(());
    }
    let lines: Vec<_> = schema
        .faults(json)
        .iter()
        .map(ToString::to_string)
        .collect();
    Err(broken(&lines.join("; ")))
}
