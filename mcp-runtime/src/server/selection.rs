//! Which annotated functions a server serves, and under which names.
//!
//! Only what the builder was told is applied here; whether two of the chosen tools have one name is the registry's to say.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::check::Standing;
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
    /// Names and paths of tools that have to be served.
    pub(super) expect: Vec<String>,
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
        } else if self.exclude.iter().any(|tool| entry.is_called(tool)) {
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
                Standing::Excluded | Standing::OtherGroup | Standing::OtherProfile => return None,
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
            if !entries.iter().any(|entry| entry.is_called(tool)) {
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

    /// The tools that are expected and not among those that are served.
    pub(super) fn missing(
        &self,
        served: &[Arc<Tool>],
        entries: &[&'static ItemEntry],
    ) -> Vec<Problem> {
        let is_served = |name: &String| {
            served.iter().any(|tool| {
                let entry = tool.entry();
                tool.name == *name || entry.is_some_and(|entry| entry.item.is_called(name))
            })
        };
        let missing = self.expect.iter().filter(|name| !is_served(name));
        let problem = |name: &String| {
            let unserved = entries.iter().find(|entry| entry.is_called(name));
            let (nearest, library) = meant(name, entries);
            Problem::ExpectedTool {
                name: name.clone(),
                place: unserved.map(|entry| entry.place()),
                nearest,
                library,
            }
        };
        missing.map(problem).collect()
    }

    /// The names that the builder gave to a tool.
    fn new_names<'s>(&'s self, entry: &'s ItemEntry) -> impl Iterator<Item = &'s str> {
        let renamed = self.rename.iter();
        renamed
            .filter(move |(tool, _)| entry.is_called(tool))
            .map(|(_, name)| name.as_str())
    }
}

/// Says that nothing is called so, with what was most likely meant.
fn unknown_tool(method: &'static str, tool: &str, entries: &[&'static ItemEntry]) -> Problem {
    let (nearest, library) = meant(tool, entries);
    Problem::UnknownTool {
        method,
        name: tool.to_owned(),
        nearest,
        library,
    }
}

/// What was most likely meant by a name or a path, and the library of the path if nothing of it is linked.
fn meant(tool: &str, entries: &[&'static ItemEntry]) -> (Option<String>, Option<String>) {
    match tool.split_once("::") {
        None => (
            nearest(tool, entries.iter().map(|entry| entry.name)).map(str::to_owned),
            None,
        ),
        Some((library, rest)) => {
            let library = library.split_once('@').map_or(library, |(name, _)| name);
            let name = rest.rsplit("::").next().unwrap_or(rest);
            let of_library: Vec<_> = entries
                .iter()
                .filter(|entry| entry.location.library() == library)
                .collect();
            let path = |entry: &&ItemEntry| entry.path_among(entries.iter().copied());
            let paths: Vec<String> = entries.iter().map(path).collect();
            // In a library that is there, the same name in another module is nearer than any spelling.
            let moved = of_library.iter().find(|entry| entry.name == name);
            let nearest = moved
                .map(|entry| path(entry))
                .or_else(|| nearest(tool, paths.iter().map(String::as_str)).map(str::to_owned));
            let unlinked = of_library.is_empty().then(|| library.to_owned());
            (nearest, unlinked)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::OutputSpec;
    use crate::registry::{CallFn, Hints, Location, TaskSupport, ToolEntry};

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
                version: "0.1.0",
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
            expect: Vec::new(),
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

    /// Two versions of one library.
    fn versions() -> [&'static ItemEntry; 2] {
        ["1.4.2", "2.0.0"].map(|version| {
            let entry = entry("search", "shed::orders", "");
            let location = Location {
                version,
                ..entry.location
            };
            &*Box::leak(Box::new(ItemEntry { location, ..*entry }))
        })
    }

    #[test]
    fn two_versions_of_a_library_are_told_apart_by_the_version() {
        let left = |excluded: &str| {
            let selection = Selection {
                exclude: vec![excluded.to_owned()],
                ..Selection::default()
            };
            let served = versions()
                .into_iter()
                .filter(|entry| selection.standing(entry).is_served());
            served
                .map(|entry| entry.location.version)
                .collect::<Vec<_>>()
        };
        assert_eq!(left("shed@1.4.2::orders::search"), ["2.0.0"]);
        assert_eq!(left("shed@2.0.0::orders::search"), ["1.4.2"]);
        assert!(left("shed::orders::search").is_empty());
        let renamed = renamed(&[("shed@2.0.0::orders::search", "search_new")]);
        let standings = versions().map(|entry| renamed.standing(entry));
        let new = Standing::ServedAs("search_new".to_owned());
        assert_eq!(standings, [Standing::Served, new]);
        assert!(renamed.problems(&versions()).is_empty());
    }

    #[test]
    fn what_is_proposed_for_two_versions_has_the_version() {
        let texts = |tool: &str| {
            let selection = Selection {
                exclude: vec![tool.to_owned()],
                ..Selection::default()
            };
            let problems = selection.problems(&versions());
            problems.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        for tool in ["shed@3.0.0::orders::search", "shed::search"] {
            assert_eq!(
                texts(tool),
                [format!(
                    "`.exclude({tool:?})` finds no annotated function; did you mean `shed@1.4.2::orders::search`?"
                )]
            );
        }
        assert_eq!(
            texts("barn@1.0.0::paint"),
            [
                "`.exclude(\"barn@1.0.0::paint\")` finds no annotated function, and none of `barn` is linked; write \
                 `mcp_runtime::link!(barn);` if that is a dependency"
            ]
        );
        for entry in versions() {
            let other = entries()[0];
            assert_eq!(entry.path_among([entry, other]), entry.path());
            assert_eq!(entry.path_among(versions()), entry.versioned_path());
        }
    }

    #[test]
    fn expected_tools_that_are_not_served_are_told() {
        let tools = Selection::default().choose(
            &entries(),
            |item| item,
            |item, _| {
                Tool::annotated(
                    Box::leak(Box::new(ToolEntry {
                        item: ItemEntry { ..*item },
                        hints: Hints::UNSET,
                        task: TaskSupport::Forbidden,
                        output: || OutputSpec::UNSTRUCTURED,
                    })),
                    None,
                )
            },
        );
        let told = |expected: &[&str]| {
            let selection = Selection {
                expect: expected.iter().map(|&name| name.to_owned()).collect(),
                ..Selection::default()
            };
            let problems = selection.missing(&tools, &entries());
            problems.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert!(told(&["add", "left::add", "right@0.1.0::deep::add"]).is_empty());
        assert_eq!(
            told(&["gone::lost", "sub_all", "ad", "drop_all"]),
            [
                "the tool `gone::lost`, which `.expect_tools(…)` names, is not served: no such tool is linked; write \
                 `mcp_runtime::link!(gone);` if it stands in a dependency",
                "the tool `sub_all`, which `.expect_tools(…)` names, is not served: no such tool is linked; write \
                 `mcp_runtime::link!(that_library);` if it stands in a dependency",
                "the tool `ad`, which `.expect_tools(…)` names, is not served: no such tool is linked; write \
                 `mcp_runtime::link!(that_library);` if it stands in a dependency; did you mean `add`?",
                "the tool `drop_all`, which `.expect_tools(…)` names, is not served: `right::drop_all` at src/lib.rs:1 is \
                 excluded, or in a group that is not chosen",
            ]
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
