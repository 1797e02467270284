//! What a server asks of its client before it can finish, and what the client answers (basic/patterns/mrtr).
//!
//! When something is asked, and what becomes of the answer, is not decided here.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use super::{Capability, CreateMessageRequest, Meta};

/// One request for input (`InputRequest`).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "method", content = "params")]
pub(crate) enum InputRequest {
    /// A form for the user.
    #[serde(rename = "elicitation/create")]
    Form(ElicitFormParams),
    /// A URL for the user to go to.
    #[serde(rename = "elicitation/create")]
    Url(ElicitUrlParams),
    /// A text of the client's model.
    #[serde(rename = "sampling/createMessage")]
    Sampling(Box<CreateMessageRequest>),
    /// The roots of the client.
    #[serde(rename = "roots/list")]
    Roots,
}

/// The parameters of an elicitation in form mode.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ElicitFormParams {
    mode: &'static str,
    message: String,
    /// A JSON object as text.
    #[serde(serialize_with = "raw")]
    pub(crate) requested_schema: &'static str,
}

/// The parameters of an elicitation in URL mode.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ElicitUrlParams {
    mode: &'static str,
    message: String,
    pub(crate) url: String,
}

impl InputRequest {
    /// Asks the user to fill in a form.
    pub(crate) fn form(message: String, requested_schema: &'static str) -> Self {
        Self::Form(ElicitFormParams {
            mode: "form",
            message,
            requested_schema,
        })
    }

    /// Asks the user to go to a URL.
    pub(crate) fn url(message: String, url: String) -> Self {
        Self::Url(ElicitUrlParams {
            mode: "url",
            message,
            url,
        })
    }

    /// What a client must have declared to be asked this.
    pub(crate) fn needs(&self) -> Vec<Capability> {
        match self {
            Self::Form(_) => vec![Capability::ElicitationForm],
            Self::Url(_) => vec![Capability::ElicitationUrl],
            Self::Sampling(request) => request.needs(),
            Self::Roots => vec![Capability::Roots],
        }
    }
}

fn raw<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serde_json::from_str::<&RawValue>(text)
        .map_err(serde::ser::Error::custom)?
        .serialize(serializer)
}

/// What a user did with an elicitation (`ElicitResult`, client/elicitation, "Response Actions").
#[derive(Debug, Deserialize)]
pub(crate) struct ElicitResult {
    pub(crate) action: ElicitAction,
    /// What was filled in.
    #[serde(default)]
    pub(crate) content: Option<Box<RawValue>>,
}

/// The three things that a user can do.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ElicitAction {
    Accept,
    Decline,
    Cancel,
}

/// The answer to `roots/list`.
#[derive(Debug, Deserialize)]
pub(crate) struct ListRootsResult {
    pub(crate) roots: Vec<Root>,
}

/// A folder or file that the client's user works on (client/roots).
///
/// It is information, not permission: nothing keeps a server within it. Roots are deprecated in this revision of the protocol.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Root {
    /// Where it is; the specification allows only `file://` URIs, which is not checked here.
    pub uri: String,
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Metadata.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}
