//! All that a server has at one moment; a change makes another one.

use std::sync::{Arc, OnceLock};

use super::page::Pages;
use super::table::{Row, Table};
use super::{ItemEntry, PageError, Problem, Prompt, RegisterError, Resource, Tool};
use crate::convert::ParamEntry;
use crate::protocol::Revision;

/// Which list a profile shows, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listing {
    /// All members of the specification, sorted by name.
    Full,
    /// Name, description and schema, in the order of registration.
    Bare,
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
        &self.uri
    }
}

/// What a server offers besides tools.
///
/// Once it has offered something it keeps to it, if with empty lists: a client that was told of a list may go on asking
/// for it when the last entry is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offers {
    pub(crate) prompts: bool,
    /// Resources or templates of such.
    pub(crate) resources: bool,
    /// Log messages: some function gets the context, by which it can send them to the client.
    pub(crate) logging: bool,
}

/// All that a server has at one moment.
#[derive(Debug, Clone)]
pub(crate) struct Registry {
    tools: Arc<Table<Tool>>,
    prompts: Arc<Table<Prompt>>,
    resources: Arc<Table<Resource>>,
    templates: Arc<Table<Resource>>,
    /// Whether any argument of a prompt or a template completes; found on first use, since it takes schemas.
    completes: Arc<OnceLock<bool>>,
    offers: Offers,
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
            .partition::<Vec<_>, _>(|resource| resource.is_template());
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
                let logging = tools.rows().any(|tool| tool.takes_context())
                    || prompts.rows().any(|prompt| prompt.takes_context())
                    || resources.rows().any(|resource| resource.takes_context())
                    || templates.rows().any(|template| template.takes_context());
                let offers = Offers {
                    logging,
                    prompts: !prompts.is_empty(),
                    resources: !(resources.is_empty() && templates.is_empty()),
                };
                Ok(Self {
                    tools: Arc::new(tools),
                    prompts: Arc::new(prompts),
                    resources: Arc::new(resources),
                    templates: Arc::new(templates),
                    completes: Arc::default(),
                    offers,
                    page_size,
                    listing,
                })
            }
            _ => Err(problems),
        }
    }

    /// The same with one more tool.
    pub(crate) fn with_tool(&self, tool: Arc<Tool>) -> Result<Self, RegisterError> {
        let name = tool.name.clone();
        let logging = self.offers.logging || tool.takes_context();
        let tools = self.tools.with(tool);
        let tools = tools.ok_or_else(|| RegisterError::NameTaken(name.into_owned()))?;
        Ok(Self {
            tools: Arc::new(tools),
            offers: Offers {
                logging,
                ..self.offers
            },
            ..self.clone()
        })
    }

    /// The same with one more prompt.
    pub(crate) fn with_prompt(&self, prompt: Arc<Prompt>) -> Result<Self, RegisterError> {
        let name = prompt.name.clone();
        let logging = self.offers.logging || prompt.takes_context();
        let prompts = self.prompts.with(prompt);
        let prompts = prompts.ok_or_else(|| RegisterError::PromptTaken(name.into_owned()))?;
        Ok(Self {
            prompts: Arc::new(prompts),
            offers: Offers {
                prompts: true,
                logging,
                ..self.offers
            },
            ..self.clone()
        })
    }

    /// The same with one more resource or template.
    pub(crate) fn with_resource(&self, resource: Arc<Resource>) -> Result<Self, RegisterError> {
        let uri = resource.uri.clone();
        let taken = || RegisterError::UriTaken(uri.into_owned());
        let mut grown = self.clone();
        grown.offers.resources = true;
        grown.offers.logging |= resource.takes_context();
        if resource.is_template() {
            let others = self.templates.rows();
            let mut others = others.filter(|other| other.uri != resource.uri);
            if let Some(other) = others.find(|other| other.meets(&resource)) {
                return Err(RegisterError::TemplatesMeet(
                    resource.uri.clone().into_owned(),
                    other.uri.clone().into_owned(),
                ));
            }
            grown.templates = Arc::new(self.templates.with(resource).ok_or_else(taken)?);
        } else {
            grown.resources = Arc::new(self.resources.with(resource).ok_or_else(taken)?);
        }
        Ok(grown)
    }

    /// The same without a tool; `None` if there is none of the name.
    pub(crate) fn without_tool(&self, name: &str) -> Option<Self> {
        Some(Self {
            tools: Arc::new(self.tools.without(name)?),
            ..self.clone()
        })
    }

    /// The same without a prompt; `None` if there is none of the name.
    pub(crate) fn without_prompt(&self, name: &str) -> Option<Self> {
        Some(Self {
            prompts: Arc::new(self.prompts.without(name)?),
            ..self.clone()
        })
    }

    /// The same without a resource or a template; `None` if there is none that was registered under the text.
    pub(crate) fn without_resource(&self, uri: &str) -> Option<Self> {
        if let Some(resources) = self.resources.without(uri) {
            return Some(Self {
                resources: Arc::new(resources),
                ..self.clone()
            });
        }
        Some(Self {
            templates: Arc::new(self.templates.without(uri)?),
            ..self.clone()
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

    /// What there is besides tools.
    pub(crate) fn offers(&self) -> Offers {
        self.offers
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

    /// One page of the list of tools, as the JSON text of its members. The bytes are made on first use.
    pub(crate) fn tools_page(
        &self,
        revision: &'static Revision,
        cursor: Option<&str>,
    ) -> Result<&Arc<[u8]>, PageError> {
        let make = || self.make_tool_pages(revision);
        self.tools.pages(revision, make).page(cursor)
    }

    /// One page of the list of prompts.
    pub(crate) fn prompts_page(
        &self,
        revision: &'static Revision,
        cursor: Option<&str>,
    ) -> Result<&Arc<[u8]>, PageError> {
        self.prompts
            .page(revision, cursor, "prompts", self.page_size, Prompt::write)
    }

    /// One page of the list of resources.
    pub(crate) fn resources_page(
        &self,
        revision: &'static Revision,
        cursor: Option<&str>,
    ) -> Result<&Arc<[u8]>, PageError> {
        self.resources.page(
            revision,
            cursor,
            "resources",
            self.page_size,
            Resource::write,
        )
    }

    /// One page of the list of templates.
    pub(crate) fn templates_page(
        &self,
        revision: &'static Revision,
        cursor: Option<&str>,
    ) -> Result<&Arc<[u8]>, PageError> {
        self.templates.page(
            revision,
            cursor,
            "resourceTemplates",
            self.page_size,
            Resource::write,
        )
    }

    fn make_tool_pages(&self, revision: &Revision) -> Pages {
        let mut items = Vec::with_capacity(self.tools.rows().len());
        let mut push = |tool: &Tool| {
            let mut item = Vec::new();
            let written = match self.listing {
                Listing::Full => tool.write_full(revision, &mut item),
                Listing::Bare => tool.write_bare(&mut item),
            };
            match written {
                Ok(()) => items.push(item),
                // One unusable schema would make a host drop all tools, so the tool stays away alone.
                Err(problems) => tracing::error!(
                    tool = %tool.name,
                    "{} is left out of the list, since its schema cannot be used: {problems}",
                    tool.place()
                ),
            }
        };
        match self.listing {
            Listing::Full => self.sorted().for_each(|tool| push(tool)),
            Listing::Bare => self.tools.rows().for_each(|tool| push(tool)),
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

/// The path that names one of several functions and no other.
fn path_of_one<'e>(items: impl Iterator<Item = &'e ItemEntry> + Clone) -> Option<String> {
    let one = items.clone().next()?;
    Some(one.path_among(items))
}

fn duplicate_tools(equal: &[Vec<Arc<Tool>>]) -> Vec<Problem> {
    let problems = equal.iter().map(|tools| Problem::DuplicateTool {
        name: tools[0].name.clone().into_owned(),
        places: tools.iter().map(|tool| tool.place()).collect(),
        path: path_of_one(
            tools
                .iter()
                .filter_map(|tool| tool.entry())
                .map(|entry| &entry.item),
        ),
    });
    problems.collect()
}

fn duplicate_prompts(equal: &[Vec<Arc<Prompt>>]) -> Vec<Problem> {
    let problems = equal.iter().map(|prompts| Problem::DuplicatePrompt {
        name: prompts[0].name.clone().into_owned(),
        places: prompts.iter().map(|prompt| prompt.place()).collect(),
        path: path_of_one(
            prompts
                .iter()
                .filter_map(|prompt| prompt.entry())
                .map(|entry| &entry.item),
        ),
    });
    problems.collect()
}

fn duplicate_resources(equal: &[Vec<Arc<Resource>>]) -> Vec<Problem> {
    let problems = equal.iter().map(|resources| Problem::DuplicateResource {
        uri: resources[0].uri.clone().into_owned(),
        places: resources.iter().map(|resource| resource.place()).collect(),
        path: path_of_one(
            resources
                .iter()
                .filter_map(|resource| resource.entry())
                .map(|entry| &entry.item),
        ),
    });
    problems.collect()
}

/// Pairs of different templates that match one URI, so that nobody could say which of them is read.
fn meeting(templates: &[Arc<Resource>]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, first) in templates.iter().enumerate() {
        for second in &templates[index + 1..] {
            if first.uri != second.uri && first.meets(second) {
                problems.push(Problem::OverlappingTemplates {
                    templates: [
                        first.uri.clone().into_owned(),
                        second.uri.clone().into_owned(),
                    ],
                    places: [first.place(), second.place()],
                });
            }
        }
    }
    problems
}
