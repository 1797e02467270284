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

    /// The problems, in the order of the tools' names.
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
    },
    /// Tools take a `State<T>` that the builder was not given.
    #[non_exhaustive]
    MissingState {
        /// The type of the state.
        state: String,
        /// The tools that take it, with their `file:line`.
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
    /// `.exclude`, `.rename` or `.groups` names something that is not there.
    #[non_exhaustive]
    UnknownTool {
        /// What was named.
        name: String,
        /// The nearest name that is there.
        nearest: Option<String>,
    },
    /// A tool that was registered by hand was refused.
    Register(RegisterError),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateTool { name, places } => write!(
                f,
                "{} tools are called `{name}`: {}; rename one with `#[mcp_tool(name = \"…\")]`, \
                 or with `.rename(\"library::module::function\", \"…\")` or `.exclude(\"library::module::function\")` \
                 on the builder if it is not yours",
                places.len(),
                places.join(", "),
            ),
            Self::MissingState { state, tools } => write!(
                f,
                "no state of type `{state}`, which {} takes; add `.state(…)` to the builder",
                tools.join(" and "),
            ),
            Self::Schema { tool, text } => write!(f, "the schema of {tool} cannot be used: {text}"),
            Self::UnknownTool { name, nearest } => {
                write!(f, "no tool is called `{name}`")?;
                match nearest {
                    Some(nearest) => write!(f, "; did you mean `{nearest}`?"),
                    None => Ok(()),
                }
            }
            Self::Register(error) => write!(f, "{error}"),
        }
    }
}

/// A tool could not be registered at run time.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegisterError {
    /// The name is not one of 1 to 128 ASCII letters, digits, `_`, `-` and `.`.
    BadName(String),
    /// Another tool has the name.
    NameTaken(String),
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
            Self::NameTaken(name) => write!(
                f,
                "a tool is called `{name}` already; choose another name or `.exclude` the other one"
            ),
            Self::Schema { name, text } => {
                write!(f, "the schema of `{name}` cannot be used: {text}")
            }
        }
    }
}

impl std::error::Error for RegisterError {}
