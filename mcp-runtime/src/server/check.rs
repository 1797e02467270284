//! A close look at a server before it serves: what is registered, what is wrong, and what some hosts do not accept.
//!
//! The command `doctor` shows it and [`check!`](crate::check) fails with it. Every schema is made for it.

use std::fmt;
use std::sync::Arc;

use super::{IntoServerBuilder, ServerBuilder};
use crate::protocol::Implementation;
use crate::registry::{ItemEntry, Location, Problem, Registered, Tool};
use crate::schema::SchemaProblems;

/// What the contract profile serves.
const CONTRACT: &str = "the contract profile serves the methods `tools/list` and `tools/call`, and no others: prompts, \
    resources, completions, subscriptions and tasks are not served, and a tool with the key `task` runs to its end within \
    its call";

/// What was found.
#[derive(Debug)]
pub(crate) struct Examination {
    pub(crate) server: Implementation,
    /// The annotated tools of the program by name, then what was registered at run time, then prompts and resources.
    pub(crate) items: Vec<Examined>,
    /// What is wrong.
    pub(crate) problems: Vec<Problem>,
    /// What works here and may not work elsewhere.
    pub(crate) warnings: Vec<String>,
    /// What is right, and good to know.
    pub(crate) notes: Vec<String>,
}

/// What a function is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Tool,
    Prompt,
    Resource,
}

impl Kind {
    /// The word for it.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::Resource => "resource",
        }
    }
}

/// A function that is known, whether it is served or not.
#[derive(Debug)]
pub(crate) struct Examined {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    pub(crate) group: &'static str,
    /// The path of the module, with the version of its crate where two versions have it.
    pub(crate) module: String,
    /// Where the function stands; `None` for what was registered at run time.
    pub(crate) location: Option<Location>,
    pub(crate) standing: Standing,
}

/// Whether a function is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Under its own name.
    Served,
    /// Under another name.
    ServedAs(String),
    /// Not, since the builder excludes it.
    Excluded,
    /// Not, since the builder chooses other groups.
    OtherGroup,
    /// Not, since the profile serves tools alone.
    OtherProfile,
}

impl Standing {
    pub(crate) fn is_served(&self) -> bool {
        matches!(self, Self::Served | Self::ServedAs(_))
    }
}

impl Examination {
    /// Looks at everything that a builder would serve.
    pub(crate) fn of(builder: ServerBuilder) -> Self {
        let entries = Registered::all();
        let serves_all = builder.serves_all_methods();
        let served = |kind, standing: Standing| {
            let is_served = serves_all || kind == Kind::Tool || !standing.is_served();
            if is_served {
                standing
            } else {
                Standing::OtherProfile
            }
        };
        let all = entries.items();
        let look = |kind, item: &'static ItemEntry| {
            let path = item.path_among(all.iter().copied());
            let module = path.strip_suffix(&format!("::{}", item.name));
            Examined {
                kind,
                name: item.name.to_owned(),
                group: item.group,
                module: module.unwrap_or(&path).to_owned(),
                location: Some(item.location),
                standing: served(kind, builder.selection().standing(item)),
            }
        };
        let tools = entries
            .tools
            .iter()
            .map(|entry| look(Kind::Tool, &entry.item));
        let mut examined: Vec<_> = tools.collect();
        examined.extend(builder.registered_names().map(|(kind, name)| Examined {
            kind,
            name: name.to_owned(),
            group: "",
            module: String::new(),
            location: None,
            standing: served(kind, Standing::Served),
        }));
        let prompts = entries.prompts.iter();
        examined.extend(prompts.map(|entry| look(Kind::Prompt, &entry.item)));
        let resources = entries.resources.iter();
        examined.extend(resources.map(|entry| look(Kind::Resource, &entry.item)));
        let mut warnings = Vec::new();
        let server = builder.info().clone();
        let serves_sessions = builder.serves_sessions();
        // These are looked at if the server cannot be built.
        let chosen = builder.selection().all(&entries).tools;
        let (problems, tools) = match builder.make(true) {
            Ok(server) => {
                let registry = server.core().registry.load();
                (Vec::new(), registry.sorted().map(Arc::clone).collect())
            }
            Err(error) => (error.into_problems(), chosen),
        };
        for tool in &tools {
            warnings.extend(unportable(tool));
        }
        Self {
            server,
            items: examined,
            problems,
            warnings,
            notes: large_integers(&tools)
                .into_iter()
                .chain(wrapped_results(&tools).filter(|_| serves_sessions))
                .chain((!serves_all).then(|| CONTRACT.to_owned()))
                .collect(),
        }
    }
}

impl fmt::Display for Examination {
    /// The problems, one below the other.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in &self.problems {
            writeln!(f, "- {problem}")?;
        }
        Ok(())
    }
}

/// Fails with all that is wrong with a server.
///
/// Not public API. Used by [`check!`](crate::check).
///
/// # Panics
///
/// Something is wrong.
#[track_caller]
pub fn check(server: impl IntoServerBuilder) {
    let server = server
        .into_server_builder()
        .unwrap_or_else(|error| panic!("the server cannot be made: {error}"));
    let examination = Examination::of(server);
    assert!(
        examination.problems.is_empty(),
        "the server `{}` cannot be served as it is:\n{examination}",
        examination.server.name,
    );
}

/// What is wrong with the schemas of a tool, which makes them.
pub(super) fn schema_problems(tool: &Tool) -> impl Iterator<Item = Problem> {
    let input = tool.input().err();
    let output = tool.output().err();
    input
        .into_iter()
        .chain(output)
        .flat_map(SchemaProblems::iter)
        .map(|sentence| Problem::Schema {
            tool: tool.place(),
            text: sentence.to_owned(),
        })
}

fn unportable(tool: &Tool) -> Vec<String> {
    let mut sentences = Vec::new();
    if !is_portable_name(&tool.name) {
        sentences.push(
            "some hosts drop all tools of a server for a name that is not 1 to 64 letters, digits, `_` and `-`"
                .to_owned(),
        );
    }
    if tool.description.trim().is_empty() {
        sentences.push("without a description a model cannot know when to call it".to_owned());
    }
    if let Ok(input) = tool.input() {
        sentences.extend(input.schema.unportable());
    }
    sentences
        .into_iter()
        .map(|sentence| format!("`{}`: {sentence}", tool.name))
        .collect()
}

/// Names the arguments and results whose integers some clients round.
fn large_integers(tools: &[Arc<Tool>]) -> Option<String> {
    let mut arguments = Vec::new();
    let mut results = Vec::new();
    for tool in tools {
        let name = &tool.name;
        if let Ok(input) = tool.input() {
            let places = input.schema.large_integers().into_iter();
            arguments.extend(places.map(|place| format!("`{name}`: `{place}`")));
        }
        if let Ok(Some(output)) = tool.output() {
            let places = output.large_integers().into_iter();
            results.extend(places.map(|place| match &*place {
                "" => format!("`{name}`"),
                place => format!("`{name}`: `{place}`"),
            }));
        }
    }
    let mut sentences = Vec::new();
    if !arguments.is_empty() {
        sentences.push(format!(
            "as arguments they are also taken as strings of digits ({})",
            arguments.join(", ")
        ));
    }
    if !results.is_empty() {
        sentences.push(format!(
            "in results all digits are in the text, and a `String` keeps them in the structured content ({})",
            results.join(", ")
        ));
    }
    (!sentences.is_empty()).then(|| {
        format!(
            "clients that read numbers as 64-bit floats round integers beyond ±(2^53 − 1): {}",
            sentences.join("; ")
        )
    })
}

/// Names the tools whose results older clients get in another form.
fn wrapped_results(tools: &[Arc<Tool>]) -> Option<String> {
    let wrapped = tools.iter().filter(|tool| tool.output_is_wrapped());
    let names: Vec<_> = wrapped.map(|tool| format!("`{}`", tool.name)).collect();
    (!names.is_empty()).then(|| {
        format!(
            "clients that begin with `initialize` get structured content that is no object as the member `result` of \
             an object, and the output schema accordingly ({})",
            names.join(", ")
        )
    })
}

/// The names that all known hosts accept, a part of those that the specification allows.
fn is_portable_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::convert::OutputSpec;
    use crate::registry::{CallFn, Hints, Registration, TaskSupport, ToolEntry};

    /// The group of the tools of these tests.
    const GROUP: &str = "examined";

    const fn entry(
        name: &'static str,
        group: &'static str,
        version: &'static str,
        output: fn() -> OutputSpec,
    ) -> ToolEntry {
        ToolEntry {
            item: ItemEntry {
                name,
                title: "",
                description: "Do.",
                icons: &[],
                meta: "",
                group,
                timeout_ms: None,
                params: &[],
                call: CallFn::Inline(|call| {
                    call.reply().structured([1]);
                    Ok(())
                }),
                location: Location {
                    module: "examined",
                    file: "src/examined.rs",
                    line: 2,
                    version,
                    for_tests: true,
                },
            },
            hints: Hints::UNSET,
            task: TaskSupport::Forbidden,
            output,
        }
    }

    static SOUND: ToolEntry = entry("sound", GROUP, "1.2.3", || OutputSpec::UNSTRUCTURED);
    static BROKEN: ToolEntry = entry("broken", GROUP, "1.2.3", || panic!("no shape"));
    inventory::submit! { Registration::tool(&SOUND) }
    inventory::submit! { Registration::tool(&BROKEN) }

    /// The group of a function in two versions of one library.
    const VERSIONS: &str = "examined versions";
    static OLD: ToolEntry = entry("twin", VERSIONS, "1.2.3", || {
        OutputSpec::structured::<Vec<u8>>()
    });
    static NEW: ToolEntry = entry("twin", VERSIONS, "2.0.0", || {
        OutputSpec::structured::<Vec<u8>>()
    });
    inventory::submit! { Registration::tool(&OLD) }
    inventory::submit! { Registration::tool(&NEW) }

    #[test]
    fn a_clash_of_two_versions_is_told_with_what_mends_it() {
        let builder = || ServerBuilder::new("t", "1.2.3").groups([VERSIONS]);
        let error = builder().build().unwrap_err().to_string();
        let advice = "with `.rename(\"examined@1.2.3::twin\", \"…\")` or `.exclude(\"examined@1.2.3::twin\")` on the builder";
        assert!(error.ends_with(advice), "{error}");
        let mended = [
            builder().exclude("examined@1.2.3::twin"),
            builder().rename("examined@1.2.3::twin", "older"),
        ];
        for (served, builder) in (1..).zip(mended) {
            let examination = Examination::of(builder);
            assert!(examination.problems.is_empty(), "{examination}");
            let twins = examination.items.iter().filter(|item| item.name == "twin");
            let modules: Vec<_> = twins.clone().map(|item| &*item.module).collect();
            assert_eq!(modules, ["examined@1.2.3", "examined@2.0.0"]);
            assert_eq!(
                twins.filter(|item| item.standing.is_served()).count(),
                served
            );
        }
    }

    fn builder() -> ServerBuilder {
        ServerBuilder::new("t", "1.2.3").groups([GROUP])
    }

    fn request(method: &str, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": crate::protocol::PROTOCOL_VERSION,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    }

    #[test]
    fn a_debug_build_makes_all_schemas_and_names_the_place_of_what_is_wrong() {
        for made in [builder().build(), builder().make(true)] {
            let error = made.unwrap_err().to_string();
            let place = "the schema of `examined::broken` at src/examined.rs:2 cannot be used: ";
            assert!(error.starts_with(place), "{error}");
            assert!(error.ends_with("no shape"), "{error}");
        }
    }

    #[test]
    fn schemas_are_told_together_with_all_other_problems() {
        let error = builder().exclude("sond").build().unwrap_err();
        assert_eq!(error.problems().len(), 2, "{error}");
    }

    #[test]
    fn where_schemas_are_made_on_first_use_one_tool_stays_away_alone() {
        let server = builder().make(false).unwrap();
        let answer = |message: &Value| server.handle_request(message).unwrap();
        let list = answer(&request("tools/list", json!({})));
        let tools = list["result"]["tools"].as_array().unwrap();
        let names: Vec<_> = tools.iter().map(|tool| &tool["name"]).collect();
        assert_eq!(names, ["sound"]);
        let call = request("tools/call", json!({"name": "broken"}));
        let error = &answer(&call)["error"];
        assert_eq!(error["code"], -32603, "{error}");
        assert_eq!(error["message"], "the schema of broken cannot be used");
        assert_eq!(server.problems().len(), 1);
    }
}
