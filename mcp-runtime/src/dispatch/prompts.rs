//! `prompts/list` and `prompts/get` (server/prompts).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::call::Call;
use super::invocation::Arguments;
use super::message::{optional_object, string};
use super::target::CallTarget;
use super::{Answer, CallHandle, Core, DispatchError, Request};
use crate::convert::{ParamEntry, ParamKind, Texts};
use crate::protocol::{Params, PromptArgument};
use crate::registry::{PromptInput, PromptSource};
use crate::schema::{nearest, shown};

/// Answers `prompts/get`.
pub(super) fn get(
    core: &Arc<Core>,
    request: &Request<'_>,
    params: &Params<'_>,
    control: &Arc<CallHandle>,
    out: &mut Vec<u8>,
) -> Result<Answer, DispatchError> {
    let name = params.name.and_then(string).ok_or(DispatchError::Params(
        "name is required and must be a string",
    ))?;
    let arguments = optional_object(params.arguments)
        .map_err(|()| DispatchError::Params("arguments must be an object"))?
        .unwrap_or("{}");
    let registry = core.registry.load();
    let Some(prompt) = registry.prompts().get(&name) else {
        return Err(DispatchError::UnknownPrompt(name.into_owned()));
    };
    let called = CallTarget::Prompt(Arc::clone(prompt));
    let call = Call::new(core, control, called, arguments).resume(params)?;
    control.begin(prompt.timeout().or(core.options.limits.call_timeout));
    match &prompt.source {
        PromptSource::Function(entry) => {
            let names = text_names(entry.item.params);
            let texts = read(&names, arguments, entry.allow_unknown);
            let arguments = Arguments::Texts(entry.item.params, texts);
            call.begin(prompt.execution(), |call| {
                call.run_function(entry.item.call, request, arguments, out)
            })
        }
        PromptSource::Handler(params, handler) => {
            let arguments = handler_arguments(params, arguments)?;
            call.begin(prompt.execution(), |call| {
                let context = call.context_for(&**handler, request);
                let input = PromptInput { arguments, context };
                call.run_handler(&**handler, input, request.id, out)
            })
        }
    }
}

/// The names of the arguments, each at the position of its parameter; what is injected has none.
fn text_names(params: &'static [ParamEntry]) -> Vec<Option<&'static str>> {
    let names = params.iter().map(|param| match param.kind {
        ParamKind::Text { .. } => Some(param.name),
        _ => None,
    });
    names.collect()
}

/// The arguments of a prompt that was registered at run time, or everything that is wrong with them.
fn handler_arguments(
    params: &[PromptArgument],
    arguments: &str,
) -> Result<BTreeMap<String, String>, DispatchError> {
    let names: Vec<_> = params.iter().map(|param| Some(&*param.name)).collect();
    let mut texts = read(&names, arguments, false);
    for (param, given) in params.iter().zip(&texts.given) {
        if param.required && !given {
            let sentence = || format!("`{}` is missing", param.name);
            texts.faults.push(sentence);
        }
    }
    if !texts.faults.is_empty() {
        return Err(DispatchError::BadArguments(texts.faults.to_string()));
    }
    let values = texts.values.into_iter();
    let named = values.map(|(position, text)| (params[position].name.clone(), text.into_owned()));
    Ok(named.collect())
}

/// Reads the arguments of a prompt, an object of strings.
fn read<'a>(names: &[Option<&str>], arguments: &'a str, allow_unknown: bool) -> Texts<'a> {
    let mut reading = Reading {
        names,
        allow_unknown,
        texts: Texts::of(names.len()),
    };
    let mut deserializer = serde_json::Deserializer::from_str(arguments);
    if deserializer.deserialize_map(&mut reading).is_err() {
        // The text was read as JSON before, so this is not met.
        let sentence = || "arguments cannot be read".to_owned();
        reading.texts.faults.push(sentence);
    }
    reading.texts
}

struct Reading<'n, 'a> {
    names: &'n [Option<&'n str>],
    allow_unknown: bool,
    texts: Texts<'a>,
}

impl<'a> Reading<'_, 'a> {
    fn argument(&mut self, name: &str, raw: &'a RawValue) {
        let texts = &mut self.texts;
        if texts.faults.are_complete() {
            // Nothing will come of the arguments, and there may be many more.
            return;
        }
        let found = self.names.iter().position(|other| *other == Some(name));
        let Some(position) = found else {
            if !self.allow_unknown {
                texts.faults.push(|| unknown(self.names, name));
            }
            return;
        };
        if std::mem::replace(&mut texts.given[position], true) {
            texts.faults.push(|| format!("`{name}` stands twice"));
            return;
        }
        match string(raw) {
            Some(text) => texts.values.push((position, text)),
            None => texts.faults.push(|| format!("`{name}` must be a string")),
        }
    }
}

impl<'de: 'a, 'a> Visitor<'de> for &mut Reading<'_, 'a> {
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
fn unknown(names: &[Option<&str>], name: &str) -> String {
    let name = &shown(name);
    match nearest(name, names.iter().copied().flatten()) {
        Some(nearest) => format!("`{name}` is not an argument; did you mean `{nearest}`?"),
        None => format!("`{name}` is not an argument"),
    }
}
