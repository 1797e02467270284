//! `resources/list`, `resources/templates/list` and `resources/read` (server/resources).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::call::Call;
use super::invocation::Arguments;
use super::message::string;
use super::target::{CallTarget, Reading};
use super::{Answer, CallHandle, Core, DispatchError, Request};
use crate::convert::{ParamEntry, ParamKind, Sentences, Texts};
use crate::protocol::Params;
use crate::registry::{Registry, Resource, ResourceInput, ResourceSource, TemplateInput};
use crate::uri::{self, Captured, Template};

/// Answers `resources/read`.
pub(super) fn read(
    core: &Arc<Core>,
    request: &Request<'_>,
    params: &Params<'_>,
    control: &Arc<CallHandle>,
    out: &mut Vec<u8>,
) -> Result<Answer, DispatchError> {
    let uri = params.uri.and_then(string).ok_or(DispatchError::Params(
        "uri is required and must be a string",
    ))?;
    check(&uri)?;
    let registry = core.registry.load();
    let Some((resource, captured)) = find(&registry, &uri) else {
        return Err(DispatchError::UnknownResource(uri.into_owned()));
    };
    let called = CallTarget::Resource(Arc::new(Reading {
        resource: Arc::clone(resource),
        uri: uri.as_ref().into(),
        carries_a_round: params.carries_a_round(),
    }));
    // A resource has no arguments; what a client sends as such is nothing to it.
    let call = Call::new(core, control, called, "{}").resume(params)?;
    control.begin(resource.timeout().or(core.options.limits.call_timeout));
    let execution = resource.execution();
    match &resource.source {
        ResourceSource::Function(entry) => {
            let params = entry.item.params;
            let arguments = Arguments::Texts(params, texts(params, &captured));
            call.begin(execution, |call| {
                call.run_function(entry.item.call, request, arguments, out)
            })
        }
        ResourceSource::Handler(handler) => call.begin(execution, |call| {
            let context = call.context_for(&**handler, request);
            let uri = uri.to_string();
            let input = ResourceInput { uri, context };
            call.run_handler(&**handler, input, request.id, out)
        }),
        ResourceSource::Template(template, handler) => {
            let variables = variables(template, &captured)
                .map_err(|text| DispatchError::BadUri(uri.to_string(), text))?;
            call.begin(execution, |call| {
                let context = call.context_for(&**handler, request);
                let input = TemplateInput { variables, context };
                call.run_handler(&**handler, input, request.id, out)
            })
        }
    }
}

/// Refuses what is no URI (server/resources, "Security Considerations").
///
/// Every URI that is listed passes, since those of authors are held to the same.
pub(super) fn check(uri: &str) -> Result<(), DispatchError> {
    if uri.len() > uri::MAX_URI {
        return Err(DispatchError::UnknownResource(uri.to_owned()));
    }
    uri::check_characters(uri).map_err(|text| DispatchError::BadUri(uri.to_owned(), text))
}

/// What a URI names: a resource of just this URI, or else one of a template.
pub(super) fn find<'r, 'u>(
    registry: &'r Registry,
    uri: &'u str,
) -> Option<(&'r Arc<Resource>, Vec<Captured<'u>>)> {
    if uri.len() > uri::MAX_URI {
        return None;
    }
    if let Some(resource) = registry.resources().get(uri) {
        return Some((resource, Vec::new()));
    }
    registry
        .templates()
        .sorted()
        .find_map(|template| Some((template, template.capture(uri)?)))
}

/// Decodes the variables' values, and refuses those that a variable does not take.
fn texts<'u>(params: &'static [ParamEntry], captured: &[Captured<'u>]) -> Texts<'u> {
    let mut texts = Texts::of(params.len());
    for value in captured {
        let param = &params[value.param];
        let is_list = matches!(param.kind, ParamKind::Text { many: true, .. });
        if std::mem::replace(&mut texts.given[value.param], true) && !is_list {
            let sentence = || format!("`{}` stands twice", param.name);
            texts.faults.push(sentence);
            continue;
        }
        let separator = value.separator;
        // A list's separators are not encoded, unlike those that a value contains.
        let pieces = value.text.split(|c| is_list && c == separator);
        for piece in pieces {
            match decoded(param, piece) {
                Ok(text) => texts.values.push((value.param, text)),
                Err(sentence) => texts
                    .faults
                    .push(|| format!("`{}`: {sentence}", param.name)),
            }
        }
    }
    texts
}

/// Decodes the variables of a template that was registered at run time, or tells everything that is wrong with them.
///
/// None of them leads out of a tree: what becomes of them is not known here.
fn variables(
    template: &Template,
    captured: &[Captured<'_>],
) -> Result<BTreeMap<String, String>, String> {
    let mut variables = BTreeMap::new();
    let mut faults = Sentences::default();
    for value in captured {
        let name = template.variable(value.param);
        match guarded(value.text) {
            Ok(text) => {
                if variables
                    .insert(name.to_owned(), text.into_owned())
                    .is_some()
                {
                    faults.push(|| format!("`{name}` stands twice"));
                }
            }
            Err(sentence) => faults.push(|| format!("`{name}`: {sentence}")),
        }
    }
    if faults.is_empty() {
        Ok(variables)
    } else {
        Err(faults.to_string())
    }
}

fn decoded<'u>(param: &ParamEntry, piece: &'u str) -> Result<Cow<'u, str>, &'static str> {
    if param.is_guarded {
        guarded(piece)
    } else {
        uri::decode(piece)
    }
}

fn guarded(piece: &str) -> Result<Cow<'_, str>, &'static str> {
    let text = uri::decode(piece)?;
    match uri::leaves_tree(&text) {
        Some(sentence) => Err(sentence),
        None => Ok(text),
    }
}
