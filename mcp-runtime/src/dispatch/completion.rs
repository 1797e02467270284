//! `completion/complete` (server/utilities/completion).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::call::Call;
use super::target::CallTarget;
use super::{Answer, BoxFuture, CallHandle, Context, Core, DispatchError, Request, resources};
use crate::convert::{
    Completion, CompletionContext, CompletionRequest, Failure, ParamEntry, Reply, text_position,
};
use crate::exec::Execution;
use crate::protocol::Params;
use crate::registry::{Prompt, PromptSource, Registry, Resource, ResourceSource};
use crate::schema::shown;

/// What is completed.
#[derive(Deserialize)]
#[serde(tag = "type")]
enum Reference {
    #[serde(rename = "ref/prompt")]
    Prompt { name: String },
    #[serde(rename = "ref/resource")]
    Resource { uri: String },
}

#[derive(Deserialize)]
struct Argument {
    name: String,
    value: String,
}

impl Reference {
    fn of(params: &Params<'_>) -> Result<Self, DispatchError> {
        read(
            params.reference,
            "ref must be a ref/prompt with a name or a ref/resource with a uri",
        )
    }
}

impl Argument {
    fn of(params: &Params<'_>) -> Result<Self, DispatchError> {
        read(
            params.argument,
            "argument must have a name and a value, both strings",
        )
    }
}

#[derive(Deserialize, Default)]
struct Known {
    #[serde(default)]
    arguments: BTreeMap<String, String>,
}

/// Answers `completion/complete`.
pub(super) fn complete(
    core: &Arc<Core>,
    request: &Request<'_>,
    params: &Params<'_>,
    control: &Arc<CallHandle>,
    out: &mut Vec<u8>,
) -> Result<Answer, DispatchError> {
    let reference = Reference::of(params)?;
    let argument = Argument::of(params)?;
    let known: Known = match params.context {
        None => Known::default(),
        context => read(context, "context.arguments must be an object of strings")?,
    };
    let registry = core.registry.load();
    let owner = owner(&registry, reference)?;
    let entries = owner.params();
    let call = Call::new(core, control, CallTarget::Completion, "{}");
    let Some(position) = text_position(entries, &argument.name) else {
        if owner.takes_unaided(&argument.name) {
            let start = out.len();
            let mut reply = call.begin_reply(std::mem::take(out), request.id);
            reply.completion(&Completion::default());
            *out = call.finish(request.id, start, reply);
            return Ok(Answer::Written);
        }
        return Err(DispatchError::BadArguments(format!(
            "`{}` is not an argument",
            shown(&argument.name)
        )));
    };
    control.begin(core.options.limits.call_timeout);
    let param = &entries[position];
    call.begin(execution_of(param), |call| {
        let context = param.complete.map(|_| call.take_context(request));
        let reply = call.begin_reply(Vec::new(), request.id);
        let future = completing(param, argument, known, context, reply);
        call.poll_once(request.id, future, out)
    })
}

/// The future of a completion's reply.
fn completing(
    param: &'static ParamEntry,
    argument: Argument,
    known: Known,
    context: Option<&Context>,
    mut reply: Reply,
) -> BoxFuture {
    let (Some(complete), Some(context)) = (param.complete, context) else {
        let choices = param.choices.map(|choices| choices()).unwrap_or_default();
        reply.completion(&beginning_with(&argument.value, choices));
        return Box::pin(std::future::ready(reply));
    };
    let others = known.arguments.into_iter();
    let others = others.filter(|(name, _)| *name != argument.name).collect();
    let asked = CompletionRequest {
        value: argument.value,
        completing: CompletionContext::new(others, context.clone()),
    };
    Box::pin(async move {
        match (complete.call)(asked).await {
            Ok(completion) => reply.completion(&completion),
            Err(text) => reply.failure(Failure::Tool(text)),
        }
        reply
    })
}

/// Where the completion function that a request names runs; `None` if it names none.
pub(super) fn execution(registry: &Registry, params: &Params<'_>) -> Option<Execution> {
    let owner = owner(registry, Reference::of(params).ok()?).ok()?;
    let argument = Argument::of(params).ok()?;
    let entries = owner.params();
    let position = text_position(entries, &argument.name)?;
    Some(execution_of(&entries[position]))
}

/// Where the values of a parameter are found; those of a type need no function.
fn execution_of(param: &ParamEntry) -> Execution {
    param
        .complete
        .map_or(Execution::Inline, |completer| (completer.execution)())
}

fn read<'a, T: Deserialize<'a>>(
    raw: Option<&'a RawValue>,
    expected: &'static str,
) -> Result<T, DispatchError> {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok())
        .ok_or(DispatchError::Params(expected))
}

/// What an argument belongs to.
enum Owner<'r> {
    Prompt(&'r Prompt),
    Resource(&'r Resource),
}

impl Owner<'_> {
    /// The parameters of an annotated function.
    fn params(&self) -> &'static [ParamEntry] {
        match self {
            Self::Prompt(prompt) => prompt.params(),
            Self::Resource(resource) => resource.params(),
        }
    }

    /// Whether it was registered at run time and takes the argument, for which nothing is known then.
    fn takes_unaided(&self, name: &str) -> bool {
        match self {
            Self::Prompt(prompt) => match &prompt.source {
                PromptSource::Function(_) => false,
                PromptSource::Handler(arguments, _) => {
                    arguments.iter().any(|argument| argument.name == name)
                }
            },
            Self::Resource(resource) => match &resource.source {
                ResourceSource::Template(template, _) => template.takes(name),
                ResourceSource::Function(_) | ResourceSource::Handler(_) => false,
            },
        }
    }
}

/// What is completed; a resource is meant by its template or by a URI of it.
fn owner(registry: &Registry, reference: Reference) -> Result<Owner<'_>, DispatchError> {
    match reference {
        Reference::Prompt { name } => match registry.prompts().get(&name) {
            Some(prompt) => Ok(Owner::Prompt(prompt)),
            None => Err(DispatchError::UnknownPrompt(name)),
        },
        Reference::Resource { uri } => {
            if let Some(template) = registry.templates().get(&uri) {
                return Ok(Owner::Resource(template));
            }
            resources::check(&uri)?;
            match resources::find(registry, &uri) {
                Some((resource, _)) => Ok(Owner::Resource(resource)),
                None => Err(DispatchError::UnknownResource(uri)),
            }
        }
    }
}

/// The choices that begin with what has been typed; upper and lower case are the same to a person.
fn beginning_with(typed: &str, choices: Vec<String>) -> Completion {
    let typed = typed.to_lowercase();
    let found = choices.into_iter();
    Completion::new(found.filter(|choice| choice.to_lowercase().starts_with(&typed)))
}
