//! Which functions may block the thread that runs them, and how that is learnt.

use super::control::Ground;
use super::invocation::ContextSource;
use super::message::string;
use super::resources;
use super::stages::Method;
use super::{Answer, CallControl, Core, DispatchError, NoSurroundings};
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
        let began = is_timed.then(|| self.control.now()).flatten();
        let answer = run();
        if let Some(began) = began
            && let Some(ended) = self.control.now()
        {
            pace.note(ended.saturating_sub(began));
        }
        Ok(answer)
    }
}
