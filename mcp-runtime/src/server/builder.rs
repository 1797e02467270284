//! Options in, a checked server out.

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::Server;
use super::check::{Kind, schema_problems};
use super::environment::System;
use super::layer::CurrentRuntime;
use super::registration;
use super::sealing_keys::{self, SealingKeys};
use super::selection::{Chosen, Selection};
use super::shutdown::Hooks;
use super::task::TaskChoice;
use crate::convert::{Needs, ParamEntry, ParamKind};
use crate::dispatch::{
    CacheScope, CallService, Core, KeyRing, Layers, Limits, Options, Profile, ReplayGuard, Sealing,
};
use crate::protocol::{Icon, Implementation, PromptArgument};
use crate::registry::{
    BuildError, Handler, IntoHandler, IntoPromptHandler, IntoResourceHandler, IntoTemplateHandler,
    Problem, Prompt, RegisterError, Registered, Registry, Resource, Tool,
};

/// Builds a [`Server`] of all annotated functions that are linked into the program.
///
/// [`server!`](crate::server) begins with the name and version of your crate.
#[must_use]
pub struct ServerBuilder {
    pub(super) options: Options,
    states: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
    selection: Selection,
    registered: Waiting,
    sealing_keys: Option<SealingKeys>,
    sealing_name: Option<String>,
    replay_guard: Option<Arc<dyn ReplayGuard>>,
    pub(super) tasks: TaskChoice,
    hooks: Hooks,
    /// `None` without layers.
    pub(super) layers: Option<CallService>,
}

impl std::fmt::Debug for ServerBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerBuilder")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl ServerBuilder {
    /// Begins a server of a name and a version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            options: Options {
                info: Implementation::new(name, version),
                instructions: None,
                profile: Profile::Strict,
                limits: Limits::default(),
                mask_errors: false,
                repair: false,
                list_ttl: Duration::from_secs(60),
                cache_scope: CacheScope::default(),
                fixed_lists: false,
                sessions: true,
            },
            states: HashMap::new(),
            selection: Selection::default(),
            registered: Waiting::default(),
            sealing_keys: None,
            sealing_name: None,
            replay_guard: None,
            tasks: TaskChoice::default(),
            hooks: Hooks::default(),
            layers: None,
        }
    }

    /// Sets the server's name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.options.info.title = Some(title.into());
        self
    }

    /// Says what the server is, for people.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.options.info.description = Some(description.into());
        self
    }

    /// Says where to read more about the server.
    pub fn website_url(mut self, url: impl Into<String>) -> Self {
        self.options.info.website_url = Some(url.into());
        self
    }

    /// Adds a picture for user interfaces.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.options.info.icons.push(icon);
        self
    }

    /// Tells the model how to use the server as a whole.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.options.instructions = Some(instructions.into());
        self
    }

    /// Chooses the rules that callers are held to; [`Profile::Strict`] unless set.
    pub fn profile(mut self, profile: Profile) -> Self {
        self.options.profile = profile;
        self
    }

    /// Serves revision 2026-07-28 alone: clients that begin with `initialize` are refused (−32601).
    ///
    /// Unless this is set, a server with the feature `legacy` also serves clients of the revisions 2025-11-25, 2025-06-18,
    /// 2025-03-26 and 2024-11-05.
    pub fn modern_only(mut self) -> Self {
        self.options.sessions = false;
        self
    }

    /// Gives the value behind all parameters of type `State<T>`; a second value of the type replaces the first.
    pub fn state<T: Send + Sync + 'static>(self, state: T) -> Self {
        self.shared_state(Arc::new(state))
    }

    /// The same for a value that is shared already: functions take a `State<T>` of what is in the `Arc`.
    pub fn shared_state<T: Send + Sync + 'static>(mut self, state: Arc<T>) -> Self {
        self.states.insert(TypeId::of::<T>(), state);
        self
    }

    /// Runs a function when the server ends: after its last call, and before its states are dropped.
    ///
    /// Several run in the order in which they were given, each once. A transport that the library serves (`serve_stdio_blocking`,
    /// `serve_http`, the command line) runs them when it ends, and waits for them no longer than for running calls
    /// ([`shutdown_timeout`](Self::shutdown_timeout), or the drain time of HTTP). A server that is mounted in a router or called in process runs
    /// them when its last clone is dropped. A hook that panics is logged.
    ///
    /// ```
    /// let server = mcp_runtime::server!().on_shutdown(|| println!("all is written"));
    /// # drop(server.build());
    /// ```
    pub fn on_shutdown(mut self, hook: impl FnOnce() + Send + 'static) -> Self {
        self.hooks.add(hook);
        self
    }

    /// Serves only tools of these groups; the empty name stands for tools without one.
    ///
    /// A server that never says so serves the tools without a group.
    pub fn groups<S: Into<String>>(mut self, groups: impl IntoIterator<Item = S>) -> Self {
        self.selection
            .groups
            .get_or_insert_default()
            .extend(groups.into_iter().map(Into::into));
        self
    }

    /// Leaves an annotated function out, by its name or, if several have that name, by its path such as
    /// `library::module::name`.
    ///
    /// Two versions of one library are told apart by `library@1.2.0::module::name`. The library's own name counts, not the one
    /// that `Cargo.toml` gives it.
    pub fn exclude(mut self, tool: impl Into<String>) -> Self {
        self.selection.exclude.push(tool.into());
        self
    }

    /// Serves an annotated function under another name; it is found by its name or by its path such as
    /// `library::module::name`, whose last part is the tool's name.
    ///
    /// Paths may have versions, as in [`exclude`](Self::exclude).
    pub fn rename(mut self, tool: impl Into<String>, name: impl Into<String>) -> Self {
        self.selection.rename.push((tool.into(), name.into()));
        self
    }

    /// Names tools that have to be served, by their names or by their paths such as `library::module::name`.
    ///
    /// The linker leaves out a library that no code names, and with it all of its tools. One of these that is not there is
    /// an error of [`build`](Self::build), and of the command `doctor`.
    pub fn expect_tools<S: Into<String>>(mut self, tools: impl IntoIterator<Item = S>) -> Self {
        self.selection
            .expect
            .extend(tools.into_iter().map(Into::into));
        self
    }

    /// Declares that tools, prompts and resources stay what they are while the server runs.
    ///
    /// Clients are then not offered to be notified of changed lists, and need no stream for that. What is registered on the
    /// running server is refused, and nothing is removed from it. Changed contents of resources are told as before.
    pub fn fixed_lists(mut self) -> Self {
        self.options.fixed_lists = true;
        self
    }

    /// Adds a tool that is known only at run time.
    ///
    /// The schema is the JSON Schema of its arguments, an object at the root. It is enforced as it is, and published in the
    /// form that hosts and providers of models accept: references are inlined, and keywords and numbers that some refuse are
    /// left out. With the feature `full-schema`, and in [`Profile::Contract`], it is published exactly as given. The command
    /// `doctor` names what hosts refuse. The handler is a closure, sync or async: see [`IntoHandler`].
    /// [`build`](Self::build) reports errors in either.
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    /// use serde_json::{Value, json};
    ///
    /// # fn main() -> Result<(), BuildError> {
    /// let schema = json!({
    ///     "type": "object",
    ///     "properties": {"name": {"type": "string"}},
    ///     "required": ["name"],
    ///     "additionalProperties": false,
    /// });
    /// let server = mcp_runtime::server!()
    ///     .register_tool("greet", "Greet somebody.", schema, |arguments: Value| {
    ///         Ok::<_, ToolError>(format!("Hello, {}!", arguments["name"].as_str().unwrap_or("you")))
    ///     })
    ///     .build()?;
    /// assert_eq!(server.call_blocking("greet", json!({"name": "Ada"})).text(), "Hello, Ada!");
    /// # Ok(())
    /// # }
    /// ```
    pub fn register_tool<Form>(
        mut self,
        name: impl Into<String>,
        description: impl Into<String>,
        schema: Value,
        handler: impl IntoHandler<Form>,
    ) -> Self {
        self.registered.tools.push(WaitingTool {
            name: name.into(),
            description: description.into(),
            schema,
            handler: handler.into_handler(),
        });
        self
    }

    /// Adds a prompt that is known only at run time.
    ///
    /// The handler is a closure, sync or async, that takes the arguments by their names: see [`IntoPromptHandler`].
    /// Arguments that are not named here are refused. What is wrong is told by [`build`](Self::build).
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use mcp_runtime::prompt::PromptArgument;
    /// use mcp_runtime::prelude::*;
    ///
    /// # fn main() -> Result<(), BuildError> {
    /// let server = mcp_runtime::server!()
    ///     .register_prompt(
    ///         "review",
    ///         "Have a text reviewed.",
    ///         [PromptArgument::required("text", "What to review.")],
    ///         |arguments: BTreeMap<String, String>| {
    ///             Ok::<_, ToolError>(format!("Review this: {}", arguments["text"]))
    ///         },
    ///     )
    ///     .build()?;
    /// let prompt = server.get_prompt_blocking("review", serde_json::json!({"text": "Ottrs"}));
    /// assert_eq!(prompt["messages"][0]["content"]["text"], "Review this: Ottrs");
    /// # Ok(())
    /// # }
    /// ```
    pub fn register_prompt<Form>(
        mut self,
        name: impl Into<String>,
        description: impl Into<String>,
        arguments: impl IntoIterator<Item = PromptArgument>,
        handler: impl IntoPromptHandler<Form>,
    ) -> Self {
        let arguments = arguments.into_iter().collect();
        let (name, description) = (name.into(), description.into());
        let prompt = registration::prompt(name, description, arguments, handler.into_handler());
        self.registered.prompts.push(prompt);
        self
    }

    /// Adds a resource of one URI that is known only at run time.
    ///
    /// The handler is a closure, sync or async, that takes the URI: see [`IntoResourceHandler`]. What is wrong is told
    /// by [`build`](Self::build).
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    ///
    /// # fn main() -> Result<(), BuildError> {
    /// let server = mcp_runtime::server!()
    ///     .register_resource("notes://today", "today", "What to do today.", |_: String| {
    ///         Ok::<_, ResourceError>("Feed the otters.")
    ///     })
    ///     .build()?;
    /// assert_eq!(server.read_resource_blocking("notes://today")["contents"][0]["text"], "Feed the otters.");
    /// # Ok(())
    /// # }
    /// ```
    pub fn register_resource<Form>(
        mut self,
        uri: impl Into<String>,
        name: impl Into<String>,
        description: impl Into<String>,
        handler: impl IntoResourceHandler<Form>,
    ) -> Self {
        let (uri, name, description) = (uri.into(), name.into(), description.into());
        let resource = Resource::fixed(uri, name, description, handler.into_handler());
        self.registered.resources.push(resource);
        self
    }

    /// Adds a template of resources that is known only at run time.
    ///
    /// The forms of templates are those of [`#[mcp_resource]`](crate::mcp_resource). The handler is a closure, sync or
    /// async, that takes the variables by their names, decoded: see [`IntoTemplateHandler`]. A value that would lead out
    /// of a tree of files if it were taken as a path is refused. What is wrong is told by [`build`](Self::build).
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use mcp_runtime::prelude::*;
    ///
    /// # fn main() -> Result<(), BuildError> {
    /// let server = mcp_runtime::server!()
    ///     .register_resource_template(
    ///         "notes://{day}",
    ///         "notes",
    ///         "What to do on a day.",
    ///         |variables: BTreeMap<String, String>| {
    ///             Ok::<_, ResourceError>(format!("Feed the otters on {}.", variables["day"]))
    ///         },
    ///     )
    ///     .build()?;
    /// assert_eq!(server.read_resource_blocking("notes://monday")["contents"][0]["text"], "Feed the otters on monday.");
    /// # Ok(())
    /// # }
    /// ```
    pub fn register_resource_template<Form>(
        mut self,
        template: impl Into<String>,
        name: impl Into<String>,
        description: impl Into<String>,
        handler: impl IntoTemplateHandler<Form>,
    ) -> Self {
        let (template, name, description) = (template.into(), name.into(), description.into());
        let template = Resource::template(template, name, description, handler.into_handler());
        self.registered.resources.push(template);
        self
    }

    /// Hides the texts of errors from clients: every error that a tool returns becomes `Error: the tool failed`.
    ///
    /// The texts go to the log. What a tool says on purpose is not hidden: a [`ToolResult`](crate::ToolResult) that is
    /// marked as an error, and an error made with [`ToolError::request`](crate::ToolError::request).
    pub fn mask_errors(mut self) -> Self {
        self.options.mask_errors = true;
        self
    }

    /// Accepts almost-right arguments that models send: `"5"` for a number, a stringified object or array.
    ///
    /// Only after the check has failed, directed by the schema, never into a string, and named in the result's metadata.
    pub fn coerce_arguments(mut self) -> Self {
        self.options.repair = true;
        self
    }

    /// Says how long clients may keep lists, and who may; one minute and [`CacheScope::Private`] unless set.
    pub fn cache(mut self, ttl: Duration, scope: CacheScope) -> Self {
        self.options.list_ttl = ttl;
        self.options.cache_scope = scope;
        self
    }

    /// Gives the keys that seal what clients carry from one round to the next.
    pub fn sealing_keys(mut self, keys: SealingKeys) -> Self {
        self.sealing_keys = Some(keys);
        self
    }

    /// Sets the name that states are bound to; the server's name unless set.
    ///
    /// A state that a client carries opens only at a server of the same name, even where servers share their keys.
    /// Replicas that are served under several names are given one name here.
    ///
    /// ```
    /// let server = mcp_runtime::server!().sealing_name("orders");
    /// # drop(server.build());
    /// ```
    pub fn sealing_name(mut self, name: impl Into<String>) -> Self {
        self.sealing_name = Some(name.into());
        self
    }

    /// Makes each state good for one use: a round that is sent twice is refused the second time (−32602).
    ///
    /// Every round then hands out a state, so that every one counts against [`max_rounds`](Self::max_rounds).
    ///
    /// [`MemoryReplayGuard`](crate::sealing::MemoryReplayGuard) is enough for one process.
    pub fn replay_guard(mut self, guard: impl ReplayGuard + 'static) -> Self {
        self.replay_guard = Some(Arc::new(guard));
        self
    }

    /// Checks everything that can be checked before the first call, and makes the server.
    ///
    /// A debug build also makes every schema here; a release build makes each on first use, unless
    /// [`main!`](crate::main) or [`Server::problems`] makes them first.
    ///
    /// # Errors
    ///
    /// All problems together: equal names with both places, states that nobody gave, names that `exclude`, `rename`
    /// and `groups` do not find, what is wrong with registered tools, and schemas that cannot be used.
    pub fn build(self) -> Result<Server, BuildError> {
        self.make(cfg!(debug_assertions))
    }

    /// The same; `schemas` says whether every schema is made.
    pub(crate) fn make(self, schemas: bool) -> Result<Server, BuildError> {
        let entries = Registered::all();
        let mut problems = self.selection.problems(&entries.items());
        let chosen = self.selection.all(&entries);
        problems.extend(self.missing_states(&chosen));
        let has_task_tools = self.tasks.has_tools();
        let tasks = self.tasks.settle(&chosen, &self.options);
        let tasks = tasks.unwrap_or_else(|problem| {
            problems.push(problem);
            None
        });
        let Chosen {
            mut tools,
            mut prompts,
            mut resources,
        } = chosen;
        if has_task_tools {
            // Nothing else holds them yet.
            let tools = tools.iter_mut().filter_map(Arc::get_mut);
            tools.for_each(Tool::hide_output_of_task);
        }
        let registered = self.registered;
        let registered_tools = registered.tools.into_iter().map(|waiting| {
            registration::tool(
                waiting.name,
                waiting.description,
                waiting.schema,
                waiting.handler,
                self.options.profile,
            )
        });
        keep(registered_tools, &mut tools, &mut problems);
        keep(registered.prompts, &mut prompts, &mut problems);
        keep(registered.resources, &mut resources, &mut problems);
        let keys = sealing_keys::key_ring(self.sealing_keys).unwrap_or_else(|text| {
            problems.push(Problem::SealingKeys { text });
            KeyRing::random()
        });
        let items: Vec<_> = entries.tools.iter().map(|entry| &entry.item).collect();
        problems.extend(self.selection.missing(&tools, &items));
        if schemas {
            problems.extend(tools.iter().flat_map(|tool| schema_problems(tool)));
        }
        let name = self
            .sealing_name
            .as_ref()
            .unwrap_or(&self.options.info.name);
        let sealing = Sealing {
            keys,
            name: name.as_str().into(),
            environment: Arc::new(System),
            guard: self.replay_guard,
        };
        let listing = self.options.profile.answers().listing;
        match Registry::new(
            tools,
            prompts,
            resources,
            self.options.limits.page_size,
            listing,
        ) {
            Ok(registry) if problems.is_empty() => {
                let mut core = Core::new(registry, self.states, self.options, sealing, tasks);
                core.layers = self
                    .layers
                    .map(|service| Layers::new(service, Arc::new(CurrentRuntime)));
                Ok(Server::new(core, self.hooks))
            }
            Ok(_) => Err(BuildError::new(problems)),
            Err(duplicates) => {
                problems.splice(0..0, duplicates);
                Err(BuildError::new(problems))
            }
        }
    }

    /// The name of the server, its version, and what else it says of itself.
    pub(super) fn info(&self) -> &Implementation {
        &self.options.info
    }

    /// Whether clients may open sessions.
    pub(super) fn serves_sessions(&self) -> bool {
        cfg!(feature = "legacy") && self.options.sessions && self.serves_all_methods()
    }

    /// Whether more is served than tools.
    pub(super) fn serves_all_methods(&self) -> bool {
        self.options.profile.answers().has_all_methods
    }

    /// The names of what was registered by hand.
    pub(super) fn registered_names(&self) -> impl Iterator<Item = (Kind, &str)> {
        let Waiting {
            tools,
            prompts,
            resources,
        } = &self.registered;
        let tools = tools.iter().map(|tool| (Kind::Tool, &*tool.name));
        let prompts = prompts.iter().flatten();
        let prompts = prompts.map(|prompt| (Kind::Prompt, &*prompt.name));
        let resources = resources.iter().flatten();
        let resources = resources.map(|resource| (Kind::Resource, &*resource.name));
        tools.chain(prompts).chain(resources)
    }

    /// Which annotated functions are served.
    pub(super) fn selection(&self) -> &Selection {
        &self.selection
    }

    /// The states that the functions take and nobody gave, each with all functions that take it.
    fn missing_states(&self, chosen: &Chosen) -> Vec<Problem> {
        let mut missing: BTreeMap<&'static str, (bool, Vec<String>)> = BTreeMap::new();
        let mut look = |params: &'static [ParamEntry], place: &dyn Fn() -> String| {
            for param in params {
                if let ParamKind::Injected(Needs::State(need)) = param.kind
                    && !self.states.contains_key(&(need.id)())
                {
                    let (is_shared, tools) = missing.entry((need.name)()).or_default();
                    *is_shared |= self.states.contains_key(&(need.shared)());
                    tools.push(place());
                }
            }
        };
        for tool in &chosen.tools {
            if let Some(entry) = tool.entry() {
                look(entry.item.params, &|| tool.place());
            }
        }
        for prompt in &chosen.prompts {
            look(prompt.params(), &|| prompt.place());
        }
        for resource in &chosen.resources {
            look(resource.params(), &|| resource.place());
        }
        missing
            .into_iter()
            .map(|(state, (is_shared, tools))| Problem::MissingState {
                state: state.to_owned(),
                is_shared,
                tools,
            })
            .collect()
    }
}

/// What was registered before there is a server.
#[derive(Default)]
struct Waiting {
    tools: Vec<WaitingTool>,
    prompts: Vec<Result<Prompt, RegisterError>>,
    resources: Vec<Result<Resource, RegisterError>>,
}

/// A tool that was registered before the profile was known, which decides about its schema.
struct WaitingTool {
    name: String,
    description: String,
    schema: Value,
    handler: Arc<dyn Handler>,
}

/// Keeps what could be registered, and notes what could not.
fn keep<T>(
    registered: impl IntoIterator<Item = Result<T, RegisterError>>,
    kept: &mut Vec<Arc<T>>,
    problems: &mut Vec<Problem>,
) {
    for row in registered {
        match row {
            Ok(row) => kept.push(Arc::new(row)),
            Err(error) => problems.push(Problem::Register(error)),
        }
    }
}
