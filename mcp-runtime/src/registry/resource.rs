//! One resource of the table, or one template, whether it was annotated or registered at run time.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use super::handler::{ResourceInput, TemplateInput};
use super::{Handler, RegisterError, ResourceEntry, write};
use crate::convert::ParamEntry;
use crate::exec::Execution;
use crate::protocol::{Annotations, Revision};
use crate::uri::{self, Captured, Template, UriPart};

/// A resource that can be listed and read, or a template of such.
#[derive(Debug)]
pub(crate) struct Resource {
    pub(crate) name: Cow<'static, str>,
    /// The URI or the template.
    pub(crate) uri: Cow<'static, str>,
    description: Cow<'static, str>,
    pub(crate) source: ResourceSource,
    execution: Execution,
}

/// What runs when the resource is read.
#[derive(Debug)]
pub(crate) enum ResourceSource {
    /// An annotated function.
    Function(&'static ResourceEntry),
    /// A handler of one URI, registered at run time.
    Handler(Arc<dyn Handler<ResourceInput>>),
    /// A handler of a template, registered at run time.
    Template(Template, Arc<dyn Handler<TemplateInput>>),
}

impl Resource {
    /// The resource of an annotated function, under its own name or another.
    pub(crate) fn annotated(entry: &'static ResourceEntry, name: Option<String>) -> Self {
        Self {
            name: name.map_or(Cow::Borrowed(entry.item.name), Cow::Owned),
            uri: Cow::Borrowed(entry.uri),
            description: Cow::Borrowed(entry.item.description),
            source: ResourceSource::Function(entry),
            execution: entry.item.call.execution(),
        }
    }

    /// A resource of one URI registered at run time, if the URI can be used.
    pub(crate) fn fixed(
        uri: String,
        name: String,
        description: String,
        handler: Arc<dyn Handler<ResourceInput>>,
    ) -> Result<Self, RegisterError> {
        match uri::check_fixed(&uri) {
            Ok(()) => {
                let execution = handler.execution();
                let source = ResourceSource::Handler(handler);
                Ok(Self::registered(uri, name, description, execution, source))
            }
            Err(sentence) => Err(RegisterError::BadUri(uri, sentence.into_owned())),
        }
    }

    /// A template registered at run time, if URIs can be matched against it.
    pub(crate) fn template(
        text: String,
        name: String,
        description: String,
        handler: Arc<dyn Handler<TemplateInput>>,
    ) -> Result<Self, RegisterError> {
        match Template::read(&text) {
            Ok(template) => {
                let execution = handler.execution();
                let source = ResourceSource::Template(template, handler);
                Ok(Self::registered(text, name, description, execution, source))
            }
            Err(sentence) => Err(RegisterError::BadUri(text, sentence.into_owned())),
        }
    }

    fn registered(
        uri: String,
        name: String,
        description: String,
        execution: Execution,
        source: ResourceSource,
    ) -> Self {
        Self {
            name: Cow::Owned(name),
            uri: Cow::Owned(uri),
            description: Cow::Owned(description),
            source,
            execution,
        }
    }

    /// The entry of an annotated function.
    pub(crate) fn entry(&self) -> Option<&'static ResourceEntry> {
        match self.source {
            ResourceSource::Function(entry) => Some(entry),
            ResourceSource::Handler(_) | ResourceSource::Template(..) => None,
        }
    }

    /// How long a call may take: `None` leaves it to the server, zero means without limit.
    pub(crate) fn timeout(&self) -> Option<Duration> {
        self.entry().and_then(|entry| entry.item.timeout())
    }

    /// Where it runs.
    pub(crate) fn execution(&self) -> Execution {
        self.execution
    }

    /// The resource and its place, for reports.
    pub(crate) fn place(&self) -> String {
        match self.entry() {
            Some(entry) => entry.item.place(),
            None => format!("`{}`, registered at run time", self.name),
        }
    }

    /// The parameters of an annotated function, variables and others; none of a handler.
    pub(crate) fn params(&self) -> &'static [ParamEntry] {
        self.entry().map_or(&[], |entry| entry.item.params)
    }

    /// Whether it gets the context.
    pub(crate) fn takes_context(&self) -> bool {
        match &self.source {
            ResourceSource::Function(entry) => {
                entry.item.params.iter().any(ParamEntry::takes_context)
            }
            ResourceSource::Handler(handler) => handler.takes_context(),
            ResourceSource::Template(_, handler) => handler.takes_context(),
        }
    }

    /// Whether it has variables.
    pub(crate) fn is_template(&self) -> bool {
        match &self.source {
            ResourceSource::Function(entry) => entry.is_template(),
            ResourceSource::Handler(_) => false,
            ResourceSource::Template(..) => true,
        }
    }

    /// What the variables of a template stand for, if a URI is one of its.
    pub(crate) fn capture<'u>(&self, uri: &'u str) -> Option<Vec<Captured<'u>>> {
        self.with_parts(|parts| uri::capture(parts, uri))
    }

    /// Whether two templates can match one URI.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.with_parts(|these| other.with_parts(|those| uri::overlap(these, those)))
    }

    fn with_parts<R>(&self, run: impl FnOnce(&[UriPart<'_>]) -> R) -> R {
        match &self.source {
            ResourceSource::Function(entry) => run(entry.parts),
            ResourceSource::Handler(_) => run(&[UriPart::Literal(&self.uri)]),
            ResourceSource::Template(template, _) => template.with_parts(run),
        }
    }

    /// Writes the resource as lists show it (server/resources, "Resource").
    pub(crate) fn write(&self, revision: &Revision, out: &mut Vec<u8>) {
        let entry = self.entry();
        let member = if self.is_template() {
            "uriTemplate"
        } else {
            "uri"
        };
        let title = entry.map_or("", |entry| entry.item.title);
        write::open(out, revision, &self.name, title, &self.description);
        write::text(out, member, &self.uri);
        if let Some(entry) = entry {
            write_extras(out, revision, entry);
        }
        out.push(b'}');
    }
}

/// Writes the members that only annotated functions have.
fn write_extras(out: &mut Vec<u8>, revision: &Revision, entry: &ResourceEntry) {
    let mime_type = (entry.mime_type)();
    if !mime_type.is_empty() {
        write::text(out, "mimeType", mime_type);
    }
    if let Some(size) = entry.size {
        write::member(out, "size", &size);
    }
    let annotations = entry.annotations.to_protocol();
    if annotations != Annotations::default() {
        write::member(out, "annotations", &annotations);
    }
    write::extras(out, revision, &entry.item);
}
