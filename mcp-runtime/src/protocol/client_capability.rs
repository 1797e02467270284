//! What a client can do, as each of its requests says (basic, "Per-request protocol fields").
//!
//! What a server does without a capability is not decided here.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Map, Value, json};

/// A capability that a client may declare, request by request.
///
/// ```
/// use mcp_runtime::client::Capability;
///
/// assert_eq!(Capability::ElicitationForm.to_string(), "elicitation.form");
/// assert_eq!(Capability::extension("com.example/maps").to_string(), "extensions.com.example/maps");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Capability {
    /// It shows forms to its user; a client that declares `"elicitation": {}` does.
    ElicitationForm,
    /// It sends its user to a URL.
    ElicitationUrl,
    /// It has a model that it asks on behalf of a server. Deprecated in this revision of the protocol.
    Sampling,
    /// It passes tools of a server on to that model. Deprecated with [`Sampling`](Self::Sampling).
    SamplingTools,
    /// It adds context of servers to what it asks that model. Deprecated with [`Sampling`](Self::Sampling).
    SamplingContext,
    /// It tells which folders and other roots a server may work on. Deprecated in this revision of the protocol.
    Roots,
    /// It speaks an extension of the protocol, which has this name.
    Extension(Cow<'static, str>),
}

impl Capability {
    /// The capability of an extension, such as `io.modelcontextprotocol/tasks`.
    pub fn extension(name: impl Into<Cow<'static, str>>) -> Self {
        Self::Extension(name.into())
    }

    /// Where it stands in the object of all capabilities.
    fn path(&self) -> (&str, Option<&str>) {
        match self {
            Self::ElicitationForm => ("elicitation", Some("form")),
            Self::ElicitationUrl => ("elicitation", Some("url")),
            Self::Sampling => ("sampling", None),
            Self::SamplingTools => ("sampling", Some("tools")),
            Self::SamplingContext => ("sampling", Some("context")),
            Self::Roots => ("roots", None),
            Self::Extension(name) => ("extensions", Some(name)),
        }
    }

    /// Whether a client that declares these capabilities has this one.
    pub(crate) fn is_declared_in(&self, capabilities: &Value) -> bool {
        let (group, member) = self.path();
        let Some(group) = capabilities.get(group).and_then(Value::as_object) else {
            return false;
        };
        let has = |name| group.get(name).is_some_and(Value::is_object);
        match member {
            None => true,
            // Without a mode, forms are meant (client/elicitation, "Capabilities").
            Some(_) if *self == Self::ElicitationForm => has("form") || !has("url"),
            Some(member) => has(member),
        }
    }

    /// Adds it to an object of capabilities, as a client would declare it.
    pub(crate) fn declare_in(&self, capabilities: &mut Map<String, Value>) {
        let (group, member) = self.path();
        let group = capabilities
            .entry(group)
            .or_insert_with(|| Value::Object(Map::new()));
        if let (Some(member), Some(group)) = (member, group.as_object_mut()) {
            group.insert(member.to_owned(), json!({}));
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path() {
            (group, None) => f.write_str(group),
            (group, Some(member)) => write!(f, "{group}.{member}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> [Capability; 7] {
        [
            Capability::ElicitationForm,
            Capability::ElicitationUrl,
            Capability::Sampling,
            Capability::SamplingTools,
            Capability::SamplingContext,
            Capability::Roots,
            Capability::extension("com.example/maps"),
        ]
    }

    fn declared(capabilities: &Value) -> Vec<String> {
        let all = all().into_iter();
        all.filter(|capability| capability.is_declared_in(capabilities))
            .map(|capability| capability.to_string())
            .collect()
    }

    #[test]
    fn what_a_client_declares_it_has() {
        for (capabilities, expected) in [
            (json!({}), &[][..]),
            (json!({"elicitation": {}}), &["elicitation.form"]),
            (json!({"elicitation": {"form": {}}}), &["elicitation.form"]),
            (json!({"elicitation": {"url": {}}}), &["elicitation.url"]),
            (
                json!({"elicitation": {"url": {}, "form": {}}}),
                &["elicitation.form", "elicitation.url"],
            ),
            (json!({"sampling": {}}), &["sampling"]),
            (
                json!({"sampling": {"tools": {}, "context": {}}}),
                &["sampling", "sampling.tools", "sampling.context"],
            ),
            (json!({"roots": {"listChanged": true}}), &["roots"]),
            (
                json!({"extensions": {"com.example/maps": {"zoom": 3}}}),
                &["extensions.com.example/maps"],
            ),
            (json!({"extensions": {"com.example/other": {}}}), &[]),
        ] {
            assert_eq!(declared(&capabilities), expected, "{capabilities}");
        }
    }

    #[test]
    fn what_is_no_object_is_not_declared() {
        for odd in [
            json!(null),
            json!(false),
            json!(true),
            json!([]),
            json!("x"),
        ] {
            for group in ["elicitation", "sampling", "roots", "extensions"] {
                assert!(declared(&json!({group: odd})).is_empty(), "{group}: {odd}");
            }
            assert!(declared(&json!({"extensions": {"com.example/maps": odd}})).is_empty());
            assert_eq!(declared(&json!({"sampling": {"tools": odd}})), ["sampling"]);
        }
    }

    #[test]
    fn a_client_that_declares_what_is_required_has_it() {
        let mut together = Map::new();
        for capability in all() {
            let mut alone = Map::new();
            capability.declare_in(&mut alone);
            assert!(capability.is_declared_in(&alone.into()), "{capability}");
            capability.declare_in(&mut together);
        }
        assert_eq!(
            Value::from(together),
            json!({
                "elicitation": {"form": {}, "url": {}},
                "sampling": {"tools": {}, "context": {}},
                "roots": {},
                "extensions": {"com.example/maps": {}},
            })
        );
    }
}
