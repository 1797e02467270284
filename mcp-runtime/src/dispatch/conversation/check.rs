//! Whether a request for input is one that the protocol has: what its schema demands, and what client/elicitation and
//! client/sampling say beside it. Whether the fields of a form make sense is checked in [`sense`].
//!
//! Members that the protocol does not know are let through, as its schema does. The types of forms are checked once, since some
//! are not derived, and then the compiler has checked nothing.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use serde_json::Value;

use super::form_semantics;
use crate::protocol::{Role, SamplingContent, SamplingMessage};
use crate::schema::{Format, MAX_SAFE_INTEGER, unsafe_number};

/// What is wrong with a request, in words for whoever wrote it.
pub(super) type Checked = Result<(), String>;

/// Checks a request of any kind.
pub(super) fn check(request: &Value) -> Checked {
    match request["method"].as_str() {
        Some("elicitation/create") => elicitation(&request["params"]),
        Some("sampling/createMessage") => sampling(&request["params"]),
        Some("roots/list") => match request.get("params") {
            None | Some(Value::Object(_)) => Ok(()),
            Some(_) => Err("`params` has to be an object".to_owned()),
        },
        _ => Err(
            "its `method` is none of elicitation/create, sampling/createMessage and roots/list"
                .to_owned(),
        ),
    }
}

/// Checks a URL that a user is to go to (client/elicitation, "URL Mode Elicitation Requests").
pub(super) fn url(url: &str) -> Checked {
    if Format::Uri.accepts(url) {
        return Ok(());
    }
    let noun = Format::Uri.noun();
    Err(format!("its URL has to be {noun}, with its scheme"))
}

/// Checks the schema of a type that is a form.
pub(super) fn form(schema: &'static str) -> Checked {
    /// Where the schemas stand that are right, and how long they are.
    static RIGHT: Mutex<BTreeSet<(usize, usize)>> = Mutex::new(BTreeSet::new());
    let place = (schema.as_ptr().addr(), schema.len());
    let right = || RIGHT.lock().unwrap_or_else(PoisonError::into_inner);
    if right().contains(&place) {
        return Ok(());
    }
    // It is sent as it stands, and a line is a message over stdio.
    let read = serde_json::from_str(schema).ok();
    let Some(read) = read.filter(|_| !schema.contains(['\n', '\r'])) else {
        return Err("`params.requestedSchema` has to be JSON in one line".to_owned());
    };
    form_schema(&read, "params.requestedSchema")?;
    right().insert(place);
    Ok(())
}

fn elicitation(params: &Value) -> Checked {
    let at = "params";
    required(params, "message", at, Kind::Text)?;
    match params.get("mode").map(Value::as_str) {
        None | Some(Some("form")) => {}
        Some(Some("url")) => {
            required(params, "url", at, Kind::Text)?;
            return url(params["url"].as_str().unwrap_or_default());
        }
        Some(_) => return Err("`params.mode` has to be `form` or `url`".to_owned()),
    }
    let (schema, at) = (&params["requestedSchema"], "params.requestedSchema");
    required(params, "requestedSchema", "params", Kind::Object)?;
    form_schema(schema, at)
}

/// Refuses numbers that clients round.
fn safe_numbers(schema: &Value, at: &str) -> Checked {
    match unsafe_number(schema) {
        Some(number) => Err(format!(
            "`{at}` has the number {number}, which is beyond ±{MAX_SAFE_INTEGER} (2^53 − 1): clients round it, so leave it out"
        )),
        None => Ok(()),
    }
}

fn form_schema(schema: &Value, at: &str) -> Checked {
    if schema["type"] != "object" {
        return Err(format!("`{at}.type` has to be `object`"));
    }
    safe_numbers(schema, at)?;
    optional(schema, "$schema", at, Kind::Text)?;
    optional(schema, "required", at, Kind::Texts)?;
    required(schema, "properties", at, Kind::Object)?;
    let fields = schema["properties"].as_object().into_iter().flatten();
    for (name, field) in fields {
        let at = format!("{at}.properties.{name}");
        form_field(field, &at)?;
        form_semantics::field(field, &at)?;
    }
    form_semantics::required(schema, at)
}

/// Checks a field of a form (`PrimitiveSchemaDefinition`).
fn form_field(field: &Value, at: &str) -> Checked {
    optional(field, "title", at, Kind::Text)?;
    optional(field, "description", at, Kind::Text)?;
    let optional = |name, kind| optional(field, name, at, kind);
    match field["type"].as_str() {
        Some("string") => {
            optional("minLength", Kind::Integer)?;
            optional("maxLength", Kind::Integer)?;
            optional("default", Kind::Text)?;
            optional("enum", Kind::Texts)?;
            optional("enumNames", Kind::Texts)?;
            optional("oneOf", Kind::Choices)?;
            let formats = ["date", "date-time", "email", "uri"];
            one_of(field, "format", at, &formats)
        }
        Some("number" | "integer") => {
            optional("minimum", Kind::Number)?;
            optional("maximum", Kind::Number)?;
            let is_integer = field["type"] == "integer";
            optional(
                "default",
                if is_integer {
                    Kind::Integer
                } else {
                    Kind::Number
                },
            )
        }
        Some("boolean") => optional("default", Kind::Boolean),
        Some("array") => {
            optional("minItems", Kind::Integer)?;
            optional("maxItems", Kind::Integer)?;
            optional("default", Kind::Texts)?;
            required(field, "items", at, Kind::Object)?;
            let (items, at) = (&field["items"], format!("{at}.items"));
            if items.get("anyOf").is_some() {
                return required(items, "anyOf", &at, Kind::Choices);
            }
            if items["type"] != "string" {
                return Err(format!(
                    "`{at}` has to have the `type` string and an `enum`, or `anyOf`"
                ));
            }
            required(items, "enum", &at, Kind::Texts)
        }
        _ => Err(format!(
            "`{at}` has to be a string, a number, an integer, a boolean or an array of choices: forms have no other fields"
        )),
    }
}

fn sampling(params: &Value) -> Checked {
    let at = "params";
    required(params, "messages", at, Kind::List)?;
    required(params, "maxTokens", at, Kind::Integer)?;
    optional(params, "systemPrompt", at, Kind::Text)?;
    optional(params, "temperature", at, Kind::Number)?;
    optional(params, "stopSequences", at, Kind::Texts)?;
    optional(params, "metadata", at, Kind::Object)?;
    optional(params, "toolChoice", at, Kind::Object)?;
    optional(params, "tools", at, Kind::List)?;
    optional(params, "modelPreferences", at, Kind::Object)?;
    let contexts = ["none", "thisServer", "allServers"];
    one_of(params, "includeContext", at, &contexts)?;
    let (choice, modes) = (&params["toolChoice"], ["auto", "required", "none"]);
    one_of(choice, "mode", "params.toolChoice", &modes)?;
    for (index, tool) in list(&params["tools"]).iter().enumerate() {
        let at = format!("params.tools[{index}]");
        required(tool, "name", &at, Kind::Text)?;
        required(tool, "inputSchema", &at, Kind::Object)?;
        if tool["inputSchema"]["type"] != "object" {
            return Err(format!("`{at}.inputSchema.type` has to be `object`"));
        }
        safe_numbers(&tool["inputSchema"], &format!("{at}.inputSchema"))?;
    }
    let (preferences, at) = (&params["modelPreferences"], "params.modelPreferences");
    for name in ["costPriority", "speedPriority", "intelligencePriority"] {
        optional(preferences, name, at, Kind::Priority)?;
    }
    optional(preferences, "hints", at, Kind::List)?;
    for (index, hint) in list(&preferences["hints"]).iter().enumerate() {
        optional(hint, "name", &format!("{at}.hints[{index}]"), Kind::Text)?;
    }
    messages(list(&params["messages"]))
}

/// Checks what is said (client/sampling, "Message Content Constraints").
fn messages(messages: &[Value]) -> Checked {
    let mut used = HashSet::new();
    // What the message before wants to be used.
    let mut open: Vec<String> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let at = format!("params.messages[{index}]");
        let message = SamplingMessage::deserialize(message)
            .map_err(|_| format!("`{at}` has to be a message: a `role` and its `content`"))?;
        let results: Vec<&str> = results(&message).collect();
        let is_mixed = results.len() < message.content.len();
        if !results.is_empty() && (is_mixed || message.role != Role::User) {
            return Err(format!(
                "`{at}` has tool results, which have to be alone in a message of the user"
            ));
        }
        if let Some(id) = open.iter().find(|id| !results.contains(&id.as_str())) {
            return Err(format!(
                "`{at}` has to have the result of the tool use `{id}`, which stands before it"
            ));
        }
        if let Some(id) = results.iter().find(|id| !used.contains(**id)) {
            return Err(format!(
                "`{at}` has a result of the tool use `{id}`, which does not stand before it"
            ));
        }
        open = uses(&message).map(str::to_owned).collect();
        used.extend(open.iter().cloned());
    }
    match open.first() {
        None => Ok(()),
        Some(id) => Err(format!("the tool use `{id}` has no result behind it")),
    }
}

/// Whether messages have tool uses or results, which only clients with tools understand.
pub(super) fn uses_tools(params: &Value) -> bool {
    let mut messages = list(&params["messages"]).iter();
    messages.any(|message| {
        SamplingMessage::deserialize(message).is_ok_and(|message| message.uses_tools())
    })
}

fn results(message: &SamplingMessage) -> impl Iterator<Item = &str> {
    message.content.iter().filter_map(|block| match block {
        SamplingContent::ToolResult(result) => Some(result.tool_use_id.as_str()),
        _ => None,
    })
}

fn uses(message: &SamplingMessage) -> impl Iterator<Item = &str> {
    message.content.iter().filter_map(|block| match block {
        SamplingContent::ToolUse(wish) => Some(wish.id.as_str()),
        _ => None,
    })
}

/// What a member may be.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Texts,
    Number,
    Integer,
    /// From 0 to 1.
    Priority,
    Boolean,
    Object,
    List,
    /// Values with their titles.
    Choices,
}

impl Kind {
    fn takes(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Texts => is_list_of(value, Value::is_string),
            Self::Number => value.is_number(),
            // `5.0` is an integer in JSON Schema.
            Self::Integer => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            Self::Priority => value
                .as_f64()
                .is_some_and(|number| (0.0..=1.0).contains(&number)),
            Self::Boolean => value.is_boolean(),
            Self::Object => value.is_object(),
            Self::List => value.is_array(),
            Self::Choices => is_list_of(value, |choice| {
                choice["const"].is_string() && choice["title"].is_string()
            }),
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Texts => "a list of strings",
            Self::Number => "a number",
            Self::Integer => "an integer",
            Self::Priority => "a number from 0 to 1",
            Self::Boolean => "a boolean",
            Self::Object => "an object",
            Self::List => "a list",
            Self::Choices => "a list of objects that have a `const` and a `title`, both strings",
        }
    }
}

fn required(object: &Value, name: &str, at: &str, kind: Kind) -> Checked {
    if object.get(name).is_none() {
        return Err(format!("`{at}.{name}` is missing"));
    }
    optional(object, name, at, kind)
}

fn optional(object: &Value, name: &str, at: &str, kind: Kind) -> Checked {
    match object.get(name) {
        Some(value) if !kind.takes(value) => {
            Err(format!("`{at}.{name}` has to be {}", kind.noun()))
        }
        _ => Ok(()),
    }
}

fn one_of(object: &Value, name: &str, at: &str, allowed: &[&str]) -> Checked {
    match object.get(name) {
        Some(value) if !allowed.iter().any(|other| value == other) => Err(format!(
            "`{at}.{name}` has to be one of {}",
            allowed.join(", ")
        )),
        _ => Ok(()),
    }
}

pub(super) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn is_list_of(value: &Value, takes: impl Fn(&Value) -> bool) -> bool {
    value
        .as_array()
        .is_some_and(|values| values.iter().all(takes))
}
