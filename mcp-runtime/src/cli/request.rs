//! Lists as a client would get them, page by page.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::protocol::Method;
use crate::server::{Caller, Server, json_string, request};

/// The tools of all pages of the list, each as the JSON text that clients get.
pub(super) fn list_tools(server: &Server) -> Result<Vec<Box<RawValue>>, String> {
    list(server, Method::ListTools.name())
}

/// The same of another list.
pub(super) fn list(server: &Server, method: &str) -> Result<Vec<Box<RawValue>>, String> {
    let mut items = Vec::new();
    let mut cursor = None;
    loop {
        let params = cursor.map_or_else(String::new, |cursor: String| {
            format!(r#""cursor":{}"#, json_string(&cursor))
        });
        let message = request(
            server.core().options.profile,
            method,
            &Caller::default(),
            &params,
        );
        let mut response = Vec::new();
        server.handle_message_blocking(message.as_bytes(), &mut response);
        let page = page_of(&response)?;
        items.extend(page.items);
        match page.next_cursor {
            Some(next) => cursor = Some(next),
            None => return Ok(items),
        }
    }
}

#[derive(serde::Deserialize)]
struct Listed {
    result: Option<Page>,
    error: Option<Value>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    #[serde(
        alias = "tools",
        alias = "prompts",
        alias = "resources",
        alias = "resourceTemplates"
    )]
    items: Vec<Box<RawValue>>,
    next_cursor: Option<String>,
}

fn page_of(response: &[u8]) -> Result<Page, String> {
    let listed: Listed = serde_json::from_slice(response).map_err(|error| error.to_string())?;
    listed.result.ok_or_else(|| {
        let message = listed
            .error
            .as_ref()
            .and_then(|error| error["message"].as_str());
        message.unwrap_or("the list is missing").to_owned()
    })
}
