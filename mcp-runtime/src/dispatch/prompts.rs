//! `prompts/list` and `prompts/get` (server/prompts).

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::invocation::{Arguments, ContextSource};
use super::message::string;
use super::run::Called;
use super::tools::optional_object;
use super::{Answer, CallControl, Core, DispatchError, Request};
use crate::convert::{ParamEntry, ParamKind, Texts, text_position};
use crate::jsonrpc::RawId;
use crate::protocol::Params;
use crate::registry::CallFn;
use crate::schema::nearest;

impl Core {
    /// Answers `prompts/list`.
    pub(super) fn list_prompts(
        &self,
        id: RawId<'_>,
        params: Option<&Params<'_>>,
        out: &mut Vec<u8>,
    ) -> Result<Answer, DispatchError> {
        self.list(id, params, out, |registry, cursor| {
            registry.prompts_page(cursor)
        })
    }

    /// Answers `prompts/get`.
    pub(super) fn get_prompt(
        self: &Arc<Self>,
        request: &Request<'_>,
        params: &Params<'_>,
        control: &Arc<CallControl>,
        out: &mut Vec<u8>,
    ) -> Result<Answer, DispatchError> {
        let name = params.name.and_then(string).ok_or(DispatchError::Params(
            "name is required and must be a string",
        ))?;
        let arguments = optional_object(params.arguments)
            .map_err(|()| DispatchError::Params("arguments must be an object"))?
            .unwrap_or("{}");
        if params.request_state.is_some() {
            return Err(DispatchError::Params(
                "requestState was not issued by this server",
            ));
        }
        let registry = self.registry.load();
        let Some(prompt) = registry.prompts().get(&name) else {
            return Err(DispatchError::UnknownPrompt(name.into_owned()));
        };
        let item = &prompt.entry.item;
        let texts = read(item.params, arguments, prompt.entry.allow_unknown);
        control.begin(item.timeout().or(self.options.limits.call_time));
        let source = ContextSource {
            core: self,
            control,
            request,
        };
        let is_async = matches!(item.call, CallFn::Async(_));
        let mut arguments = Some(Arguments::Texts(item.params, texts));
        source.begin(is_async, &mut || match arguments.take() {
            Some(arguments) => {
                let called = Called::Prompt(Arc::clone(prompt));
                self.run_function(called, item.call, arguments, &source, out)
            }
            None => unreachable!("surroundings run it once"),
        })
    }
}

/// Reads the arguments of a prompt, an object of strings.
fn read<'a>(params: &'static [ParamEntry], arguments: &'a str, allow_unknown: bool) -> Texts<'a> {
    let mut reading = Reading {
        params,
        allow_unknown,
        texts: Texts::default(),
    };
    let mut deserializer = serde_json::Deserializer::from_str(arguments);
    if deserializer.deserialize_map(&mut reading).is_err() {
        // The text was read as JSON before, so this is not met.
        reading
            .texts
            .faults
            .push("arguments cannot be read".to_owned());
    }
    reading.texts
}

struct Reading<'a> {
    params: &'static [ParamEntry],
    allow_unknown: bool,
    texts: Texts<'a>,
}

impl<'a> Reading<'a> {
    fn argument(&mut self, name: &str, raw: &'a RawValue) {
        let texts = &mut self.texts;
        let Some(position) = text_position(self.params, name) else {
            if !self.allow_unknown {
                texts.faults.push(unknown(self.params, name));
            }
            return;
        };
        if texts.values.iter().any(|(other, _)| *other == position) {
            texts.faults.push(format!("`{name}` stands twice"));
            return;
        }
        match string(raw) {
            Some(text) => texts.values.push((position, text)),
            None => {
                texts.refused.push(position);
                texts.faults.push(format!("`{name}` must be a string"));
            }
        }
    }
}

impl<'de: 'a, 'a> Visitor<'de> for &mut Reading<'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of arguments")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<Cow<'_, str>>()? {
            let raw: &RawValue = map.next_value()?;
            self.argument(&name, raw);
        }
        Ok(())
    }
}

/// Says that an argument is unknown, with the nearest one that is not.
fn unknown(params: &'static [ParamEntry], name: &str) -> String {
    let names = params
        .iter()
        .filter(|param| matches!(param.kind, ParamKind::Text { .. }))
        .map(|param| param.name);
    match nearest(name, names) {
        Some(nearest) => format!("`{name}` is not an argument; did you mean `{nearest}`?"),
        None => format!("`{name}` is not an argument"),
    }
}
