//! Link-time entries: what generated code leaves in the program for the registry to find.

use crate::convert::{OutputSpec, ParamEntry, Rejected};
use crate::dispatch::{BoxFuture, Invocation};

/// An annotated function, as generated code describes it.
#[derive(Debug)]
#[allow(clippy::exhaustive_structs, reason = "generated code fills it in")]
pub struct ToolEntry {
    /// The tool's name.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// What the tool does.
    pub description: &'static str,
    /// Hints for clients.
    pub hints: Hints,
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
    /// What is known of the result.
    pub output: fn() -> OutputSpec,
    /// Calls the function.
    pub call: ToolFn,
    /// Where the function stands.
    pub location: Location,
}

impl ToolEntry {
    /// The path of the function, such as `shop::orders::search`, under which the builder knows it.
    ///
    /// Its last part is the tool's name, which is the function's own unless the attribute says otherwise.
    pub(crate) fn path(&self) -> String {
        format!("{}::{}", self.location.module, self.name)
    }

    /// The path and the place in the source, for reports.
    pub(crate) fn place(&self) -> String {
        format!("`{}` at {}", self.path(), self.location)
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

/// Calls an annotated function.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::exhaustive_enums, reason = "generated code makes it")]
pub enum ToolFn {
    /// A plain function: when it returns, the reply is written.
    Sync(fn(&mut Invocation<'_>) -> Result<(), Rejected>),
    /// An async function: its future ends with the reply.
    Async(fn(&mut Invocation<'_>) -> Result<BoxFuture, Rejected>),
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
    /// Whether the crate was compiled for its own tests.
    pub for_tests: bool,
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// An entry that the linker collects.
#[derive(Debug)]
pub struct Registration(&'static ToolEntry);

impl Registration {
    /// Registers a tool.
    #[must_use]
    pub const fn tool(entry: &'static ToolEntry) -> Self {
        Self(entry)
    }
}

inventory::collect!(Registration);

/// All annotated functions of the program, by name and then by place: the linker's order differs between builds.
///
/// Of two compilations of one library the tests get the one that they are part of, since it has their types.
pub(crate) fn registered() -> Vec<&'static ToolEntry> {
    let mut entries: Vec<_> = inventory::iter::<Registration>
        .into_iter()
        .map(|registration| registration.0)
        .collect();
    entries.sort_by_key(|entry| {
        let place = entry.location;
        (
            entry.name,
            place.module,
            place.file,
            place.line,
            !place.for_tests,
        )
    });
    entries.dedup_by(|entry, before| entry.is_other_compilation_of(before));
    entries
}
