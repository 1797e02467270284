//! One call: what is called, on whose behalf, with which arguments, and the context that its function takes.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::sync::Arc;

use super::conversation::ResumeState;
use super::target::CallTarget;
use super::{CallHandle, Context, Core, DispatchError, Request};
use crate::convert::{ReadTarget, Reply};
use crate::exec::Execution;
use crate::jsonrpc::{RawId, write_result_start};
use crate::protocol::{Params, Revision};
use crate::registry::Handler;

/// One call of a function or of the task store, from its request to its response.
pub(super) struct Call<'r> {
    pub(super) core: Arc<Core>,
    pub(super) control: Arc<CallHandle>,
    pub(super) called: CallTarget,
    /// The arguments, a JSON object.
    pub(super) arguments: Cow<'r, str>,
    /// What the request brings from the rounds before it, until a context takes it.
    earlier: Cell<Option<Box<ResumeState>>>,
    /// By which the function asks; empty for one that takes none, and so could not read an answer.
    context: OnceCell<Context>,
}

impl<'r> Call<'r> {
    pub(super) fn new(
        core: &Arc<Core>,
        control: &Arc<CallHandle>,
        called: CallTarget,
        arguments: &'r str,
    ) -> Self {
        Self {
            core: Arc::clone(core),
            control: Arc::clone(control),
            called,
            arguments: Cow::Borrowed(arguments),
            earlier: Cell::default(),
            context: OnceCell::new(),
        }
    }

    /// Takes what the request brings from the rounds before it; the function may run only if this succeeds.
    pub(super) fn resume(self, params: &Params<'_>) -> Result<Self, DispatchError> {
        if params.carries_a_round() || self.control.session().is_some() {
            self.earlier.set(self.read_earlier(params)?.map(Box::new));
        }
        Ok(self)
    }

    /// The context that the function takes, made when it first does.
    pub(super) fn take_context(&self, request: &Request<'_>) -> &Context {
        self.context.get_or_init(|| self.new_context(request))
    }

    /// The context that comes with the input of a handler, which may not take it.
    pub(super) fn context_for<Input>(
        &self,
        handler: &dyn Handler<Input>,
        request: &Request<'_>,
    ) -> Context {
        if handler.takes_context() {
            self.take_context(request).clone()
        } else {
            self.new_context(request)
        }
    }

    fn new_context(&self, request: &Request<'_>) -> Context {
        Context::new(self, request, self.earlier.take().map(|earlier| *earlier))
    }

    /// The context that the function has taken.
    pub(super) fn context(&self) -> Option<&Context> {
        self.context.get()
    }

    /// Drops the context of a function that has ended, so that what waits by it ends, too.
    pub(super) fn end_context(&mut self) {
        if let Some(context) = self.context.take() {
            context.end();
        }
    }

    /// Begins the function where one of its execution may run, and within the transport's runtime.
    pub(super) fn begin<T>(
        self,
        execution: Execution,
        run: impl FnOnce(Self) -> T,
    ) -> Result<T, DispatchError> {
        let control = Arc::clone(&self.control);
        let mut begun = Some((self, run));
        let mut result = None;
        let entered = control.enter(execution, &mut || {
            if let Some((call, run)) = begun.take() {
                result = Some(run(call));
            }
        });
        match (entered, result) {
            (Ok(()), Some(result)) => Ok(result),
            _ => Err(DispatchError::NoRuntime),
        }
    }

    /// The same call without the text of its request, for a function that waits.
    pub(super) fn into_owned(self) -> Call<'static> {
        let Self {
            core,
            control,
            called,
            arguments,
            earlier,
            context,
        } = self;
        Call {
            core,
            control,
            called,
            arguments: match context.get() {
                Some(_) => Cow::Owned(arguments.into_owned()),
                // Only the questions of a function need them later.
                None => Cow::Borrowed("{}"),
            },
            earlier,
            context,
        }
    }

    /// Begins a response: everything up to the result's own members.
    pub(super) fn begin_reply(&self, out: Vec<u8>, id: RawId<'_>) -> Reply {
        let reply = self.core.begin_reply(self.revision(), out, id);
        match &self.called {
            CallTarget::Resource(reading) => reply.reading(ReadTarget {
                uri: reading.uri.clone(),
                mime_type: (reading.resource.entry()).map_or("", |entry| (entry.mime_type)()),
            }),
            CallTarget::Tool(tool) if self.control.session().is_some() => {
                reply.wrapped(tool.output_is_wrapped())
            }
            CallTarget::Tool(_)
            | CallTarget::Prompt(_)
            | CallTarget::Completion
            | CallTarget::Tasks => reply,
        }
    }

    /// What the messages about the call can say.
    pub(super) fn revision(&self) -> &'static Revision {
        self.core.revision(&self.control)
    }
}

impl Core {
    /// Begins a response in the form of a revision: everything up to the result's own members.
    pub(super) fn begin_reply(
        &self,
        revision: &'static Revision,
        mut out: Vec<u8>,
        id: RawId<'_>,
    ) -> Reply {
        write_result_start(&mut out, id);
        Reply::new(out, revision)
    }
}
