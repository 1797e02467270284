//! `tools/list` and `tools/call` (server/tools).

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::invocation::{Arguments, ContextSource};
use super::message::string;
use super::run::Called;
use super::{
    Answer, CallControl, Context, Core, DispatchError, PendingCall, PendingFunction, Request,
};
use crate::convert::{Failure, Rejected, Rejection, ResourceError, ToolError, Written};
use crate::json::write_str;
use crate::jsonrpc::{RawId, write_error, write_result_start};
use crate::protocol::{Params, Revision};
use crate::registry::{CallFn, Callee, Handler, HandlerInput, TaskSupport, Tool};
use crate::schema::{Fault, quote_wide_integers};

/// What a model is told of a panic; the rest is for the log.
const PANICKED: &str = "the tool failed";
const ASKS_FOR_INPUT: &str = "Additional client input is required before this tool can finish.";

impl Core {
    /// Answers `tools/call`.
    pub(super) fn call_tool(
        self: &Arc<Self>,
        request: &Request<'_>,
        params: &Params<'_>,
        control: &Arc<CallControl>,
        out: &mut Vec<u8>,
    ) -> Result<Answer, DispatchError> {
        let name = ToolCall::name(params)?;
        let answers = self.options.profile.answers();
        let registry = self.registry.load();
        let Some(tool) = registry.tool(&name) else {
            if answers.unknown_tool_is_result {
                self.write_failed_call(control, request.id, "Tool not found", out);
                return Ok(Answer::Written);
            }
            return Err(DispatchError::UnknownTool(name.into_owned()));
        };
        let call = ToolCall::read(params)?;
        if !request.argument_faults.is_empty() {
            let lines: Vec<_> = request
                .argument_faults
                .iter()
                .map(ToString::to_string)
                .collect();
            self.write_failed_call(control, request.id, &lines.join("\n"), out);
            return Ok(Answer::Written);
        }
        let earlier = if params.carries_a_round() {
            let called = Called::Tool(Arc::clone(tool));
            self.earlier(&called, call.arguments, params, control)?
        } else {
            None
        };
        control.begin(tool.timeout.or(self.options.limits.call_time));
        let source = ContextSource {
            core: self,
            control,
            request,
            earlier: Cell::new(earlier),
            may_be_task: tool.task != TaskSupport::Forbidden,
        };
        if source.may_be_task
            && let Some(created) = self.task_of(tool, call.arguments, &source)?
        {
            return Ok(self.answer_later(request, control, created, out));
        }
        source.begin(tool.execution(), &mut || {
            self.run(tool, &call, &source, out)
        })
    }

    /// Begins a run of a task, within the layers if there are some; gives the response if the tool was not fit to be called.
    pub(super) fn begin_task_call(
        self: &Arc<Self>,
        tool: &Arc<Tool>,
        request: &Request<'_>,
        control: &Arc<CallControl>,
    ) -> Result<PendingCall, Vec<u8>> {
        if self.layers.is_some() {
            return Ok(self.call_task_layers(tool, request, control));
        }
        self.begin_task_function(tool, request, control)
    }

    /// Begins a run of a task; gives the response if the tool was not fit to be called.
    pub(super) fn begin_task_function(
        self: &Arc<Self>,
        tool: &Arc<Tool>,
        request: &Request<'_>,
        control: &Arc<CallControl>,
    ) -> Result<PendingCall, Vec<u8>> {
        let refuse = |error: DispatchError| {
            let mut response = Vec::new();
            write_error(
                &mut response,
                request.id,
                &error.to_wire(self.options.profile),
            );
            Err(response)
        };
        let Some(params) = request.params() else {
            return refuse(DispatchError::Params("params must be an object"));
        };
        let call = match ToolCall::read(params) {
            Ok(call) => call,
            Err(error) => return refuse(error),
        };
        let Some(CallFn::Async(function)) = tool.entry().map(|entry| entry.item.call) else {
            return refuse(DispatchError::ToolChanged(tool.name.clone().into_owned()));
        };
        control.begin(tool.timeout.filter(|time| !time.is_zero()));
        let source = ContextSource {
            core: self,
            control,
            request,
            earlier: Cell::default(),
            may_be_task: true,
        };
        let called = Called::Tool(Arc::clone(tool));
        let arguments = Arguments::Json(tool, call.arguments);
        let (future, context) = self.call_async(&called, function, arguments, &source)?;
        let control = Arc::clone(control);
        Ok(PendingCall::Function(PendingFunction::new(
            Arc::clone(self),
            called,
            control,
            context,
            future,
        )))
    }

    fn run(
        self: &Arc<Self>,
        tool: &Arc<Tool>,
        call: &ToolCall<'_>,
        source: &ContextSource<'_>,
        out: &mut Vec<u8>,
    ) -> Answer {
        match &tool.callee {
            Callee::Function(entry) => {
                let arguments = Arguments::Json(tool, call.arguments);
                let called = Called::Tool(Arc::clone(tool));
                self.run_function(called, entry.item.call, arguments, source, out)
            }
            Callee::Handler(handler) => self.handle_call(tool, &**handler, call, source, out),
        }
    }

    fn handle_call(
        self: &Arc<Self>,
        tool: &Arc<Tool>,
        handler: &dyn Handler,
        call: &ToolCall<'_>,
        source: &ContextSource<'_>,
        out: &mut Vec<u8>,
    ) -> Answer {
        let id = source.request.id;
        let called = Called::Tool(Arc::clone(tool));
        let mut reply = self.begin_reply(source.control, Vec::new(), id);
        let input = match self.handler_input(tool, call, source) {
            Ok(input) => input,
            Err(faults) => {
                self.reject(Rejected(Rejection::Arguments(faults)), &mut reply);
                let asker = source.asker(None);
                out.append(&mut self.conclude(&called, asker, source.control, id, 0, reply));
                return Answer::Written;
            }
        };
        let context = Some(input.context.clone());
        self.run_handler(called, handler, input, context, source, out)
    }

    /// The JSON objects that a handler gets, once its arguments have passed.
    fn handler_input(
        &self,
        tool: &Tool,
        call: &ToolCall<'_>,
        source: &ContextSource<'_>,
    ) -> Result<HandlerInput, Vec<Fault>> {
        let schema = match tool.input() {
            Ok(input) => &input.schema,
            Err(_) => unreachable!("a registered tool has a schema"),
        };
        let mut arguments = Cow::Borrowed(call.arguments);
        if !schema.accepts_all(&arguments) {
            let repaired = self.options.repair.then(|| schema.repair(&arguments));
            match repaired.flatten() {
                Some(repaired) => arguments = Cow::Owned(repaired.arguments),
                None => return Err(schema.faults(&arguments)),
            }
        }
        if let Some(canonical) = schema.canonical_all(&arguments) {
            arguments = Cow::Owned(canonical);
        }
        let context = Context::new(source);
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
    pub(super) fn check_tool(&self, tool: &Tool, written: &Written) -> Option<Failure> {
        let checked = match written.structured.clone() {
            Some(range) => check_output(tool, &written.out[range]),
            None if !written.is_error => self.check_absence(tool),
            None => Ok(()),
        };
        checked.err()
    }

    /// Checks a result that a layer made in place of the tool's own.
    pub(super) fn check_new_result(
        &self,
        tool: &Tool,
        members: &Map<String, Value>,
    ) -> Result<(), Failure> {
        match members.get("structuredContent") {
            Some(value) => check_output(tool, value.to_string().as_bytes()),
            None if members.get("isError") == Some(&Value::Bool(true)) => Ok(()),
            None => self.check_absence(tool),
        }
    }

    /// Checks that a result without structured content has no schema in the list that promises some.
    fn check_absence(&self, tool: &Tool) -> Result<(), Failure> {
        if !self.options.profile.answers().revision.is_bare
            && let Ok(Some(_)) = tool.output()
        {
            let text = "the tool has an output schema, but gave no structured content";
            tracing::warn!(tool = %tool.name, "{text}");
            return Err(Failure::Tool(text.to_owned()));
        }
        Ok(())
    }

    /// Tells how a call failed.
    pub(super) fn write_tool_failure(
        &self,
        tool: &Tool,
        control: &CallControl,
        id: RawId<'_>,
        failure: Failure,
        out: &mut Vec<u8>,
    ) {
        let profile = self.options.profile;
        match failure {
            Failure::Arguments(text) => self.write_failed_call(control, id, &text, out),
            Failure::NotFound => {
                let text = ToolError::from(ResourceError::not_found()).to_string();
                self.write_failed_call(control, id, &format!("Error: {text}"), out);
            }
            Failure::Tool(text) => {
                let text = if self.options.mask_errors {
                    tracing::warn!(tool = %tool.name, "the tool failed: {text}");
                    PANICKED
                } else {
                    &text
                };
                self.write_failed_call(control, id, &format!("Error: {text}"), out);
            }
            Failure::Panic => {
                self.write_failed_call(control, id, &format!("Error: {PANICKED}"), out)
            }
            Failure::Request(error) => {
                let error = DispatchError::Handler(error);
                control.judge(error.verdict());
                write_error(out, id, &error.to_wire(profile));
            }
            Failure::Broken => {
                let error = DispatchError::BrokenSchema(tool.name.clone().into_owned());
                write_error(out, id, &error.to_wire(profile));
            }
            Failure::InputRequired(_) => unreachable!("`conclude` ends the round"),
        }
    }

    /// Writes a result that says that the call failed.
    pub(super) fn write_failed_call(
        &self,
        control: &CallControl,
        id: RawId<'_>,
        text: &str,
        out: &mut Vec<u8>,
    ) {
        let mut reply = self.begin_reply(control, std::mem::take(out), id);
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

/// The parameters of a call, of the right types.
pub(super) struct ToolCall<'a> {
    /// A JSON object.
    arguments: &'a str,
}

impl<'a> ToolCall<'a> {
    fn name(params: &Params<'a>) -> Result<Cow<'a, str>, DispatchError> {
        let name = params.name.and_then(string);
        name.ok_or(DispatchError::Params(
            "name is required and must be a string",
        ))
    }

    fn read(params: &Params<'a>) -> Result<Self, DispatchError> {
        Ok(Self {
            arguments: optional_object(params.arguments)
                .map_err(|()| DispatchError::Params("arguments must be an object"))?
                .unwrap_or("{}"),
        })
    }
}

/// The text of an object; absence and `null` are no object.
pub(super) fn optional_object(raw: Option<&RawValue>) -> Result<Option<&str>, ()> {
    match raw.map(RawValue::get) {
        None | Some("null") => Ok(None),
        Some(text) if text.starts_with('{') => Ok(Some(text)),
        Some(_) => Err(()),
    }
}

/// The text of an object that was found to be one, or to be absent.
pub(super) fn object_or_empty(raw: Option<&RawValue>) -> &str {
    optional_object(raw).ok().flatten().unwrap_or("{}")
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
