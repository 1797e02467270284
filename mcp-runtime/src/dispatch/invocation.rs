//! One call of an annotated function, as its generated code sees it.

use serde_json::Value;

use super::call::Call;
use super::{Context, Request};
use crate::convert::{
    Fill, FillText, ParamEntry, ParamKind, Rejected, Rejection, Reply, Texts, ToolError, fill,
};
use crate::registry::Tool;

/// The key of a result's metadata under which repaired arguments are named.
const REPAIRED: &str = "mcp-runtime/repairedArguments";

/// What the parameters of a function are filled with.
pub(super) enum Arguments<'a> {
    /// A JSON object, for a tool.
    Json(&'a Tool, &'a str),
    /// Texts, for the parameters of a prompt.
    Texts(&'static [ParamEntry], Texts<'a>),
}

/// A call: arguments in, reply out.
pub struct Invocation<'a> {
    call: &'a Call<'a>,
    request: &'a Request<'a>,
    arguments: Arguments<'a>,
    reply: Reply,
}

impl std::fmt::Debug for Invocation<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Invocation")
            .field("called", &self.call.called)
            .finish_non_exhaustive()
    }
}

impl<'a> Invocation<'a> {
    pub(super) fn new(
        call: &'a Call<'a>,
        request: &'a Request<'a>,
        arguments: Arguments<'a>,
        reply: Reply,
    ) -> Self {
        Self {
            call,
            request,
            arguments,
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
        let Arguments::Json(tool, text) = self.arguments else {
            unreachable!("generated code fills tools with JSON");
        };
        let input = tool
            .input()
            .map_err(|problems| Rejected(Rejection::Schema(problems.clone())))?;
        let params = tool.entry().map_or(&[][..], |entry| entry.item.params);
        let read = |arguments, slots: &mut [&mut dyn Fill]| {
            fill(params, &input.schema, &input.positions, arguments, slots)
        };
        if let Err(faults) = read(text, slots) {
            let repair = self.call.core.options.repair;
            let Some(repaired) = repair.then(|| input.schema.repair(text)).flatten() else {
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
            self.inject(param, |context| slot.inject(context))?;
        }
        Ok(())
    }

    /// Fills the slots of all parameters of a prompt or a resource, in their order.
    ///
    /// # Errors
    ///
    /// As those of [`Self::fill`].
    pub fn fill_texts(&mut self, slots: &mut [&mut dyn FillText]) -> Result<(), Rejected> {
        let Arguments::Texts(params, texts) = &self.arguments else {
            unreachable!("generated code fills prompts and resources with texts");
        };
        let params = *params;
        texts
            .fill(params, slots)
            .map_err(|faults| Rejected(Rejection::Texts(faults)))?;
        for (param, slot) in params.iter().zip(slots) {
            self.inject(param, |context| slot.inject(context))?;
        }
        Ok(())
    }

    /// Injects a parameter that is injected.
    fn inject(
        &mut self,
        param: &ParamEntry,
        inject: impl FnOnce(&Context) -> Result<(), ToolError>,
    ) -> Result<(), Rejected> {
        let ParamKind::Injected(_) = param.kind else {
            return Ok(());
        };
        inject(self.call.take_context(self.request))
            .map_err(|error| Rejected(Rejection::Injection(error)))
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
