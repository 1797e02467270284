//! One tool of the table, whether it was annotated or registered at run time.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::{Handler, Hints, TaskSupport, ToolEntry, write};
use crate::convert::{ParamEntry, ParamKind};
use crate::exec::Execution;
use crate::panic::catch;
use crate::protocol::{Revision, StructuredContent, ToolAnnotations};
use crate::schema::{InputSchema, Mirror, OutputSchema, Property, SchemaProblems};

/// A tool that can be listed and called.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) name: Cow<'static, str>,
    pub(crate) description: Cow<'static, str>,
    /// How long a call may take: `None` leaves it to the server, zero means without limit.
    pub(crate) timeout: Option<Duration>,
    pub(crate) callee: Callee,
    /// Whether a call of it can go on as a task.
    pub(crate) task: TaskSupport,
    execution: Execution,
    input: OnceLock<Result<ToolInput, SchemaProblems>>,
    output: OnceLock<Result<Option<OutputSchema>, SchemaProblems>>,
}

/// What runs when the tool is called.
#[derive(Debug)]
pub(crate) enum Callee {
    /// An annotated function.
    Function(&'static ToolEntry),
    /// A handler registered at run time.
    Handler(Arc<dyn Handler>),
}

/// The input schema, and where its properties go.
#[derive(Debug)]
pub(crate) struct ToolInput {
    pub(crate) schema: InputSchema,
    /// The slot of each property; empty for handlers, which take the whole object.
    pub(crate) positions: Box<[usize]>,
    /// The arguments that HTTP headers mirror.
    pub(crate) mirrors: Box<[Mirror]>,
    /// What tells the schema from any other, made by the dispatcher when it is first needed.
    pub(crate) digest: OnceLock<Box<str>>,
    /// Whether the arguments may hold a value of any type.
    holds_free_values: OnceLock<bool>,
}

impl Tool {
    /// The tool of an annotated function, under its own name or another.
    pub(crate) fn annotated(entry: &'static ToolEntry, name: Option<String>) -> Self {
        Self {
            name: name.map_or(Cow::Borrowed(entry.item.name), Cow::Owned),
            description: Cow::Borrowed(entry.item.description),
            timeout: entry.item.timeout(),
            callee: Callee::Function(entry),
            task: entry.task,
            execution: entry.item.call.execution(),
            input: OnceLock::new(),
            output: OnceLock::new(),
        }
    }

    /// A tool registered at run time.
    pub(crate) fn registered(
        name: String,
        description: String,
        input: InputSchema,
        handler: Arc<dyn Handler>,
    ) -> Self {
        let input = ToolInput {
            mirrors: input.mirrors().into(),
            schema: input,
            positions: Box::default(),
            digest: OnceLock::new(),
            holds_free_values: OnceLock::new(),
        };
        let execution = handler.execution();
        Self {
            name: Cow::Owned(name),
            description: Cow::Owned(description),
            timeout: None,
            callee: Callee::Handler(handler),
            task: TaskSupport::Forbidden,
            execution,
            input: OnceLock::from(Ok(input)),
            output: OnceLock::from(Ok(None)),
        }
    }

    /// Publishes no output schema if the tool can be a task from the beginning, so that a call may return something else.
    pub(crate) fn hide_output_of_task(&mut self) {
        if matches!(self.task, TaskSupport::Optional | TaskSupport::Required) {
            self.output = OnceLock::from(Ok(None));
        }
    }

    /// The entry of an annotated function.
    pub(crate) fn entry(&self) -> Option<&'static ToolEntry> {
        match self.callee {
            Callee::Function(entry) => Some(entry),
            Callee::Handler(_) => None,
        }
    }

    /// Whether it gets the context.
    pub(crate) fn takes_context(&self) -> bool {
        match &self.callee {
            Callee::Function(entry) => entry.item.params.iter().any(ParamEntry::takes_context),
            Callee::Handler(handler) => handler.takes_context(),
        }
    }

    /// Whether its arguments, or a part of them, become a `Value`.
    pub(crate) fn takes_values(&self) -> bool {
        match &self.callee {
            Callee::Handler(_) => true,
            Callee::Function(_) => self.input().is_ok_and(|input| {
                let holds_free_values = || input.schema.holds_free_values();
                *input.holds_free_values.get_or_init(holds_free_values)
            }),
        }
    }

    /// Where it runs.
    pub(crate) fn execution(&self) -> Execution {
        self.execution
    }

    /// The tool and its place, for reports.
    pub(crate) fn place(&self) -> String {
        match self.entry() {
            Some(entry) => entry.item.place(),
            None => format!("`{}`, registered at run time", self.name),
        }
    }

    /// How long a call may take, where other calls may take this time: a tool that can be a task runs to its end, unless it
    /// says otherwise.
    pub(crate) fn call_timeout(&self, others: Option<Duration>) -> Option<Duration> {
        match self.task {
            TaskSupport::Forbidden => self.timeout.or(others),
            TaskSupport::Optional | TaskSupport::Required | TaskSupport::Deferred => self.timeout,
        }
    }

    /// The input schema, made on first use.
    pub(crate) fn input(&self) -> Result<&ToolInput, &SchemaProblems> {
        self.input
            .get_or_init(|| match self.entry() {
                Some(entry) => held(|| derive_input(entry.item.params)),
                None => unreachable!("registered tools come with their schema"),
            })
            .as_ref()
    }

    /// The output schema, made on first use.
    pub(crate) fn output(&self) -> Result<Option<&OutputSchema>, &SchemaProblems> {
        self.output
            .get_or_init(|| {
                held(|| {
                    let schema = self.entry().and_then(|entry| (entry.output)().schema);
                    schema.map(OutputSchema::derive).transpose()
                })
            })
            .as_ref()
            .map(Option::as_ref)
    }

    /// Whether clients that take objects alone get what it returns as a member of one.
    pub(crate) fn output_is_wrapped(&self) -> bool {
        let output = self.output().ok().flatten();
        output.is_some_and(|output| output.wrapped().is_some())
    }

    /// Writes the tool as lists show it, with all members of the specification.
    pub(crate) fn write_full(
        &self,
        revision: &Revision,
        out: &mut Vec<u8>,
    ) -> Result<(), SchemaProblems> {
        let input = self.input().map_err(Clone::clone)?;
        let output = self.output().map_err(Clone::clone)?;
        let title = self.entry().map_or("", |entry| entry.item.title);
        write::open(out, revision, &self.name, title, &self.description);
        out.extend_from_slice(br#","inputSchema":"#);
        out.extend_from_slice(input.schema.json().as_bytes());
        if let Some(output) = output {
            let schema = match revision.structured {
                StructuredContent::Any => Some(output.json()),
                StructuredContent::Objects => Some(output.wrapped().unwrap_or(output.json())),
                StructuredContent::Absent => None,
            };
            if let Some(schema) = schema {
                out.extend_from_slice(br#","outputSchema":"#);
                out.extend_from_slice(schema.as_bytes());
            }
        }
        if let Some(entry) = self.entry() {
            write_extras(out, revision, entry);
        }
        out.push(b'}');
        Ok(())
    }

    /// Writes the tool with its name, description and schema alone.
    pub(crate) fn write_bare(&self, out: &mut Vec<u8>) -> Result<(), SchemaProblems> {
        let input = self.input().map_err(Clone::clone)?;
        write::open(out, Revision::BARE, &self.name, "", &self.description);
        out.extend_from_slice(br#","inputSchema":"#);
        out.extend_from_slice(input.schema.json().as_bytes());
        out.push(b'}');
        Ok(())
    }
}

/// Writes the members that only annotated functions have.
fn write_extras(out: &mut Vec<u8>, revision: &Revision, entry: &ToolEntry) {
    let Hints {
        read_only,
        destructive,
        idempotent,
        open_world,
    } = entry.hints;
    let annotations = ToolAnnotations {
        read_only_hint: read_only,
        destructive_hint: destructive,
        idempotent_hint: idempotent,
        open_world_hint: open_world,
    };
    if annotations != ToolAnnotations::default() && revision.has_audio {
        write::member(out, "annotations", &annotations);
    }
    write::extras(out, revision, &entry.item);
}

/// Makes a schema, for which defaults, examples and the types' own implementations are run.
fn held<T>(make: impl FnOnce() -> Result<T, SchemaProblems>) -> Result<T, SchemaProblems> {
    catch(make).unwrap_or_else(|panic| {
        Err(SchemaProblems::one(format!(
            "a default, an example or a type panicked while it was made: {panic}"
        )))
    })
}

fn derive_input(params: &'static [ParamEntry]) -> Result<ToolInput, SchemaProblems> {
    let mut properties = Vec::with_capacity(params.len());
    let mut positions = Vec::with_capacity(params.len());
    for (position, param) in params.iter().enumerate() {
        let ParamKind::Argument { schema, optional } = param.kind else {
            continue;
        };
        properties.push(Property {
            name: param.name,
            description: param.description,
            schema,
            // What has a default need not be sent, even if the default has no JSON form to be shown.
            optional: optional() || param.default.is_some(),
            default: param.default.and_then(|default| default()),
            constraints: &param.constraints,
            examples: param
                .examples
                .map(|examples| examples())
                .unwrap_or_default(),
            header: (!param.header.is_empty()).then_some(param.header),
        });
        positions.push(position);
    }
    let schema = InputSchema::derive(&properties)?;
    Ok(ToolInput {
        mirrors: schema.mirrors().into(),
        schema,
        positions: positions.into_boxed_slice(),
        digest: OnceLock::new(),
        holds_free_values: OnceLock::new(),
    })
}
