//! One call of an annotated function, as its generated code sees it.

use std::sync::Arc;

use serde_json::Value;

use super::{CallControl, Context, Core, Request};
use crate::convert::{Fill, ParamKind, Rejected, Rejection, Reply, fill};
use crate::registry::Tool;

/// The key of a result's metadata under which repaired arguments are named.
const REPAIRED: &str = "mcp-runtime/repairedArguments";

/// Where a context is made of, if a call asks for one.
pub(super) struct ContextSource<'a> {
    pub(super) core: &'a Arc<Core>,
    pub(super) control: &'a Arc<CallControl>,
    pub(super) request: &'a Request<'a>,
}

/// A call: arguments in, reply out.
pub struct Invocation<'a> {
    tool: &'a Tool,
    arguments: &'a str,
    source: &'a ContextSource<'a>,
    context: Option<Context>,
    reply: Reply,
}

impl std::fmt::Debug for Invocation<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Invocation")
            .field("tool", &self.tool.name)
            .finish_non_exhaustive()
    }
}

impl<'a> Invocation<'a> {
    pub(super) fn new(
        tool: &'a Tool,
        arguments: &'a str,
        source: &'a ContextSource<'a>,
        reply: Reply,
    ) -> Self {
        Self {
            tool,
            arguments,
            source,
            context: None,
            reply,
        }
    }

    /// Fills the slots of all parameters, in their order.
    ///
    /// Slots of parameters with a default stay empty where the client sent nothing.
    ///
    /// # Errors
    ///
    /// The arguments break the schema, or an injected parameter could not be made; the caller passes this on.
    pub fn fill(&mut self, slots: &mut [&mut dyn Fill]) -> Result<(), Rejected> {
        let input = self
            .tool
            .input()
            .map_err(|problems| Rejected(Rejection::Schema(problems.clone())))?;
        let params = self.tool.entry().map_or(&[][..], |entry| entry.params);
        let read = |arguments, slots: &mut [&mut dyn Fill]| {
            fill(params, &input.schema, &input.positions, arguments, slots)
        };
        if let Err(faults) = read(self.arguments, slots) {
            let repair = self.source.core.options.repair;
            let Some(repaired) = repair
                .then(|| input.schema.repair(self.arguments))
                .flatten()
            else {
                return Err(Rejected(Rejection::Arguments(faults)));
            };
            for slot in &mut *slots {
                slot.clear();
            }
            read(&repaired.arguments, slots)
                .map_err(|faults| Rejected(Rejection::Arguments(faults)))?;
            self.reply.add_meta(REPAIRED, Value::from(repaired.paths));
        }
        for (param, slot) in params.iter().zip(slots) {
            if let ParamKind::Injected(_) = param.kind {
                let context = self
                    .context
                    .get_or_insert_with(|| Context::new(self.source));
                slot.inject(context)
                    .map_err(|error| Rejected(Rejection::Injection(error)))?;
            }
        }
        Ok(())
    }

    /// The reply, for a function that writes it before it returns.
    pub fn reply(&mut self) -> &mut Reply {
        &mut self.reply
    }

    /// Takes the reply along, for a future that writes it at its end.
    pub fn take_reply(&mut self) -> Reply {
        self.reply.take()
    }
}
