//! What can be wrong with the tools of a program, told before anything is served.

use std::fmt;

/// A server could not be built: all problems of its registry together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildError {
    problems: Vec<Problem>,
}

impl BuildError {
    pub(crate) fn new(problems: Vec<Problem>) -> Self {
        Self { problems }
    }

    pub(crate) fn into_problems(self) -> Vec<Problem> {
        self.problems
    }

    /// The problems: equal names, then what the builder named in vain, missing states, and refused registrations.
    ///
    /// Problems of one kind stand in the order of names, or in that of the builder's calls.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.problems.as_slice() {
            [problem] => write!(f, "{problem}"),
            problems => {
                write!(f, "{} problems:", problems.len())?;
                for problem in problems {
                    write!(f, "\n- {problem}")?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for BuildError {}

/// One thing that is wrong with the tools of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// Two tools have one name.
    #[non_exhaustive]
    DuplicateTool {
        /// The name.
        name: String,
        /// Where the tools stand: the path of each function and its `file:line`.
        places: Vec<String>,
        /// The path of one of the functions, as `.rename` and `.exclude` take it; none if all were registered at run time.
        path: Option<String>,
    },
    /// Two prompts have one name.
    #[non_exhaustive]
    DuplicatePrompt {
        /// The name.
        name: String,
        /// Where the prompts stand: the path of each function and its `file:line`.
        places: Vec<String>,
        /// The path of one of the functions, as `.rename` and `.exclude` take it; none if all were registered at run time.
        path: Option<String>,
    },
    /// Two resources, or two templates, have one URI.
    #[non_exhaustive]
    DuplicateResource {
        /// The URI or the template.
        uri: String,
        /// Where the resources stand: the path of each function and its `file:line`.
        places: Vec<String>,
        /// The path of one of the functions, as `.exclude` takes it; none if all were registered at run time.
        path: Option<String>,
    },
    /// Two templates can match one URI.
    #[non_exhaustive]
    OverlappingTemplates {
        /// The templates.
        templates: [String; 2],
        /// Where they stand.
        places: [String; 2],
    },
    /// Tools, prompts or resources take a `State<T>` that the builder was not given.
    #[non_exhaustive]
    MissingState {
        /// The type of the state.
        state: String,
        /// Whether it was given an `Arc` of that type instead.
        is_shared: bool,
        /// The functions that take it, with their `file:line`.
        tools: Vec<String>,
    },
    /// Tools can be tasks, and nothing was given that runs tasks.
    #[non_exhaustive]
    NoTaskSpawner {
        /// The tools, with their `file:line`.
        tools: Vec<String>,
    },
    /// A schema of a tool cannot be used.
    #[non_exhaustive]
    Schema {
        /// The tool, with its `file:line`.
        tool: String,
        /// What is wrong.
        text: String,
    },
    /// The keys that seal what clients carry cannot be used.
    #[non_exhaustive]
    SealingKeys {
        /// What is wrong with them.
        text: String,
    },
    /// `.exclude` or `.rename` names an annotated function that is not there.
    #[non_exhaustive]
    UnknownTool {
        /// The builder's method, `exclude` or `rename`.
        method: &'static str,
        /// What was named.
        name: String,
        /// The nearest name, or path if a path was named, that is there.
        nearest: Option<String>,
        /// The first part of a named path, if no annotated function of such a crate is linked.
        library: Option<String>,
    },
    /// `.expect_tools` names a tool that is not served.
    #[non_exhaustive]
    ExpectedTool {
        /// What was named.
        name: String,
        /// The path of the function and its `file:line`, if it is linked and not chosen.
        place: Option<String>,
        /// The nearest name, or path if a path was named, that is there.
        nearest: Option<String>,
        /// The first part of a named path, if no annotated function of such a crate is linked.
        library: Option<String>,
    },
    /// `.groups` names a group that no annotated function is in.
    #[non_exhaustive]
    UnknownGroup {
        /// What was named.
        name: String,
        /// The nearest group that is there.
        nearest: Option<String>,
    },
    /// `.rename` gives several names to one tool.
    #[non_exhaustive]
    RenamedTwice {
        /// The path of the function and its `file:line`.
        tool: String,
        /// The names that it was given.
        names: Vec<String>,
    },
    /// A tool that was registered by hand was refused.
    Register(RegisterError),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateTool { name, places, path } => {
                write!(
                    f,
                    "{} tools are called `{name}`: {}; ",
                    places.len(),
                    places.join(", ")
                )?;
                rename_one(f, "mcp_tool", path.as_deref())
            }
            Self::DuplicatePrompt { name, places, path } => {
                write!(
                    f,
                    "{} prompts are called `{name}`: {}; ",
                    places.len(),
                    places.join(", ")
                )?;
                rename_one(f, "mcp_prompt", path.as_deref())
            }
            Self::DuplicateResource { uri, places, path } => {
                write!(
                    f,
                    "{} resources have the URI `{uri}`: {}; change one of them",
                    places.len(),
                    places.join(", ")
                )?;
                match path {
                    Some(path) => write!(
                        f,
                        ", or, if it is not yours, leave it out with `.exclude(\"{path}\")` on the builder"
                    ),
                    None => Ok(()),
                }
            }
            Self::OverlappingTemplates {
                templates: [first, second],
                places: [here, there],
            } => write!(
                f,
                "some URIs match `{first}` ({here}) and `{second}` ({there}); begin one of them otherwise"
            ),
            Self::MissingState {
                state,
                is_shared,
                tools,
            } => write!(
                f,
                "no state of type `{state}`, which {} {}; {}",
                tools.join(" and "),
                if tools.len() == 1 { "takes" } else { "take" },
                if *is_shared {
                    "the builder was given an `Arc` of it by `.state(…)`: write `.shared_state(…)` there"
                } else {
                    "add `.state(…)` to the builder"
                },
            ),
            Self::SealingKeys { text } => f.write_str(text),
            Self::NoTaskSpawner { tools } => write!(
                f,
                "nothing runs the tasks of {}; add `.task_spawner(…)` to the builder, or take the feature `stdio` or `http`",
                tools.join(" and ")
            ),
            Self::Schema { tool, text } => write!(f, "the schema of {tool} cannot be used: {text}"),
            Self::UnknownTool {
                method,
                name,
                nearest,
                library,
            } => {
                let rest = if *method == "rename" { ", …" } else { "" };
                write!(f, "`.{method}({name:?}{rest})` finds no annotated function")?;
                if let Some(library) = library {
                    write!(
                        f,
                        ", and none of `{library}` is linked; write `mcp_runtime::link!({library});` \
                         if that is a dependency"
                    )?;
                }
                match nearest {
                    Some(nearest) => write!(f, "; did you mean `{nearest}`?"),
                    None => Ok(()),
                }
            }
            Self::ExpectedTool {
                name,
                place,
                nearest,
                library,
            } => {
                write!(
                    f,
                    "the tool `{name}`, which `.expect_tools(…)` names, is not served: "
                )?;
                if let Some(place) = place {
                    return write!(f, "{place} is excluded, or in a group that is not chosen");
                }
                let library = library.as_deref().unwrap_or("that_library");
                write!(
                    f,
                    "no such tool is linked; write `mcp_runtime::link!({library});` if it stands in a dependency"
                )?;
                match nearest {
                    Some(nearest) => write!(f, "; did you mean `{nearest}`?"),
                    None => Ok(()),
                }
            }
            Self::UnknownGroup { name, nearest } => {
                write!(f, "no tool is in the group `{name}`; ")?;
                match nearest {
                    Some(nearest) => write!(f, "did you mean `{nearest}`?"),
                    None => f.write_str(
                        "if a library has it that no code names, write `mcp_runtime::link!(that_library);`",
                    ),
                }
            }
            Self::RenamedTwice { tool, names } => {
                write!(f, "{tool} is renamed")?;
                for (index, name) in names.iter().enumerate() {
                    let and = if index == 0 { "" } else { " and" };
                    write!(f, "{and} to `{name}`")?;
                }
                f.write_str("; keep one of them")
            }
            Self::Register(error) => write!(f, "{error}"),
        }
    }
}

/// Says how one of several that have one name gets another.
fn rename_one(f: &mut fmt::Formatter<'_>, attribute: &str, path: Option<&str>) -> fmt::Result {
    match path {
        Some(path) => write!(
            f,
            "rename one with `#[{attribute}(name = \"…\")]`, or, if it is not yours, with \
             `.rename(\"{path}\", \"…\")` or `.exclude(\"{path}\")` on the builder"
        ),
        None => f.write_str("choose another name for one"),
    }
}

/// A tool, a prompt or a resource could not be registered at run time.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegisterError {
    /// The name is not one of 1 to 128 ASCII letters, digits, `_`, `-` and `.`.
    BadName(String),
    /// Another tool has the name.
    NameTaken(String),
    /// Another prompt has the name.
    PromptTaken(String),
    /// A prompt, which is given first, has two arguments of this name.
    ArgumentTaken(String, String),
    /// Another resource has the URI, or another template is the same.
    UriTaken(String),
    /// Some URIs match both templates.
    TemplatesMeet(String, String),
    /// The URI or the template, which is given first, cannot be used, and why.
    BadUri(String, String),
    /// The builder was told that the lists are fixed.
    FixedLists(String),
    /// The schema cannot be used.
    #[non_exhaustive]
    Schema {
        /// The tool.
        name: String,
        /// What is wrong, and what to do.
        text: String,
    },
}

impl fmt::Display for RegisterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadName(name) => write!(
                f,
                "{name:?} is not a tool name; use 1 to 128 of the characters A-Z, a-z, 0-9, `_`, `-` and `.`"
            ),
            Self::NameTaken(name) => {
                write!(f, "a tool is called `{name}` already; choose another name")
            }
            Self::PromptTaken(name) => {
                write!(
                    f,
                    "a prompt is called `{name}` already; choose another name"
                )
            }
            Self::ArgumentTaken(prompt, name) => write!(
                f,
                "the prompt `{prompt}` has two arguments called `{name}`; choose another name for one"
            ),
            Self::UriTaken(uri) => {
                write!(
                    f,
                    "a resource has the URI `{uri}` already; choose another one"
                )
            }
            Self::TemplatesMeet(first, second) => write!(
                f,
                "some URIs match `{first}` and `{second}`; begin one of them otherwise"
            ),
            Self::BadUri(uri, text) => write!(f, "{uri:?} cannot be used: {text}"),
            Self::FixedLists(name) => write!(
                f,
                "`{name}` cannot be added to a server with `.fixed_lists()`; register it on the builder"
            ),
            Self::Schema { name, text } => {
                write!(f, "the schema of `{name}` cannot be used: {text}")
            }
        }
    }
}

impl std::error::Error for RegisterError {}
