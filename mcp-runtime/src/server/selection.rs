//! Which annotated functions a server serves, and under which names.
//!
//! Only what the builder was told is applied here; whether two of the chosen tools have one name is the registry's to say.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::examine::Standing;
use super::registration::is_tool_name;
use crate::registry::{ItemEntry, Problem, Prompt, RegisterError, Registered, Resource, Tool};
use crate::schema::nearest;

/// What the builder was told of groups and names.
#[derive(Debug, Default)]
pub(super) struct Selection {
    /// The groups to serve; `None` stands for the tools without a group.
    pub(super) groups: Option<BTreeSet<String>>,
    /// Names and paths of tools to leave out.
    pub(super) exclude: Vec<String>,
    /// Names and paths of tools, and the names that they get.
    pub(super) rename: Vec<(String, String)>,
}

/// What a server serves of the annotated functions.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) tools: Vec<Arc<Tool>>,
    pub(super) prompts: Vec<Arc<Prompt>>,
    pub(super) resources: Vec<Arc<Resource>>,
}

impl Selection {
    /// Whether an annotated function is served, and if so under which name.
    pub(super) fn standing(&self, entry: &ItemEntry) -> Standing {
        let chosen = match &self.groups {
            Some(groups) => groups.contains(entry.group),
            None => entry.group.is_empty(),
        };
        if !chosen {
            Standing::OtherGroup
        } else if self.exclude.iter().any(|tool| is_called(entry, tool)) {
            Standing::Excluded
        } else {
            let name = self.new_names(entry).next();
            name.map_or(Standing::Served, |name| Standing::ServedAs(name.to_owned()))
        }
    }

    /// Everything that is served.
    pub(super) fn all(&self, entries: &Registered) -> Chosen {
        Chosen {
            tools: self.choose(&entries.tools, |entry| &entry.item, Tool::annotated),
            resources: self.choose(&entries.resources, |entry| &entry.item, Resource::annotated),
            prompts: self.choose(&entries.prompts, |entry| &entry.item, Prompt::annotated),
        }
    }

    /// The functions of the chosen groups, without the excluded, made with their new names if they have any.
    fn choose<E: 'static, T>(
        &self,
        entries: &[&'static E],
        item: impl Fn(&'static E) -> &'static ItemEntry,
        make: impl Fn(&'static E, Option<String>) -> T,
    ) -> Vec<Arc<T>> {
        let served = entries.iter().filter_map(|entry| {
            let name = match self.standing(item(entry)) {
                Standing::Served => None,
                Standing::ServedAs(name) => Some(name),
                Standing::Excluded | Standing::OtherGroup => return None,
            };
            Some(Arc::new(make(entry, name)))
        });
        served.collect()
    }

    /// What the builder was told in vain: names that nothing has, and names that no tool can get.
    pub(super) fn problems(&self, entries: &[&'static ItemEntry]) -> Vec<Problem> {
        let groups = self.groups.iter().flatten();
        let mut problems: Vec<_> = groups
            .filter(|group| !group.is_empty() && !entries.iter().any(|it| it.group == **group))
            .map(|group| Problem::UnknownGroup {
                nearest: nearest(group, entries.iter().map(|entry| entry.group)).map(str::to_owned),
                name: group.clone(),
            })
            .collect();
        let excluded = self.exclude.iter().map(|tool| ("exclude", tool));
        let renamed = self.rename.iter().map(|(tool, _)| ("rename", tool));
        for (method, tool) in excluded.chain(renamed) {
            if !entries.iter().any(|entry| is_called(entry, tool)) {
                problems.push(unknown_tool(method, tool, entries));
            }
        }
        for (_, name) in &self.rename {
            if !is_tool_name(name) {
                problems.push(Problem::Register(RegisterError::BadName(name.clone())));
            }
        }
        for entry in entries {
            let names: BTreeSet<_> = self.new_names(entry).collect();
            if names.len() > 1 {
                problems.push(Problem::RenamedTwice {
                    tool: entry.place(),
                    names: names.into_iter().map(str::to_owned).collect(),
                });
            }
        }
        problems
    }

    /// The names that the builder gave to a tool.
    fn new_names(&self, entry: &ItemEntry) -> impl Iterator<Item = &str> {
        let path = entry.path();
        self.rename
            .iter()
            .filter(move |(tool, _)| entry.name == tool || path == *tool)
            .map(|(_, name)| name.as_str())
    }
}

fn is_called(entry: &ItemEntry, tool: &str) -> bool {
    entry.name == tool || entry.path() == tool
}

/// Says that nothing is called so, with what was most likely meant.
fn unknown_tool(method: &'static str, tool: &str, entries: &[&'static ItemEntry]) -> Problem {
    let (nearest, library) = match tool.split_once("::") {
        None => (
            nearest(tool, entries.iter().map(|entry| entry.name)).map(str::to_owned),
            None,
        ),
        Some((library, rest)) => {
            let name = rest.rsplit("::").next().unwrap_or(rest);
            let of_library: Vec<_> = entries
                .iter()
                .filter(|entry| entry.location.module.split("::").next() == Some(library))
                .collect();
            let paths: Vec<String> = entries.iter().map(|entry| entry.path()).collect();
            // In a library that is there, the same name in another module is nearer than any spelling.
            let moved = of_library.iter().find(|entry| entry.name == name);
            let nearest = moved
                .map(|entry| entry.path())
                .or_else(|| nearest(tool, paths.iter().map(String::as_str)).map(str::to_owned));
            let unlinked = of_library.is_empty().then(|| library.to_owned());
            (nearest, unlinked)
        }
    };
    Problem::UnknownTool {
        method,
        name: tool.to_owned(),
        nearest,
        library,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{CallFn, Location};

    fn entry(name: &'static str, module: &'static str, group: &'static str) -> &'static ItemEntry {
        Box::leak(Box::new(ItemEntry {
            name,
            title: "",
            description: "",
            icons: &[],
            meta: "",
            group,
            timeout_ms: None,
            params: &[],
            call: CallFn::Blocking(|_| Ok(())),
            location: Location {
                module,
                file: "src/lib.rs",
                line: 1,
                for_tests: false,
            },
        }))
    }

    fn entries() -> Vec<&'static ItemEntry> {
        vec![
            entry("add", "left", ""),
            entry("add", "right::deep", ""),
            entry("drop_all", "right", "admin"),
        ]
    }

    fn names(selection: &Selection) -> Vec<String> {
        let chosen = selection.choose(
            &entries(),
            |item| item,
            |item, name| name.unwrap_or_else(|| item.name.to_owned()),
        );
        chosen.iter().map(|name| (**name).clone()).collect()
    }

    fn texts(selection: &Selection) -> Vec<String> {
        let problems = selection.problems(&entries());
        problems.iter().map(ToString::to_string).collect()
    }

    fn renamed(pairs: &[(&str, &str)]) -> Selection {
        Selection {
            rename: pairs
                .iter()
                .map(|(tool, name)| ((*tool).to_owned(), (*name).to_owned()))
                .collect(),
            ..Selection::default()
        }
    }

    #[test]
    fn a_server_without_groups_serves_the_tools_without_one() {
        assert_eq!(names(&Selection::default()), ["add", "add"]);
    }

    #[test]
    fn groups_choose_and_the_empty_one_stands_for_none() {
        let chosen = |groups: &[&str]| {
            names(&Selection {
                groups: Some(groups.iter().map(|&group| group.to_owned()).collect()),
                ..Selection::default()
            })
        };
        assert_eq!(chosen(&["admin"]), ["drop_all"]);
        assert_eq!(chosen(&["", "admin"]), ["add", "add", "drop_all"]);
        assert!(chosen(&[]).is_empty());
    }

    #[test]
    fn a_path_means_one_tool_and_a_name_all_of_that_name() {
        let excluded = |tool: &str| {
            names(&Selection {
                exclude: vec![tool.to_owned()],
                ..Selection::default()
            })
        };
        assert_eq!(excluded("right::deep::add"), ["add"]);
        assert!(excluded("add").is_empty());
        assert_eq!(names(&renamed(&[("left::add", "plus")])), ["plus", "add"]);
    }

    #[test]
    fn names_in_vain_are_told_with_what_was_meant() {
        let selection = Selection {
            groups: Some(["".to_owned(), "admim".to_owned(), "nowhere".to_owned()].into()),
            exclude: vec![
                "ad".to_owned(),
                "right::add".to_owned(),
                "gone::add".to_owned(),
                "lift::add".to_owned(),
            ],
            rename: vec![("sub".to_owned(), "minus".to_owned())],
        };
        assert_eq!(
            texts(&selection),
            [
                "no tool is in the group `admim`; did you mean `admin`?",
                "no tool is in the group `nowhere`; if a library has it that no code names, write \
                 `mcp_runtime::link!(that_library);`",
                "`.exclude(\"ad\")` finds no annotated function; did you mean `add`?",
                "`.exclude(\"right::add\")` finds no annotated function; did you mean `right::deep::add`?",
                "`.exclude(\"gone::add\")` finds no annotated function, and none of `gone` is linked; write \
                 `mcp_runtime::link!(gone);` if that is a dependency",
                "`.exclude(\"lift::add\")` finds no annotated function, and none of `lift` is linked; write \
                 `mcp_runtime::link!(lift);` if that is a dependency; did you mean `left::add`?",
                "`.rename(\"sub\", …)` finds no annotated function",
            ]
        );
    }

    #[test]
    fn two_new_names_for_one_tool_are_told() {
        assert_eq!(
            texts(&renamed(&[
                ("left::add", "plus"),
                ("left::add", "sum"),
                ("drop_all", "wipe"),
                ("drop_all", "wipe"),
            ])),
            ["`left::add` at src/lib.rs:1 is renamed to `plus` and to `sum`; keep one of them"]
        );
    }

    #[test]
    fn a_new_name_has_to_be_a_tool_name() {
        assert_eq!(
            texts(&renamed(&[("left::add", "plus\n")])),
            [
                "\"plus\\n\" is not a tool name; use 1 to 128 of the characters A-Z, a-z, 0-9, `_`, `-` and `.`"
            ]
        );
    }
}
