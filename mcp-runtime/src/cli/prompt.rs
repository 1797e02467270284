//! `prompt` and `read`: a prompt, or the contents of a resource, as a client would get them.

use std::collections::BTreeMap;

use super::converse::converse;
use super::outcome::Outcome;
use super::person::Person;
use super::show::show;
use super::{Streams, other_name};
use crate::protocol::Method;
use crate::server::{Server, json_string};

/// Shows the messages of a prompt, or with `raw` the whole response.
pub(super) fn prompt(
    server: &Server,
    name: &str,
    pairs: &[String],
    raw: bool,
    streams: Streams<'_>,
) -> Outcome {
    let registry = server.core().registry.load();
    if registry.prompts().get(name).is_none() {
        let names = registry.prompts().sorted().map(|prompt| &*prompt.name);
        return Outcome::usage(&other_name("prompt", name, names));
    }
    let mut arguments = BTreeMap::new();
    for pair in pairs {
        match pair.split_once('=') {
            Some((name, value)) if arguments.insert(name, value).is_none() => {}
            Some((name, _)) => return Outcome::usage(&format!("`{name}` is given twice")),
            None => return Outcome::usage(&format!("`{pair}` is not of the form name=value")),
        }
    }
    let arguments = serde_json::json!(arguments);
    let params = format!(r#""name":{},"arguments":{arguments}"#, json_string(name));
    send(server, Method::GetPrompt.name(), &params, raw, streams)
}

/// Shows the contents of a resource, or with `raw` the whole response.
pub(super) fn read(server: &Server, uri: &str, raw: bool, streams: Streams<'_>) -> Outcome {
    let params = format!(r#""uri":{}"#, json_string(uri));
    send(server, Method::ReadResource.name(), &params, raw, streams)
}

fn send(server: &Server, method: &str, params: &str, raw: bool, streams: Streams<'_>) -> Outcome {
    let Streams {
        stdin, talk, err, ..
    } = streams;
    let mut person = Person::new(stdin, talk, err);
    show(converse(server, method, params, &mut person), raw, err)
}
