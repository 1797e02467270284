//! The methods that clients call, and what a server knows of each: a method is added by one row here.

use serde_json::value::RawValue;

use super::Params;

/// The extension for tasks, as clients and servers declare it (SEP-2663).
pub(crate) const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// A method of the protocol (schema, `ClientRequest`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// `tools/call`
    CallTool,
    /// `tools/list`
    ListTools,
    /// `prompts/get`
    GetPrompt,
    /// `prompts/list`
    ListPrompts,
    /// `resources/read`
    ReadResource,
    /// `resources/list`
    ListResources,
    /// `resources/templates/list`
    ListResourceTemplates,
    /// `completion/complete`
    Complete,
    /// `server/discover`
    Discover,
    /// `subscriptions/listen`
    Listen,
    /// `tasks/get`
    GetTask,
    /// `tasks/update`
    UpdateTask,
    /// `tasks/cancel`
    CancelTask,
    /// `initialize`, which opens a session
    Initialize,
    /// `ping`, in a session
    Ping,
    /// `logging/setLevel`, in a session
    SetLogLevel,
    /// `resources/subscribe`, in a session
    Subscribe,
    /// `resources/unsubscribe`, in a session
    Unsubscribe,
}

/// What a server has to have to serve a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Feature {
    /// Nothing: tools are served in both profiles.
    Tools,
    /// The profile of the published protocol.
    Discovery,
    /// A prompt.
    Prompts,
    /// A resource or a template.
    Resources,
    /// A completion function.
    Completions,
    /// A transport with streams.
    Subscriptions,
    /// A tool that can be a task.
    Tasks,
    /// A session, which this revision does not have.
    Sessions,
}

/// What a server knows of a method.
#[derive(Debug)]
pub(crate) struct MethodSpec {
    method: Method,
    /// The method as the wire names it.
    pub(crate) name: &'static str,
    /// What the server has to have.
    pub(crate) feature: Feature,
    /// The extension that the client has to declare.
    pub(crate) extension: Option<&'static str>,
    /// What is said of a request without `params`, if the method has a member that is required.
    pub(crate) missing: Option<&'static str>,
    /// The member that the header `Mcp-Name` mirrors.
    pub(crate) mirrored: Option<MirroredMember>,
    /// Whether the headers `Mcp-Param-*` mirror arguments.
    pub(crate) mirrors_arguments: bool,
    /// Whether it runs a function or a store of the user's, and so may take as long as these do.
    pub(crate) runs_function: bool,
}

/// A member of `params` that a header mirrors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MirroredMember {
    /// `name`
    Name,
    /// `uri`
    Uri,
    /// `taskId`
    TaskId,
}

impl MirroredMember {
    /// The member's value.
    pub(crate) fn of<'a>(self, params: &Params<'a>) -> Option<&'a RawValue> {
        match self {
            Self::Name => params.name,
            Self::Uri => params.uri,
            Self::TaskId => params.task_id,
        }
    }
}

impl MethodSpec {
    /// A method without required members, which is answered by what the server knows.
    const fn new(method: Method, name: &'static str, feature: Feature) -> Self {
        Self {
            method,
            name,
            feature,
            extension: None,
            missing: None,
            mirrored: None,
            mirrors_arguments: false,
            runs_function: false,
        }
    }

    const fn missing(self, missing: &'static str) -> Self {
        let missing = Some(missing);
        Self { missing, ..self }
    }

    const fn mirrored(self, mirrored: MirroredMember) -> Self {
        let mirrored = Some(mirrored);
        Self { mirrored, ..self }
    }

    const fn mirrors_arguments(self) -> Self {
        let mirrors_arguments = true;
        Self {
            mirrors_arguments,
            ..self
        }
    }

    const fn runs_function(self) -> Self {
        let runs_function = true;
        Self {
            runs_function,
            ..self
        }
    }

    const fn of_task(method: Method, name: &'static str) -> Self {
        let extension = Some(TASKS_EXTENSION);
        Self {
            extension,
            ..Self::new(method, name, Feature::Tasks)
        }
        .missing("taskId is required")
        .mirrored(MirroredMember::TaskId)
        .runs_function()
    }
}

/// All methods, in the order of their declaration.
static METHODS: [MethodSpec; 18] = [
    MethodSpec::new(Method::CallTool, "tools/call", Feature::Tools)
        .missing("name is required")
        .mirrored(MirroredMember::Name)
        .mirrors_arguments()
        .runs_function(),
    MethodSpec::new(Method::ListTools, "tools/list", Feature::Tools),
    MethodSpec::new(Method::GetPrompt, "prompts/get", Feature::Prompts)
        .missing("name is required")
        .mirrored(MirroredMember::Name)
        .runs_function(),
    MethodSpec::new(Method::ListPrompts, "prompts/list", Feature::Prompts),
    MethodSpec::new(Method::ReadResource, "resources/read", Feature::Resources)
        .missing("uri is required")
        .mirrored(MirroredMember::Uri)
        .runs_function(),
    MethodSpec::new(Method::ListResources, "resources/list", Feature::Resources),
    MethodSpec::new(
        Method::ListResourceTemplates,
        "resources/templates/list",
        Feature::Resources,
    ),
    MethodSpec::new(
        Method::Complete,
        "completion/complete",
        Feature::Completions,
    )
    .missing("ref is required")
    .runs_function(),
    MethodSpec::new(Method::Discover, "server/discover", Feature::Discovery),
    MethodSpec::new(
        Method::Listen,
        "subscriptions/listen",
        Feature::Subscriptions,
    )
    .missing("notifications is required"),
    MethodSpec::of_task(Method::GetTask, "tasks/get"),
    MethodSpec::of_task(Method::UpdateTask, "tasks/update"),
    MethodSpec::of_task(Method::CancelTask, "tasks/cancel"),
    MethodSpec::new(Method::Initialize, "initialize", Feature::Sessions),
    MethodSpec::new(Method::Ping, "ping", Feature::Sessions),
    MethodSpec::new(Method::SetLogLevel, "logging/setLevel", Feature::Sessions),
    MethodSpec::new(Method::Subscribe, "resources/subscribe", Feature::Sessions),
    MethodSpec::new(
        Method::Unsubscribe,
        "resources/unsubscribe",
        Feature::Sessions,
    ),
];

const _: () = {
    let mut place = 0;
    while place < METHODS.len() {
        assert!(
            METHODS[place].method as usize == place,
            "the rows of `METHODS` stand in the order of the variants of `Method`"
        );
        place += 1;
    }
};

impl Method {
    /// The method of a name; the one place where methods are compared as text.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        METHODS
            .iter()
            .find(|spec| spec.name == name)
            .map(|spec| spec.method)
    }

    /// What a server knows of it.
    pub(crate) fn spec(self) -> &'static MethodSpec {
        &METHODS[self as usize]
    }

    /// The method as the wire names it.
    pub(crate) fn name(self) -> &'static str {
        self.spec().name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_method_is_found_by_its_own_name_and_by_no_other() {
        for spec in &METHODS {
            assert_eq!(Method::parse(spec.name), Some(spec.method));
            assert_eq!(spec.method.name(), spec.name);
            assert_eq!(Method::parse(&spec.name.to_uppercase()), None);
            assert_eq!(Method::parse(&format!("{} ", spec.name)), None);
        }
        assert_eq!(Method::parse(""), None);
    }
}
