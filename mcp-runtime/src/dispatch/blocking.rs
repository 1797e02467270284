//! Which functions may block the thread that runs them, and how that is learnt.

#[cfg(feature = "http")]
use super::Request;
use super::control::Ground;
use super::invocation::ContextSource;
use super::message::string;
use super::resources;
use super::stages::Method;
use super::{Answer, CallControl, Core, DispatchError, NoSurroundings};
#[cfg(feature = "http")]
use crate::jsonrpc::Shape;
#[cfg(feature = "http")]
use crate::protocol::method;
use crate::registry::Pace;

impl Core {
    /// Whether a request calls a plain function that must not run on this thread, since others wait for it; notes how
    /// long it may take.
    ///
    /// What a completion calls may be plain, too, and is not known to be.
    pub(super) fn must_move(&self, method: &Method<'_, '_>, control: &CallControl) -> bool {
        let needs_trust = match control.ground() {
            Ground::Any | Ground::Thread => return false,
            Ground::Lane => true,
            Ground::Worker => false,
        };
        let stays = |pace: Option<&Pace>| match pace {
            None => true,
            Some(pace) => needs_trust && pace.is_quick(),
        };
        let registry = self.registry.load();
        let timeout = match method {
            Method::CallTool(params) => {
                let tool = params.name.and_then(string);
                match tool.and_then(|name| registry.tool(&name)) {
                    Some(tool) if !stays(tool.pace()) => tool.timeout,
                    _ => return false,
                }
            }
            Method::GetPrompt(params) => {
                let prompt = params.name.and_then(string);
                match prompt.and_then(|name| registry.prompts().get(&name)) {
                    Some(prompt) if !stays(prompt.pace()) => prompt.timeout(),
                    _ => return false,
                }
            }
            Method::ReadResource(params) => {
                let uri = params.uri.and_then(string);
                match uri
                    .as_deref()
                    .and_then(|uri| resources::find(&registry, uri))
                {
                    Some((resource, _)) if !stays(resource.pace()) => resource.timeout(),
                    _ => return false,
                }
            }
            Method::Complete(_) => None,
            Method::Discover
            | Method::List(..)
            | Method::Listen(_)
            | Method::GetTask(_)
            | Method::UpdateTask(_)
            | Method::CancelTask(_) => return false,
        };
        control.begin(timeout.or(self.options.limits.call_time));
        true
    }
}

#[cfg(feature = "http")]
impl Core {
    /// Notes that the plain function that a request calls holds a worker for long, though it was quick so far.
    pub(crate) fn distrust(&self, request: &Request<'_>) {
        let Some(Shape::Object(params)) = &request.params else {
            return;
        };
        let registry = self.registry.load();
        let name = || params.name.and_then(string);
        let pace = match &*request.method {
            method::TOOLS_CALL => {
                let tool = name().and_then(|name| registry.tool(&name));
                tool.and_then(|tool| tool.pace())
            }
            method::PROMPTS_GET => {
                let prompt = name().and_then(|name| registry.prompts().get(&name));
                prompt.and_then(|prompt| prompt.pace())
            }
            method::RESOURCES_READ => {
                let uri = params.uri.and_then(string);
                let found = uri
                    .as_deref()
                    .and_then(|uri| resources::find(&registry, uri));
                found.and_then(|(resource, _)| resource.pace())
            }
            _ => None,
        };
        if let Some(pace) = pace {
            pace.distrust();
        }
    }
}

impl ContextSource<'_> {
    /// Runs what answers the request: a plain function, which has a pace, or else an async one within the surroundings
    /// that it needs.
    pub(super) fn begin(
        &self,
        pace: Option<&Pace>,
        run: &mut dyn FnMut() -> Answer,
    ) -> Result<Answer, DispatchError> {
        let Some(pace) = pace else {
            let mut answer = Answer::Written;
            self.control
                .begin_async(&mut || answer = run())
                .map_err(|NoSurroundings| DispatchError::NoRuntime)?;
            return Ok(answer);
        };
        let is_timed = self.control.ground() != Ground::Any;
        let waits = (is_timed && pace.is_watched()).then(|| self.control.waits());
        let began = is_timed.then(|| self.control.now()).flatten();
        let answer = run();
        if let Some(began) = began
            && let Some(ended) = self.control.now()
        {
            // One that cannot be seen to wait may have.
            let waited =
                || waits.is_some_and(|before| before.is_none() || before != self.control.waits());
            pace.note(ended.saturating_sub(began), waited);
        }
        Ok(answer)
    }
}

#[cfg(test)]
#[cfg(feature = "http")]
mod tests {
    use std::cell::Cell;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::*;
    use crate::dispatch::Opened;
    use crate::server::ServerBuilder;

    thread_local! {
        static WAITS: Cell<u64> = const { Cell::new(0) };
    }

    /// How often a function has to run on a thread for what blocks, and takes no time there, until it may run in a lane;
    /// `None` if it never may. It is told how often it has run already.
    fn learnt(run: fn(u64), waits: fn() -> Option<u64>) -> Option<u64> {
        let runs = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&runs);
        let handler = move |_: Value| {
            run(counted.fetch_add(1, Ordering::Relaxed));
            Ok::<_, crate::ToolError>("ran")
        };
        let server = ServerBuilder::new("paces", "0.0.0")
            .register_tool("run", "Run.", json!({"type": "object"}), handler)
            .build()
            .unwrap();
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "run",
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        }})
        .to_string();
        let Opened::Request(request) = server.core().open(message.as_bytes()) else {
            panic!("it is a request");
        };
        let registry = server.core().registry.load();
        let pace = registry.tool("run").and_then(|tool| tool.pace()).unwrap();
        for runs in 0..1_000 {
            if pace.is_quick() {
                return Some(runs);
            }
            let control = CallControl::default()
                .with_clock(|| Duration::ZERO)
                .with_waits(waits);
            control.set_ground(Ground::Thread);
            let answer = server
                .core()
                .answer(&request, &Arc::new(control), &mut Vec::new());
            assert!(matches!(answer, Answer::Written));
        }
        None
    }

    fn wait() {
        WAITS.set(WAITS.get() + 1);
    }

    #[test]
    fn a_function_that_waits_is_not_trusted_however_quick_it_is() {
        let waits = || Some(WAITS.get());
        assert_eq!(learnt(|_| {}, waits), Some(64));
        assert_eq!(learnt(|_| wait(), waits), None);
        let once_in_fifty = |run| {
            if run % 50 == 0 {
                wait();
            }
        };
        assert_eq!(learnt(once_in_fifty, waits), None);
        let at_first = |run| {
            if run == 0 {
                wait();
            }
        };
        assert_eq!(learnt(at_first, waits), Some(1 + 64 + 100));
    }

    #[test]
    fn where_waiting_is_not_seen_no_function_is_trusted() {
        assert_eq!(learnt(|_| {}, || None), None);
    }
}
