//! Asking the client's model (client/sampling), which this revision of the protocol deprecates.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::{AudioContent, Capability, ContentBlock, ImageContent, Meta, Role, TextContent};

/// What a client's model is asked for: the parameters of `sampling/createMessage`.
///
/// Sampling is deprecated in this revision of the protocol: call a provider of models yourself where you can.
///
/// ```
/// use mcp_runtime::sampling::CreateMessageRequest;
///
/// let request = CreateMessageRequest::new(100)
///     .system_prompt("Answer with one word.")
///     .user("What is the capital of France?");
/// assert_eq!(request.messages.len(), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreateMessageRequest {
    /// The conversation so far. Tool uses and results in it need the capability `sampling.tools`; each use has its result in
    /// the message behind it, which is the user's and has nothing else.
    pub messages: Vec<SamplingMessage>,
    /// The most tokens that the answer may have.
    pub max_tokens: u64,
    /// What the model is told before the conversation; clients may change it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Which model is wanted; clients may choose another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_preferences: Option<ModelPreferences>,
    /// The context of which servers is added; needs the capability `sampling.context` unless it is absent or `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_context: Option<IncludeContext>,
    /// How random the answer is, in the model's own scale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Texts at which the answer ends.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop_sequences: Vec<String>,
    /// Further parameters for the provider of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Meta>,
    /// Tools that the model may use, as `tools/list` would show them; needs the capability `sampling.tools`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Value>,
    /// Whether the model uses them; needs the capability `sampling.tools`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
}

impl CreateMessageRequest {
    /// A request for an answer of at most so many tokens, without messages yet.
    #[must_use]
    pub fn new(max_tokens: u64) -> Self {
        Self {
            messages: Vec::new(),
            max_tokens,
            system_prompt: None,
            model_preferences: None,
            include_context: None,
            temperature: None,
            stop_sequences: Vec::new(),
            metadata: None,
            tools: Vec::new(),
            tool_choice: None,
        }
    }

    /// Adds a text of the user's.
    #[must_use]
    pub fn user(self, text: impl Into<String>) -> Self {
        self.message(SamplingMessage::new(Role::User, TextContent::new(text)))
    }

    /// Adds a text of the model's.
    #[must_use]
    pub fn assistant(self, text: impl Into<String>) -> Self {
        self.message(SamplingMessage::new(
            Role::Assistant,
            TextContent::new(text),
        ))
    }

    /// Adds a message of any content.
    #[must_use]
    pub fn message(mut self, message: SamplingMessage) -> Self {
        self.messages.push(message);
        self
    }

    /// Tells the model something before the conversation.
    #[must_use]
    pub fn system_prompt(mut self, text: impl Into<String>) -> Self {
        self.system_prompt = Some(text.into());
        self
    }

    /// Says which model is wanted.
    #[must_use]
    pub fn model_preferences(mut self, preferences: ModelPreferences) -> Self {
        self.model_preferences = Some(preferences);
        self
    }

    /// Sets how random the answer is, in the model's own scale.
    #[must_use]
    pub fn temperature(mut self, temperature: f64) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// Adds a text at which the answer ends.
    #[must_use]
    pub fn stop_sequence(mut self, text: impl Into<String>) -> Self {
        self.stop_sequences.push(text.into());
        self
    }

    /// Adds a tool that the model may use, as `tools/list` would show it.
    #[must_use]
    pub fn tool(mut self, tool: impl Into<Value>) -> Self {
        self.tools.push(tool.into());
        self
    }

    /// Says whether the model uses the tools.
    #[must_use]
    pub fn tool_choice(mut self, choice: ToolChoice) -> Self {
        self.tool_choice = Some(choice);
        self
    }

    /// What a client must have declared to be asked this.
    pub(crate) fn needs(&self) -> Vec<Capability> {
        let mut needs = vec![Capability::Sampling];
        let has_tools = !self.tools.is_empty() || self.tool_choice.is_some();
        if has_tools || self.messages.iter().any(SamplingMessage::uses_tools) {
            needs.push(Capability::SamplingTools);
        }
        if matches!(
            self.include_context,
            Some(IncludeContext::ThisServer | IncludeContext::AllServers)
        ) {
            needs.push(Capability::SamplingContext);
        }
        needs
    }
}

/// One message of a conversation with a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SamplingMessage {
    /// Who says it.
    pub role: Role,
    /// What is said.
    #[serde(serialize_with = "one_alone", deserialize_with = "one_or_more")]
    pub content: Vec<SamplingContent>,
    /// Metadata.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl SamplingMessage {
    /// A message of one block.
    pub fn new(role: Role, content: impl Into<SamplingContent>) -> Self {
        Self::of(role, [content])
    }

    /// A message of several blocks.
    pub fn of<C: Into<SamplingContent>>(role: Role, content: impl IntoIterator<Item = C>) -> Self {
        Self {
            role,
            content: content.into_iter().map(Into::into).collect(),
            meta: None,
        }
    }

    /// Whether it is part of the use of a tool.
    pub(crate) fn uses_tools(&self) -> bool {
        self.content.iter().any(|block| {
            matches!(
                block,
                SamplingContent::ToolUse(_) | SamplingContent::ToolResult(_)
            )
        })
    }
}

/// What the model answered: the result of `sampling/createMessage`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreateMessageResult {
    /// Who says it; a model's answer is the assistant's.
    pub role: Role,
    /// What is said.
    #[serde(deserialize_with = "one_or_more")]
    pub content: Vec<SamplingContent>,
    /// The model that said it.
    pub model: String,
    /// Why it stopped, such as `endTurn`, `stopSequence`, `maxTokens` or `toolUse`.
    #[serde(default)]
    pub stop_reason: Option<String>,
    /// Metadata.
    #[serde(rename = "_meta", default)]
    pub meta: Option<Meta>,
}

impl CreateMessageResult {
    /// The texts of the answer, one behind the other.
    #[must_use]
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|block| match block {
            SamplingContent::Text(text) => Some(text.text.as_str()),
            _ => None,
        });
        texts.collect()
    }
}

/// One piece of a message to or from a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SamplingContent {
    /// Text.
    Text(TextContent),
    /// A picture.
    Image(ImageContent),
    /// Sound.
    Audio(AudioContent),
    /// The model wants a tool to be used.
    ToolUse(ToolUseContent),
    /// What a tool gave.
    ToolResult(ToolResultContent),
}

macro_rules! contents {
    ($($Kind:ident($Content:ident)),*) => { $(
        impl From<$Content> for SamplingContent {
            fn from(content: $Content) -> Self {
                Self::$Kind(content)
            }
        }
    )* };
}
contents!(
    Text(TextContent),
    Image(ImageContent),
    Audio(AudioContent),
    ToolUse(ToolUseContent),
    ToolResult(ToolResultContent)
);

/// A model's wish that a tool be used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolUseContent {
    /// The id under which the result is given.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The arguments, an object.
    pub input: Meta,
    /// Metadata, to be kept when the message is sent again.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// What a tool gave that a model wanted to be used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolResultContent {
    /// The id of the wish.
    pub tool_use_id: String,
    /// The result.
    pub content: Vec<ContentBlock>,
    /// The result as a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<Value>,
    /// Whether the tool failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// Metadata, to be kept when the message is sent again.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl ToolResultContent {
    /// The result of the tool that was wanted under an id.
    pub fn new(
        tool_use_id: impl Into<String>,
        content: impl IntoIterator<Item = ContentBlock>,
    ) -> Self {
        Self {
            tool_use_id: tool_use_id.into(),
            content: content.into_iter().collect(),
            structured_content: None,
            is_error: None,
            meta: None,
        }
    }
}

/// Which model is wanted; clients may choose another.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelPreferences {
    /// Parts of models' names, the most wanted first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hints: Vec<ModelHint>,
    /// How much the price matters, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_priority: Option<f64>,
    /// How much the speed matters, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed_priority: Option<f64>,
    /// How much the model's abilities matter, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intelligence_priority: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct ModelHint {
    name: String,
}

impl ModelPreferences {
    /// Adds a part of a model's name; the first one that fits decides.
    #[must_use]
    pub fn hint(mut self, name: impl Into<String>) -> Self {
        self.hints.push(ModelHint { name: name.into() });
        self
    }
}

/// The context of which servers is added to what a model is asked; all but `None` is deprecated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum IncludeContext {
    /// None.
    None,
    /// This server.
    ThisServer,
    /// All servers of the client.
    AllServers,
}

/// Whether a model uses tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "mode", rename_all = "lowercase")]
#[non_exhaustive]
pub enum ToolChoice {
    /// As it likes.
    Auto,
    /// At least one.
    Required,
    /// None.
    None,
}

/// Writes one block without a list around it, which is how clients have always known it.
fn one_alone<S: Serializer>(content: &[SamplingContent], serializer: S) -> Result<S::Ok, S::Error> {
    match content {
        [block] => block.serialize(serializer),
        blocks => blocks.serialize(serializer),
    }
}

/// Reads one block or a list of blocks.
fn one_or_more<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<SamplingContent>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMore {
        One(SamplingContent),
        More(Vec<SamplingContent>),
    }
    Ok(match OneOrMore::deserialize(deserializer)? {
        OneOrMore::One(block) => vec![block],
        OneOrMore::More(blocks) => blocks,
    })
}
