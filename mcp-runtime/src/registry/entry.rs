//! Link-time entries: what generated code leaves in the program for the registry to find.

use std::time::Duration;

use crate::convert::{OutputSpec, ParamEntry, Rejected};
use crate::dispatch::{BoxFuture, CacheScope, Invocation};
use crate::exec::Execution;
use crate::protocol::{Annotations, Role};
use crate::uri::UriPart;

/// What every annotated function has, as generated code describes it.
#[derive(Debug)]
#[allow(clippy::exhaustive_structs, reason = "generated code fills it in")]
pub struct ItemEntry {
    /// The name.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// What it does or is.
    pub description: &'static str,
    /// Pictures for user interfaces.
    pub icons: &'static [IconEntry],
    /// The `_meta` object as JSON text, or an empty string.
    pub meta: &'static str,
    /// The group, or an empty string.
    pub group: &'static str,
    /// How long a call may take, in milliseconds; `None` leaves it to the server, 0 means without limit.
    pub timeout_ms: Option<u64>,
    /// The parameters, in order.
    pub params: &'static [ParamEntry],
    /// Calls the function.
    pub call: CallFn,
    /// Where the function stands.
    pub location: Location,
}

impl ItemEntry {
    /// The path of the function, such as `shop::orders::search`, under which the builder knows it.
    ///
    /// Its last part is the item's name, which is the function's own unless the attribute says otherwise.
    pub(crate) fn path(&self) -> String {
        format!("{}::{}", self.location.module, self.name)
    }

    /// The path with the version of its crate, such as `shop@1.2.0::orders::search`, which tells two versions of one library
    /// apart.
    pub(crate) fn versioned_path(&self) -> String {
        format!("{}::{}", self.location.versioned_module(), self.name)
    }

    /// The shortest path that none of these has as well, of which it is one.
    pub(crate) fn path_among<'e>(&self, items: impl IntoIterator<Item = &'e Self>) -> String {
        let path = self.path();
        let mut items = items.into_iter();
        let is_shared = items.any(|item| item.location != self.location && item.path() == path);
        if is_shared {
            self.versioned_path()
        } else {
            path
        }
    }

    /// Whether this is its name, or its path with or without the version.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.path() == name || self.versioned_path() == name
    }

    /// The path and the place in the source, for reports.
    pub(crate) fn place(&self) -> String {
        format!("`{}` at {}", self.path(), self.location)
    }

    /// How long a call may take, if the function says so.
    pub(crate) fn timeout(&self) -> Option<Duration> {
        self.timeout_ms.map(Duration::from_millis)
    }

    /// Whether both stand for one function, of which a library's own test program has two: the library compiled for
    /// tests, and the library as a dependency of one of its dev-dependencies.
    fn is_other_compilation_of(&self, other: &Self) -> bool {
        let (here, there) = (self.location, other.location);
        self.name == other.name
            && (here.module, here.file, here.line) == (there.module, there.file, there.line)
            && here.for_tests != there.for_tests
    }
}

/// An annotated function that is a tool.
#[derive(Debug)]
#[allow(clippy::exhaustive_structs, reason = "generated code fills it in")]
pub struct ToolEntry {
    /// What it has like all others.
    pub item: ItemEntry,
    /// Hints for clients.
    pub hints: Hints,
    /// Whether a call of it can go on as a task.
    pub task: TaskSupport,
    /// What is known of the result.
    pub output: fn() -> OutputSpec,
}

/// Whether a call of a tool can go on as a task (SEP-2663).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "generated code fills it in")]
pub enum TaskSupport {
    /// It is a call and nothing else.
    Forbidden,
    /// It is a task if the client can do with one, and a call if not.
    Optional,
    /// It is a task, and clients that cannot do with one are refused.
    Required,
    /// It is a call until the tool itself makes a task of it, if the client can do with one.
    Deferred,
}

/// An annotated function that is a prompt.
#[derive(Debug)]
#[allow(clippy::exhaustive_structs, reason = "generated code fills it in")]
pub struct PromptEntry {
    /// What it has like all others.
    pub item: ItemEntry,
    /// Arguments that it does not know are left aside instead of refused.
    pub allow_unknown: bool,
}

/// An annotated function that is a resource, or a template of resources.
#[derive(Debug)]
#[allow(clippy::exhaustive_structs, reason = "generated code fills it in")]
pub struct ResourceEntry {
    /// What it has like all others.
    pub item: ItemEntry,
    /// The URI or the template, as it was written.
    pub uri: &'static str,
    /// The same in parts.
    pub parts: &'static [UriPart<'static>],
    /// The type of the contents, as the attribute or else the function's result tells it, or an empty string.
    pub mime_type: fn() -> &'static str,
    /// The size of the contents in bytes.
    pub size: Option<u64>,
    /// Whom it is for.
    pub annotations: AnnotationsEntry,
    /// How long clients may keep the contents, in milliseconds.
    pub ttl_ms: Option<u64>,
    /// Who may keep them.
    pub cache_scope: Option<CacheScope>,
}

impl ResourceEntry {
    /// Whether it has variables.
    pub(crate) fn is_template(&self) -> bool {
        !matches!(self.parts, [UriPart::Literal(_)])
    }
}

/// Whom a resource is for, and how much it matters.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::exhaustive_structs, reason = "generated code fills it in")]
pub struct AnnotationsEntry {
    /// `user`, `assistant`, both or none.
    pub audience: &'static [&'static str],
    /// From 0 to 1.
    pub priority: Option<f64>,
    /// An ISO 8601 time, or an empty string.
    pub last_modified: &'static str,
}

impl AnnotationsEntry {
    /// The annotations as the protocol has them.
    pub(crate) fn to_protocol(self) -> Annotations {
        let role = |name: &&str| match *name {
            "user" => Role::User,
            _ => Role::Assistant,
        };
        let mut annotations = Annotations::for_audience(self.audience.iter().map(role));
        annotations.priority = self.priority;
        if !self.last_modified.is_empty() {
            annotations.last_modified = Some(self.last_modified.to_owned());
        }
        annotations
    }
}

/// Calls an annotated function.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::exhaustive_enums, reason = "generated code makes it")]
pub enum CallFn {
    /// A plain function with the key `inline`: when it returns, the reply is written.
    Inline(fn(&mut Invocation<'_>) -> Result<(), Rejected>),
    /// A plain function, which may block: when it returns, the reply is written.
    Blocking(fn(&mut Invocation<'_>) -> Result<(), Rejected>),
    /// An async function: its future ends with the reply.
    Async(fn(&mut Invocation<'_>) -> Result<BoxFuture, Rejected>),
}

impl CallFn {
    /// Where it runs.
    pub(crate) fn execution(self) -> Execution {
        match self {
            Self::Inline(_) => Execution::Inline,
            Self::Blocking(_) => Execution::Blocking,
            Self::Async(_) => Execution::Async,
        }
    }
}

/// Hints about what a tool does; unset ones are not sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "generated code fills it in")]
pub struct Hints {
    /// The tool changes nothing.
    pub read_only: Option<bool>,
    /// The tool may destroy something.
    pub destructive: Option<bool>,
    /// Calling it again changes nothing more.
    pub idempotent: Option<bool>,
    /// It deals with an open world, such as the web.
    pub open_world: Option<bool>,
}

impl Hints {
    /// No hints.
    pub const UNSET: Self = Self {
        read_only: None,
        destructive: None,
        idempotent: None,
        open_world: None,
    };
}

/// A picture for user interfaces.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::exhaustive_structs, reason = "generated code fills it in")]
pub struct IconEntry {
    /// Its URI.
    pub src: &'static str,
    /// Its type, or an empty string.
    pub mime_type: &'static str,
    /// The sizes that it fits.
    pub sizes: &'static [&'static str],
    /// `light`, `dark` or an empty string.
    pub theme: &'static str,
}

impl IconEntry {
    /// The icon as the protocol has it.
    pub(crate) fn to_json(self) -> serde_json::Value {
        let mut icon = serde_json::Map::new();
        icon.insert("src".into(), self.src.into());
        if !self.mime_type.is_empty() {
            icon.insert("mimeType".into(), self.mime_type.into());
        }
        if !self.sizes.is_empty() {
            icon.insert("sizes".into(), self.sizes.into());
        }
        if !self.theme.is_empty() {
            icon.insert("theme".into(), self.theme.into());
        }
        icon.into()
    }
}

/// Where a function stands in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "generated code fills it in")]
pub struct Location {
    /// The path of the module.
    pub module: &'static str,
    /// The file.
    pub file: &'static str,
    /// The line, from 1.
    pub line: u32,
    /// The version of the crate, or an empty string.
    pub version: &'static str,
    /// Whether the crate was compiled for its own tests.
    pub for_tests: bool,
}

impl Location {
    /// The path of the module with the version of its crate.
    pub(crate) fn versioned_module(self) -> String {
        let (library, rest) = self.module.split_at(self.library().len());
        format!("{library}@{}{rest}", self.version)
    }

    /// The name of the crate.
    pub(crate) fn library(self) -> &'static str {
        let end = self.module.find("::").unwrap_or(self.module.len());
        &self.module[..end]
    }
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// An entry that the linker collects.
#[derive(Debug)]
pub struct Registration(Entry);

#[derive(Debug)]
enum Entry {
    Tool(&'static ToolEntry),
    Prompt(&'static PromptEntry),
    Resource(&'static ResourceEntry),
}

impl Registration {
    /// Registers a tool.
    #[must_use]
    pub const fn tool(entry: &'static ToolEntry) -> Self {
        Self(Entry::Tool(entry))
    }

    /// Registers a prompt.
    #[must_use]
    pub const fn prompt(entry: &'static PromptEntry) -> Self {
        Self(Entry::Prompt(entry))
    }

    /// Registers a resource.
    #[must_use]
    pub const fn resource(entry: &'static ResourceEntry) -> Self {
        Self(Entry::Resource(entry))
    }
}

inventory::collect!(Registration);

/// All annotated functions of the program, each kind by name and then by place: the linker's order differs between builds.
///
/// Of two compilations of one library the tests get the one that they are part of, since it has their types.
#[derive(Debug, Default)]
pub(crate) struct Registered {
    pub(crate) tools: Vec<&'static ToolEntry>,
    pub(crate) prompts: Vec<&'static PromptEntry>,
    pub(crate) resources: Vec<&'static ResourceEntry>,
}

impl Registered {
    /// Collects them.
    pub(crate) fn all() -> Self {
        let mut all = Self::default();
        for registration in inventory::iter::<Registration> {
            match registration.0 {
                Entry::Tool(entry) => all.tools.push(entry),
                Entry::Prompt(entry) => all.prompts.push(entry),
                Entry::Resource(entry) => all.resources.push(entry),
            }
        }
        order(&mut all.tools, |entry| &entry.item);
        order(&mut all.prompts, |entry| &entry.item);
        order(&mut all.resources, |entry| &entry.item);
        all
    }

    /// What all of them have in common.
    pub(crate) fn items(&self) -> Vec<&'static ItemEntry> {
        let tools = self.tools.iter().map(|entry| &entry.item);
        let prompts = self.prompts.iter().map(|entry| &entry.item);
        let resources = self.resources.iter().map(|entry| &entry.item);
        tools.chain(prompts).chain(resources).collect()
    }
}

fn order<E>(entries: &mut Vec<&'static E>, item: impl Fn(&'static E) -> &'static ItemEntry) {
    entries.sort_by_key(|entry| {
        let item = item(entry);
        let place = item.location;
        (
            item.name,
            place.module,
            place.file,
            place.line,
            place.version,
            !place.for_tests,
        )
    });
    entries.dedup_by(|entry, before| item(entry).is_other_compilation_of(item(before)));
}
