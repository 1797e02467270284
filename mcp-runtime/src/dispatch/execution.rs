//! Whether a request may be answered where it is: its function's declared execution against what the caller permits.

use std::time::Duration;

use super::call_handle::Permitted;
use super::message::string;
use super::stages::Admitted;
use super::{CallHandle, Core, completion, resources};
use crate::exec::Execution;
use crate::protocol::Method;

impl Core {
    /// The execution of a request's function if the caller does not permit it here; notes how long the call may take.
    ///
    /// Requests that name nothing that exists are permitted everywhere, since their answers are errors.
    pub(super) fn not_permitted(
        &self,
        admitted: Admitted<'_, '_>,
        control: &CallHandle,
    ) -> Option<Execution> {
        let permitted = control.permitted();
        if permitted == Permitted::All || !admitted.method.spec().runs_function {
            return None;
        }
        let declared = self.declared(admitted);
        let (execution, timeout) = match self.layered_function(admitted) {
            // Layers may wait, around functions of every kind.
            Some(_) => (
                Execution::Async,
                declared.map_or(self.options.limits.call_timeout, |(_, timeout)| timeout),
            ),
            None => declared?,
        };
        if permitted.includes(execution) {
            return None;
        }
        control.begin(timeout);
        Some(execution)
    }

    /// Where a request's function runs, and how long it may take.
    ///
    /// `None` for a request that names none that exists; those that run none are not asked for.
    pub(super) fn declared(
        &self,
        Admitted { method, params }: Admitted<'_, '_>,
    ) -> Option<(Execution, Option<Duration>)> {
        let registry = self.registry.load();
        let others = self.options.limits.call_timeout;
        Some(match method {
            Method::CallTool => {
                let name = params.name.and_then(string)?;
                let tool = registry.tool(&name)?;
                (tool.execution(), tool.call_timeout(others))
            }
            Method::GetPrompt => {
                let name = params.name.and_then(string)?;
                let prompt = registry.prompts().get(&name)?;
                (prompt.execution(), prompt.timeout().or(others))
            }
            Method::ReadResource => {
                let uri = params.uri.and_then(string)?;
                let (resource, _) = resources::find(&registry, &uri)?;
                (resource.execution(), resource.timeout().or(others))
            }
            Method::Complete => (completion::execution(&registry, params)?, others),
            // What else runs something of the user's asks a store, which may wait.
            _ => (Execution::Async, others),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::*;
    use crate::dispatch::{Answer, Opened, Routed};
    use crate::server::ServerBuilder;
    use crate::tool::HandlerExt as _;

    fn schema() -> Value {
        json!({"type": "object", "properties": {}})
    }

    #[test]
    fn a_call_runs_only_where_its_declared_execution_is_permitted() {
        let ran = |_: Value| Ok::<_, crate::ToolError>("ran");
        let awaited = |_: Value| async { Ok::<_, crate::ToolError>("ran") };
        let server = ServerBuilder::new("executions", "0.0.0")
            .register_tool("inline", "Run.", schema(), ran.inline())
            .register_tool("plain", "Run.", schema(), ran)
            .register_tool("async", "Run.", schema(), awaited)
            .build()
            .unwrap();
        let outcome = |tool: &str, permitted| {
            let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                "name": tool,
                "_meta": {
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientCapabilities": {},
                },
            }})
            .to_string();
            let mut readable = Vec::new();
            let Opened::Request(request) = server.core().open(message.as_bytes(), &mut readable)
            else {
                panic!("it is a request");
            };
            let control = CallHandle::default();
            control.permit(permitted);
            let mut out = Vec::new();
            match server
                .core()
                .answer_routed(&request, None, &Arc::new(control), &mut out)
            {
                Routed::Answer(Answer::Written) => None,
                Routed::NotPermitted(execution) => Some(execution),
                other => panic!("{other:?}"),
            }
        };
        let (blocking, waits) = (Some(Execution::Blocking), Some(Execution::Async));
        for (permitted, expected) in [
            (Permitted::All, [None, None, None]),
            (Permitted::NonBlocking, [None, blocking, None]),
            (Permitted::InlineOnly, [None, blocking, waits]),
        ] {
            let outcomes = ["inline", "plain", "async"].map(|tool| outcome(tool, permitted));
            assert_eq!(outcomes, expected, "{permitted:?}");
        }
        assert_eq!(
            outcome("absent", Permitted::InlineOnly),
            None,
            "an error is answered everywhere"
        );
    }
}
