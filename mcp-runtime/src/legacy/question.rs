//! Questions in the form of each revision: requests of the server's own.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::protocol::{Revision, notification};

/// How many random bytes an elicitation has for its id.
pub(crate) const fn elicitation_id_size() -> usize {
    16
}

/// Writes a question as a request; it is an `InputRequest` of the current revision as JSON.
///
/// # Errors
///
/// What a revision does not have.
pub(crate) fn write_question(
    revision: &Revision,
    id: u64,
    request: &str,
    random: &[u8; elicitation_id_size()],
) -> Result<Vec<u8>, String> {
    let mut message: Map<String, Value> =
        serde_json::from_str(request).map_err(|error| error.to_string())?;
    let params = message.get_mut("params").and_then(Value::as_object_mut);
    let method = request_method(request);
    match (method.as_deref(), params) {
        (Some("elicitation/create"), Some(params)) => fit_elicitation(revision, params, random)?,
        (Some("sampling/createMessage"), Some(params)) => fit_sampling(revision, params),
        _ => {}
    }
    message.insert("jsonrpc".to_owned(), "2.0".into());
    message.insert("id".to_owned(), id.into());
    serde_json::to_vec(&message).map_err(|error| error.to_string())
}

fn request_method(request: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Method {
        method: String,
    }
    serde_json::from_str(request)
        .ok()
        .map(|Method { method }| method)
}

fn fit_elicitation(
    revision: &Revision,
    params: &mut Map<String, Value>,
    random: &[u8],
) -> Result<(), String> {
    let lacks = |what: &str| {
        let name = revision.name;
        Err(format!("revision {name} of the protocol has no {what}"))
    };
    if !revision.has_titles {
        return lacks("questions to the user");
    }
    let is_url = params.get("mode").is_some_and(|mode| mode == "url");
    if is_url && !revision.has_icons {
        return lacks("questions that send the user to a URL");
    }
    if is_url {
        let id: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        params.insert("elicitationId".to_owned(), id.into());
        return Ok(());
    }
    if revision.has_icons {
        return Ok(());
    }
    params.remove("mode");
    let fields = params
        .get_mut("requestedSchema")
        .and_then(|schema| schema.get_mut("properties"))
        .and_then(Value::as_object_mut);
    for (name, field) in fields.into_iter().flatten() {
        let Some(field) = field.as_object_mut() else {
            continue;
        };
        if field.get("type").is_some_and(|it| it == "array") {
            return lacks(&format!("fields with several choices, which `{name}` is"));
        }
        fit_field(field);
    }
    Ok(())
}

/// Titled choices are two lists there, and only booleans have a default.
fn fit_field(field: &mut Map<String, Value>) {
    if let Some(Value::Array(choices)) = field.remove("oneOf") {
        let members = |member: &str| -> Vec<Value> {
            let values = choices.iter().filter_map(|choice| choice.get(member));
            values.cloned().collect()
        };
        field.insert("enum".to_owned(), members("const").into());
        field.insert("enumNames".to_owned(), members("title").into());
    }
    if field.get("type").is_none_or(|it| it != "boolean") {
        field.remove("default");
    }
}

/// A message has one block of content before 2025-11-25, so several blocks are several messages.
fn fit_sampling(revision: &Revision, params: &mut Map<String, Value>) {
    if revision.has_icons {
        return;
    }
    params.remove("tools");
    params.remove("toolChoice");
    let Some(Value::Array(messages)) = params.get_mut("messages") else {
        return;
    };
    let split = std::mem::take(messages).into_iter().flat_map(|message| {
        let role = message.get("role").cloned();
        match message.get("content") {
            Some(Value::Array(blocks)) => blocks
                .iter()
                .map(|block| json!({"role": role, "content": block}))
                .collect(),
            _ => vec![message],
        }
    });
    *messages = split.collect();
}

/// Writes that nobody waits for the response to a question.
pub(crate) fn write_cancellation(out: &mut Vec<u8>, id: u64) {
    let method = notification::CANCELLED;
    let message = json!({"jsonrpc": "2.0", "method": method, "params": {"requestId": id}});
    out.extend_from_slice(message.to_string().as_bytes());
}

/// Why a client has not answered, by the error of its response.
pub(crate) fn refusal(error: Option<&RawValue>) -> String {
    /// So many characters of a client's text are passed on.
    const MAX_TEXT: usize = 200;
    #[derive(serde::Deserialize)]
    struct Refusal {
        message: String,
    }
    match error.and_then(|raw| serde_json::from_str::<Refusal>(raw.get()).ok()) {
        Some(Refusal { message }) => {
            let message: String = message.chars().take(MAX_TEXT).collect();
            format!("the client refuses to answer: {message}")
        }
        None => "the client refuses to answer".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::revision::negotiate;
    use super::*;

    fn question(revision: &str, request: &Value) -> Result<Value, String> {
        let revision = negotiate(revision);
        let written = write_question(revision, 7, &request.to_string(), &[1; 16])?;
        Ok(serde_json::from_slice(&written).unwrap())
    }

    fn form(field: &Value) -> Value {
        json!({"method": "elicitation/create", "params": {"mode": "form", "message": "?",
            "requestedSchema": {"type": "object", "properties": {"field": field}}}})
    }

    #[test]
    fn a_form_stays_as_it_is_in_the_newest_revision() {
        let field =
            json!({"type": "string", "oneOf": [{"const": "a", "title": "A"}], "default": "a"});
        let request = form(&field);
        let written = question("2025-11-25", &request).unwrap();
        assert_eq!(written["params"], request["params"]);
        assert_eq!(
            (&written["id"], &written["jsonrpc"]),
            (&json!(7), &json!("2.0"))
        );
    }

    #[test]
    fn titled_choices_are_two_lists_in_june_2025_and_only_booleans_have_a_default() {
        let fitted = |field: Value| {
            let written = question("2025-06-18", &form(&field)).unwrap();
            assert_eq!(written["params"].get("mode"), None);
            written["params"]["requestedSchema"]["properties"]["field"].clone()
        };
        let choices = json!([{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]);
        assert_eq!(
            fitted(json!({"type": "string", "oneOf": choices, "default": "a"})),
            json!({"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]})
        );
        let boolean = json!({"type": "boolean", "default": true});
        assert_eq!(fitted(boolean.clone()), boolean);
        assert_eq!(
            fitted(json!({"type": "integer", "default": 1, "minimum": 0})),
            json!({"type": "integer", "minimum": 0})
        );
    }

    #[test]
    fn what_a_revision_does_not_have_is_named() {
        let several = form(&json!({"type": "array", "items": {"type": "string", "enum": ["a"]}}));
        assert!(question("2025-11-25", &several).is_ok());
        assert!(
            question("2025-06-18", &several)
                .unwrap_err()
                .contains("`field`")
        );
        let url = json!({"method": "elicitation/create",
            "params": {"mode": "url", "message": "?", "url": "https://example.com/"}});
        let written = question("2025-11-25", &url).unwrap();
        assert_eq!(written["params"]["elicitationId"], "01".repeat(16));
        assert!(question("2025-06-18", &url).unwrap_err().contains("URL"));
        for revision in ["2025-03-26", "2024-11-05"] {
            let refused = question(revision, &form(&json!({"type": "boolean"})));
            assert!(refused.unwrap_err().contains(revision));
        }
    }

    #[test]
    fn blocks_of_one_message_are_messages_of_their_own_before_november_2025() {
        let text = |text: &str| json!({"type": "text", "text": text});
        let message = json!({"role": "user", "content": [text("a"), text("b")]});
        let request = json!({"method": "sampling/createMessage",
            "params": {"maxTokens": 5, "messages": [message]}});
        let newest = question("2025-11-25", &request).unwrap();
        assert_eq!(newest["params"]["messages"], json!([message]));
        let older = question("2025-06-18", &request).unwrap();
        assert_eq!(
            older["params"]["messages"],
            json!([{"role": "user", "content": text("a")}, {"role": "user", "content": text("b")}])
        );
    }

    #[test]
    fn a_refusal_says_what_the_client_says() {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let told = refusal(Some(&raw(r#"{"code":-1,"message":"no model"}"#)));
        assert!(told.ends_with("no model"), "{told}");
        assert_eq!(refusal(Some(&raw("7"))), "the client refuses to answer");
        assert_eq!(refusal(None), "the client refuses to answer");
    }
}
