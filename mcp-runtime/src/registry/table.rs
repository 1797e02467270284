//! The table of tools: sorted, checked, immutable.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::hash::fnv;
use super::page::Pages;
use super::{PageError, Problem, Tool, ToolEntry};

/// Which list a profile shows, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listing {
    /// All members of the specification, sorted by name.
    Full,
    /// Name, description and schema, in the order of registration.
    Bare,
}

/// All tools of a server at one moment.
#[derive(Debug)]
pub(crate) struct Registry {
    /// In order of registration: annotated functions by name, then the others as they came.
    tools: Vec<Arc<Tool>>,
    /// Positions in `tools`, by name.
    by_name: Vec<usize>,
    /// Hashes of names and positions in `tools`, by hash. Numbers that lie side by side are found so quickly that a call
    /// among a thousand tools costs no more than one among three.
    by_hash: Vec<(u64, usize)>,
    page_size: usize,
    listing: Listing,
    pages: OnceLock<Pages>,
}

impl Registry {
    /// Makes a table, or tells which names are taken twice.
    pub(crate) fn new(
        tools: Vec<Arc<Tool>>,
        page_size: usize,
        listing: Listing,
    ) -> Result<Self, Vec<Problem>> {
        let mut by_name: Vec<usize> = (0..tools.len()).collect();
        by_name.sort_by(|&a, &b| tools[a].name.cmp(&tools[b].name));
        let mut duplicates: BTreeMap<&str, Vec<&Tool>> = BTreeMap::new();
        for pair in by_name.windows(2) {
            let (first, second) = (&tools[pair[0]], &tools[pair[1]]);
            if first.name == second.name {
                let tools = duplicates.entry(&first.name).or_insert_with(|| vec![first]);
                tools.push(second);
            }
        }
        if !duplicates.is_empty() {
            return Err(duplicates
                .into_iter()
                .map(|(name, tools)| Problem::DuplicateTool {
                    name: name.to_owned(),
                    places: tools.iter().map(|tool| tool.place()).collect(),
                    path: tools
                        .iter()
                        .find_map(|tool| tool.entry())
                        .map(ToolEntry::path),
                })
                .collect());
        }
        let mut by_hash: Vec<_> = (0..tools.len())
            .map(|position| (fnv(tools[position].name.as_bytes()), position))
            .collect();
        by_hash.sort_unstable();
        Ok(Self {
            tools,
            by_name,
            by_hash,
            page_size,
            listing,
            pages: OnceLock::new(),
        })
    }

    /// The same table with one more tool.
    pub(crate) fn with(&self, tool: Arc<Tool>) -> Result<Self, Vec<Problem>> {
        let mut tools = self.tools.clone();
        tools.push(tool);
        Self::new(tools, self.page_size, self.listing)
    }

    /// The tool of a name.
    pub(crate) fn tool(&self, name: &str) -> Option<&Arc<Tool>> {
        let wanted = fnv(name.as_bytes());
        let first = self.by_hash.partition_point(|(hash, _)| *hash < wanted);
        self.by_hash[first..]
            .iter()
            .take_while(|(hash, _)| *hash == wanted)
            .map(|(_, position)| &self.tools[*position])
            .find(|tool| tool.name == name)
    }

    /// All tools, by name.
    pub(crate) fn sorted(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.by_name.iter().map(|&position| &self.tools[position])
    }

    /// One page of the list, as the JSON text of its members. The bytes are made on first use.
    pub(crate) fn page(&self, cursor: Option<&str>) -> Result<&[u8], PageError> {
        self.pages.get_or_init(|| self.make_pages()).page(cursor)
    }

    fn make_pages(&self) -> Pages {
        let mut items = Vec::with_capacity(self.tools.len());
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
            Listing::Bare => self.tools.iter().for_each(|tool| push(tool)),
        }
        let page_size = match self.listing {
            Listing::Full => self.page_size,
            // Its readers know no cursors.
            Listing::Bare => usize::MAX,
        };
        Pages::new("tools", &items, page_size)
    }
}
