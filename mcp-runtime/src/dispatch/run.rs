//! Runs the function behind a call, sync or async; a panic is a failed call.
//!
//! What is called, and what its arguments are, is found by `tools`, `prompts` and `resources`.

use std::task::{Context as TaskContext, Poll, Waker};

use super::call::Call;
use super::invocation::Arguments;
use super::target::CallTarget;
use super::{Answer, BoxFuture, Invocation, PendingCall, PendingFunction, Request};
use crate::convert::{Failure, Rejected, Reply};
use crate::jsonrpc::RawId;
use crate::panic::{Panicked, catch};
use crate::registry::{CallFn, Handler, HandlerRun};

impl Call<'_> {
    /// Runs an annotated function.
    pub(super) fn run_function(
        self,
        function: CallFn,
        request: &Request<'_>,
        arguments: Arguments<'_>,
        out: &mut Vec<u8>,
    ) -> Answer {
        match function {
            CallFn::Inline(function) | CallFn::Blocking(function) => {
                self.run_plain(function, request, arguments, out)
            }
            CallFn::Async(function) => self.run_async(function, request, arguments, out),
        }
    }

    /// Runs a plain function with the caller's buffer at hand.
    fn run_plain(
        self,
        function: fn(&mut Invocation<'_>) -> Result<(), Rejected>,
        request: &Request<'_>,
        arguments: Arguments<'_>,
        out: &mut Vec<u8>,
    ) -> Answer {
        let start = out.len();
        let reply = self.begin_reply(std::mem::take(out), request.id);
        let mut invocation = Invocation::new(&self, request, arguments, reply);
        let ran = catch(|| function(&mut invocation));
        let mut reply = invocation.take_reply();
        match ran {
            Ok(Ok(())) => {}
            Ok(Err(rejected)) => self.reject(rejected, &mut reply),
            Err(panic) => panicked(&self.called, &panic, &mut reply),
        }
        *out = self.finish(request.id, start, reply);
        Answer::Written
    }

    /// Polls an async function once; most are done by then.
    fn run_async(
        self,
        function: fn(&mut Invocation<'_>) -> Result<BoxFuture, Rejected>,
        request: &Request<'_>,
        arguments: Arguments<'_>,
        out: &mut Vec<u8>,
    ) -> Answer {
        match self.start_async(function, request, arguments) {
            Ok(future) => self.poll_once(request.id, future, out),
            Err(mut response) => {
                out.append(&mut response);
                Answer::Written
            }
        }
    }

    /// Calls an async function; gives the response if it was not fit to be called.
    pub(super) fn start_async(
        &self,
        function: fn(&mut Invocation<'_>) -> Result<BoxFuture, Rejected>,
        request: &Request<'_>,
        arguments: Arguments<'_>,
    ) -> Result<BoxFuture, Vec<u8>> {
        let id = request.id;
        let reply = self.begin_reply(Vec::new(), id);
        let mut invocation = Invocation::new(self, request, arguments, reply);
        let begun = catch(|| function(&mut invocation));
        let mut reply = invocation.take_reply();
        match begun {
            Ok(Ok(future)) => return Ok(future),
            Ok(Err(rejected)) => self.reject(rejected, &mut reply),
            Err(panic) => {
                // The function may have taken the reply along.
                reply = self.core.begin_reply(self.revision(), Vec::new(), id);
                panicked(&self.called, &panic, &mut reply);
            }
        }
        Err(self.finish(id, 0, reply))
    }

    /// Runs a handler that was registered at run time, and polls it once if it is async.
    pub(super) fn run_handler<Input>(
        self,
        handler: &dyn Handler<Input>,
        input: Input,
        id: RawId<'_>,
        out: &mut Vec<u8>,
    ) -> Answer {
        let reply = self.begin_reply(Vec::new(), id);
        let reply = match catch(|| handler.run(input, reply)) {
            Ok(HandlerRun::Done(reply)) => reply,
            Ok(HandlerRun::Pending(future)) => return self.poll_once(id, future, out),
            Err(panic) => {
                let mut reply = self.core.begin_reply(self.revision(), Vec::new(), id);
                panicked(&self.called, &panic, &mut reply);
                reply
            }
        };
        out.append(&mut self.finish(id, 0, reply));
        Answer::Written
    }

    /// Polls a function for the first time.
    ///
    /// This wakes nobody: a future that is not done gets polled again where it lives.
    pub(super) fn poll_once(
        mut self,
        id: RawId<'_>,
        future: BoxFuture,
        out: &mut Vec<u8>,
    ) -> Answer {
        let mut future = Some(future);
        let mut task = TaskContext::from_waker(Waker::noop());
        match self.poll(&mut future, id, &mut task) {
            Poll::Ready(mut frame) => {
                out.append(&mut frame);
                Answer::Written
            }
            Poll::Pending => Answer::Pending(PendingCall::Function(PendingFunction::new(
                self.into_owned(),
                future,
            ))),
        }
    }
}

fn panicked(called: &CallTarget, panic: &Panicked, reply: &mut Reply) {
    log_panic(called, panic);
    reply.failure(Failure::Panic);
}

/// Tells the log what a panic said; the client learns only that there was one.
pub(super) fn log_panic(called: &CallTarget, panic: &Panicked) {
    tracing::error!("{called} panicked: {panic}");
}
