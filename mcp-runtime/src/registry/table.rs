//! The tables of tools, prompts and resources: sorted, checked, immutable.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::hash::fnv;
use super::page::Pages;
use super::{PageError, Problem, Prompt, Resource, Tool};
use crate::convert::ParamEntry;
use crate::uri::overlap;

/// Which list a profile shows, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listing {
    /// All members of the specification, sorted by name.
    Full,
    /// Name, description and schema, in the order of registration.
    Bare,
}

/// Something that a table holds.
pub(crate) trait Row {
    /// What it is found by, which no two have in common.
    fn key(&self) -> &str;
}

impl Row for Tool {
    fn key(&self) -> &str {
        &self.name
    }
}

impl Row for Prompt {
    fn key(&self) -> &str {
        &self.name
    }
}

impl Row for Resource {
    fn key(&self) -> &str {
        self.entry.uri
    }
}

/// All rows of one kind, with their list.
#[derive(Debug)]
pub(crate) struct Table<T> {
    /// In order of registration: annotated functions by name, then the others as they came.
    rows: Vec<Arc<T>>,
    /// Positions in `rows`, by key.
    by_key: Vec<usize>,
    /// Hashes of keys and positions in `rows`, by hash. Numbers that lie side by side are found so quickly that a call
    /// among a thousand tools costs no more than one among three.
    by_hash: Vec<(u64, usize)>,
    pages: OnceLock<Pages>,
}

impl<T: Row> Table<T> {
    /// Makes a table, or gives the rows whose keys are taken twice, by key.
    pub(crate) fn new(rows: Vec<Arc<T>>) -> Result<Self, Vec<Vec<Arc<T>>>> {
        let mut by_key: Vec<usize> = (0..rows.len()).collect();
        by_key.sort_by(|&a, &b| rows[a].key().cmp(rows[b].key()));
        let mut duplicates: BTreeMap<&str, Vec<Arc<T>>> = BTreeMap::new();
        for pair in by_key.windows(2) {
            let (first, second) = (&rows[pair[0]], &rows[pair[1]]);
            if first.key() == second.key() {
                let equal = duplicates
                    .entry(first.key())
                    .or_insert_with(|| vec![Arc::clone(first)]);
                equal.push(Arc::clone(second));
            }
        }
        if !duplicates.is_empty() {
            return Err(duplicates.into_values().collect());
        }
        let mut by_hash: Vec<_> = (0..rows.len())
            .map(|position| (fnv(rows[position].key().as_bytes()), position))
            .collect();
        by_hash.sort_unstable();
        Ok(Self {
            rows,
            by_key,
            by_hash,
            pages: OnceLock::new(),
        })
    }

    /// The row of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Arc<T>> {
        let wanted = fnv(key.as_bytes());
        let first = self.by_hash.partition_point(|(hash, _)| *hash < wanted);
        self.by_hash[first..]
            .iter()
            .take_while(|(hash, _)| *hash == wanted)
            .map(|(_, position)| &self.rows[*position])
            .find(|row| row.key() == key)
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// All rows, by key.
    pub(crate) fn sorted(&self) -> impl Iterator<Item = &Arc<T>> {
        self.by_key.iter().map(|&position| &self.rows[position])
    }

    /// One page of the list, as the JSON text of its members. The bytes are made on first use.
    ///
    /// `member` is the name of the list; `write` writes a row that can be shown.
    pub(crate) fn page(
        &self,
        cursor: Option<&str>,
        member: &str,
        page_size: usize,
        write: impl Fn(&T, &mut Vec<u8>),
    ) -> Result<&[u8], PageError> {
        let make = || {
            let items: Vec<_> = self.sorted().map(|row| written(&**row, &write)).collect();
            Pages::new(member, &items, page_size)
        };
        self.pages.get_or_init(make).page(cursor)
    }
}

fn written<T>(row: &T, write: &impl Fn(&T, &mut Vec<u8>)) -> Vec<u8> {
    let mut item = Vec::new();
    write(row, &mut item);
    item
}

/// All that a server has at one moment.
#[derive(Debug)]
pub(crate) struct Registry {
    tools: Table<Tool>,
    prompts: Arc<Table<Prompt>>,
    resources: Arc<Table<Resource>>,
    templates: Arc<Table<Resource>>,
    /// Whether any argument of a prompt or a template completes; found on first use, since it takes schemas.
    completes: Arc<OnceLock<bool>>,
    page_size: usize,
    listing: Listing,
}

impl Registry {
    /// Makes the tables, or tells which names and URIs are taken twice.
    pub(crate) fn new(
        tools: Vec<Arc<Tool>>,
        prompts: Vec<Arc<Prompt>>,
        resources: Vec<Arc<Resource>>,
        page_size: usize,
        listing: Listing,
    ) -> Result<Self, Vec<Problem>> {
        let (templates, resources) = resources
            .into_iter()
            .partition::<Vec<_>, _>(|resource| resource.entry.is_template());
        let mut problems = Vec::new();
        let tools = table(tools, duplicate_tools, &mut problems);
        let prompts = table(prompts, duplicate_prompts, &mut problems);
        let resources = table(resources, duplicate_resources, &mut problems);
        let meeting = meeting(&templates);
        let templates = table(templates, duplicate_resources, &mut problems);
        problems.extend(meeting);
        match (tools, prompts, resources, templates) {
            (Some(tools), Some(prompts), Some(resources), Some(templates))
                if problems.is_empty() =>
            {
                Ok(Self {
                    tools,
                    prompts: Arc::new(prompts),
                    resources: Arc::new(resources),
                    templates: Arc::new(templates),
                    completes: Arc::default(),
                    page_size,
                    listing,
                })
            }
            _ => Err(problems),
        }
    }

    /// The same tables with one more tool.
    pub(crate) fn with(&self, tool: Arc<Tool>) -> Result<Self, Vec<Problem>> {
        let mut tools = self.tools.rows.clone();
        tools.push(tool);
        Ok(Self {
            tools: Table::new(tools).map_err(|equal| duplicate_tools(&equal))?,
            prompts: Arc::clone(&self.prompts),
            resources: Arc::clone(&self.resources),
            templates: Arc::clone(&self.templates),
            completes: Arc::clone(&self.completes),
            page_size: self.page_size,
            listing: self.listing,
        })
    }

    /// The tool of a name.
    pub(crate) fn tool(&self, name: &str) -> Option<&Arc<Tool>> {
        self.tools.get(name)
    }

    /// All tools, by name.
    pub(crate) fn sorted(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.tools.sorted()
    }

    /// The prompts.
    pub(crate) fn prompts(&self) -> &Table<Prompt> {
        &self.prompts
    }

    /// The resources of a fixed URI.
    pub(crate) fn resources(&self) -> &Table<Resource> {
        &self.resources
    }

    /// The templates of resources.
    pub(crate) fn templates(&self) -> &Table<Resource> {
        &self.templates
    }

    /// Whether any argument of a prompt or a template completes.
    pub(crate) fn completes(&self) -> bool {
        *self.completes.get_or_init(|| {
            let prompts = self.prompts.sorted().map(|prompt| prompt.params());
            let templates = self.templates.sorted().map(|template| template.params());
            prompts
                .chain(templates)
                .flatten()
                .any(ParamEntry::completes)
        })
    }

    /// Whether any function gets the context, by which it can send log messages to the client.
    pub(crate) fn logs(&self) -> bool {
        let prompts = self.prompts.sorted().map(|prompt| prompt.params());
        let resources = self.resources.sorted().chain(self.templates.sorted());
        prompts
            .chain(resources.map(|resource| resource.params()))
            .flatten()
            .any(ParamEntry::takes_context)
            || self.sorted().any(|tool| tool.takes_context())
    }

    /// One page of the list of tools, as the JSON text of its members. The bytes are made on first use.
    pub(crate) fn tools_page(&self, cursor: Option<&str>) -> Result<&[u8], PageError> {
        let pages = self.tools.pages.get_or_init(|| self.make_tool_pages());
        pages.page(cursor)
    }

    /// One page of the list of prompts.
    pub(crate) fn prompts_page(&self, cursor: Option<&str>) -> Result<&[u8], PageError> {
        self.prompts
            .page(cursor, "prompts", self.page_size, Prompt::write)
    }

    /// One page of the list of resources.
    pub(crate) fn resources_page(&self, cursor: Option<&str>) -> Result<&[u8], PageError> {
        self.resources
            .page(cursor, "resources", self.page_size, Resource::write)
    }

    /// One page of the list of templates.
    pub(crate) fn templates_page(&self, cursor: Option<&str>) -> Result<&[u8], PageError> {
        self.templates
            .page(cursor, "resourceTemplates", self.page_size, Resource::write)
    }

    fn make_tool_pages(&self) -> Pages {
        let mut items = Vec::with_capacity(self.tools.rows.len());
        let mut push = |tool: &Tool| {
            let mut item = Vec::new();
            let written = match self.listing {
                Listing::Full => tool.write_full(&mut item),
                Listing::Bare => tool.write_bare(&mut item),
            };
            match written {
                Ok(()) => items.push(item),
                // One unusable schema would make a host drop all tools, so the tool stays away alone.
                Err(problems) => tracing::error!(
                    tool = %tool.name,
                    "the tool is left out of the list, since its schema cannot be used: {problems}"
                ),
            }
        };
        match self.listing {
            Listing::Full => self.sorted().for_each(|tool| push(tool)),
            Listing::Bare => self.tools.rows.iter().for_each(|tool| push(tool)),
        }
        let page_size = match self.listing {
            Listing::Full => self.page_size,
            // Its readers know no cursors.
            Listing::Bare => usize::MAX,
        };
        Pages::new("tools", &items, page_size)
    }
}

/// The table of the rows, or the problems that stand against it.
fn table<T: Row>(
    rows: Vec<Arc<T>>,
    told: impl FnOnce(&[Vec<Arc<T>>]) -> Vec<Problem>,
    problems: &mut Vec<Problem>,
) -> Option<Table<T>> {
    match Table::new(rows) {
        Ok(table) => Some(table),
        Err(equal) => {
            problems.extend(told(&equal));
            None
        }
    }
}

fn duplicate_tools(equal: &[Vec<Arc<Tool>>]) -> Vec<Problem> {
    let problems = equal.iter().map(|tools| Problem::DuplicateTool {
        name: tools[0].name.clone().into_owned(),
        places: tools.iter().map(|tool| tool.place()).collect(),
        path: tools
            .iter()
            .find_map(|tool| tool.entry())
            .map(|entry| entry.item.path()),
    });
    problems.collect()
}

fn duplicate_prompts(equal: &[Vec<Arc<Prompt>>]) -> Vec<Problem> {
    let problems = equal.iter().map(|prompts| Problem::DuplicatePrompt {
        name: prompts[0].name.clone().into_owned(),
        places: prompts.iter().map(|prompt| prompt.place()).collect(),
        path: prompts[0].entry.item.path(),
    });
    problems.collect()
}

fn duplicate_resources(equal: &[Vec<Arc<Resource>>]) -> Vec<Problem> {
    let problems = equal.iter().map(|resources| Problem::DuplicateResource {
        uri: resources[0].entry.uri.to_owned(),
        places: resources.iter().map(|resource| resource.place()).collect(),
        path: resources[0].entry.item.path(),
    });
    problems.collect()
}

/// Pairs of different templates that match one URI, so that nobody could say which of them is read.
fn meeting(templates: &[Arc<Resource>]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, first) in templates.iter().enumerate() {
        for second in &templates[index + 1..] {
            let (a, b) = (first.entry, second.entry);
            if a.uri != b.uri && overlap(a.parts, b.parts) {
                problems.push(Problem::OverlappingTemplates {
                    templates: [a.uri.to_owned(), b.uri.to_owned()],
                    places: [first.place(), second.place()],
                });
            }
        }
    }
    problems
}
