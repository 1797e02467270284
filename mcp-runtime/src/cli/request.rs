//! Requests as a client would send them, and their way through the server.

use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::clock;
use crate::dispatch::{Answer, CallControl, Opened, PendingCall, Profile, Request};
use crate::protocol::{PROTOCOL_VERSION, key, method};
use crate::server::Server;

/// The text of a request of a client with these capabilities; `params` are the members of its parameters, without braces.
pub(super) fn request(profile: Profile, method: &str, capabilities: &str, params: &str) -> String {
    let meta = match profile {
        Profile::Strict => format!(
            r#""_meta":{{"{}":"{PROTOCOL_VERSION}","{}":{capabilities}}}{}"#,
            key::PROTOCOL_VERSION,
            key::CLIENT_CAPABILITIES,
            if params.is_empty() { "" } else { "," },
        ),
        Profile::Contract => String::new(),
    };
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{meta}{params}}}}}"#)
}

/// Runs what starts a runtime of its own, which is not possible on a thread that drives one, as under `#[tokio::main]`.
pub(super) fn outside_runtimes<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    if tokio::runtime::Handle::try_current().is_err() {
        return run();
    }
    std::thread::scope(|scope| match scope.spawn(run).join() {
        Ok(value) => value,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

/// The tools of all pages of the list, each as the JSON text that clients get.
pub(super) fn list_tools(server: &Server) -> Result<Vec<Box<RawValue>>, String> {
    list(server, method::TOOLS_LIST)
}

/// The same of another list.
pub(super) fn list(server: &Server, method: &str) -> Result<Vec<Box<RawValue>>, String> {
    let mut items = Vec::new();
    let mut cursor = None;
    loop {
        let params = cursor.map_or_else(String::new, |cursor: String| {
            format!(r#""cursor":{}"#, json_string(&cursor))
        });
        let message = request(server.core().options.profile, method, "{}", &params);
        let mut response = Vec::new();
        server.handle_message(message.as_bytes(), &mut response);
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

/// Passes a request through the server, within the limit of time that serving would set if the tool waits for
/// something; a plain function runs to its end on this thread.
pub(super) async fn respond(server: &Server, message: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    if let Opened::Request(request) = server.open(message, &mut out) {
        let control = Arc::new(CallControl::default().with_clock(clock::now));
        if let Answer::Pending(call) = server.core().answer(&request, &control, &mut out) {
            return finish(server, &request, call, &control).await;
        }
    }
    out
}

async fn finish(
    server: &Server,
    request: &Request<'_>,
    mut call: PendingCall,
    control: &CallControl,
) -> Vec<u8> {
    let response = std::future::poll_fn(|context| call.poll(request.id, context));
    let Some(limit) = control.timeout() else {
        return response.await;
    };
    tokio::time::timeout(limit, response)
        .await
        .unwrap_or_else(|_| {
            control.cancel();
            let mut out = Vec::new();
            server.core().time_out(request.id, &mut out);
            out
        })
}

pub(super) fn json_string(text: &str) -> String {
    Value::from(text).to_string()
}
