//! `resources/list`, `resources/templates/list` and `resources/read` (server/resources).

use std::sync::Arc;

use super::invocation::{Arguments, ContextSource};
use super::message::string;
use super::run::{Called, Reading};
use super::{Answer, CallControl, Core, DispatchError, Request};
use crate::convert::{ParamEntry, ParamKind, Texts};
use crate::jsonrpc::RawId;
use crate::protocol::Params;
use crate::registry::{CallFn, Registry, Resource};
use crate::uri::{self, Captured};

impl Core {
    /// Answers `resources/list`.
    pub(super) fn list_resources(
        &self,
        id: RawId<'_>,
        params: Option<&Params<'_>>,
        out: &mut Vec<u8>,
    ) -> Result<Answer, DispatchError> {
        self.list(id, params, out, |registry, cursor| {
            registry.resources_page(cursor)
        })
    }

    /// Answers `resources/templates/list`.
    pub(super) fn list_templates(
        &self,
        id: RawId<'_>,
        params: Option<&Params<'_>>,
        out: &mut Vec<u8>,
    ) -> Result<Answer, DispatchError> {
        self.list(id, params, out, |registry, cursor| {
            registry.templates_page(cursor)
        })
    }

    /// Answers `resources/read`.
    pub(super) fn read_resource(
        self: &Arc<Self>,
        request: &Request<'_>,
        params: &Params<'_>,
        control: &Arc<CallControl>,
        out: &mut Vec<u8>,
    ) -> Result<Answer, DispatchError> {
        let uri = params.uri.and_then(string).ok_or(DispatchError::Params(
            "uri is required and must be a string",
        ))?;
        if params.request_state.is_some() {
            return Err(DispatchError::Params(
                "requestState was not issued by this server",
            ));
        }
        let registry = self.registry.load();
        let Some((resource, captured)) = find(&registry, &uri) else {
            return Err(DispatchError::UnknownResource(uri.into_owned()));
        };
        let item = &resource.entry.item;
        let texts = texts(item.params, &captured);
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
                let called = Called::Resource(Arc::new(Reading {
                    resource: Arc::clone(resource),
                    uri: uri.as_ref().into(),
                }));
                self.run_function(called, item.call, arguments, &source, out)
            }
            None => unreachable!("surroundings run it once"),
        })
    }
}

/// What a URI names: a resource of just this URI, or else one of a template.
fn find<'r, 'u>(
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
        .find_map(|template| Some((template, uri::capture(template.entry.parts, uri)?)))
}

/// Decodes the variables' values, and refuses those that a variable does not take.
fn texts<'u>(params: &'static [ParamEntry], captured: &[Captured<'u>]) -> Texts<'u> {
    let mut texts = Texts::default();
    for value in captured {
        let param = &params[value.param];
        let is_list = matches!(param.kind, ParamKind::Text { many: true, .. });
        let stands_twice = texts.values.iter().any(|(other, _)| *other == value.param);
        if stands_twice && !is_list {
            texts.faults.push(format!("`{}` stands twice", param.name));
            continue;
        }
        let separator = value.separator;
        // A list's separators are not encoded, unlike those that a value contains.
        let pieces = value.text.split(|c| is_list && c == separator);
        for piece in pieces {
            match decoded(param, piece) {
                Ok(text) => texts.values.push((value.param, text)),
                Err(sentence) => {
                    texts.refused.push(value.param);
                    texts.faults.push(format!("`{}`: {sentence}", param.name));
                }
            }
        }
    }
    texts
}

fn decoded<'u>(param: &ParamEntry, piece: &'u str) -> Result<std::borrow::Cow<'u, str>, String> {
    let text = uri::decode(piece)?;
    if param.is_guarded
        && let Some(sentence) = uri::leaves_tree(&text)
    {
        return Err(sentence.to_owned());
    }
    Ok(text)
}
