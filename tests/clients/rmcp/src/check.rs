//! The conversation: list, call, read, complete, be told, be asked, cancel.

use std::collections::HashMap;
use std::error::Error;
use std::pin::Pin;
use std::sync::PoisonError;
use std::time::Duration;

use rmcp::model::{
    ArgumentInfo, CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest,
    CompleteRequestParams, CompletionContext, GetPromptRequestParams, ReadResourceRequestParams,
    Reference, Request, SubscribeRequestParams,
};
use rmcp::service::{PeerRequestOptions, RequestHandle, RoleClient, RunningService, ServiceError};
use serde_json::{Value, json};

use crate::handler::{Handler, Told};

/// A check that has not ended by then has failed.
const CHECK_TIMEOUT: Duration = Duration::from_secs(30);

pub(crate) struct Session {
    pub(crate) client: RunningService<RoleClient, Handler>,
    pub(crate) handler: Handler,
    pub(crate) expected: Value,
}

type Checked = Result<(), Box<dyn Error>>;
type Check = for<'a> fn(&'a Session) -> Pin<Box<dyn Future<Output = Checked> + 'a>>;

const CHECKS: &[(&str, Check)] = &[
    ("the lists name what there is", |s| Box::pin(lists(s))),
    ("calls: text, structured output, failing tools", |s| {
        Box::pin(calls(s))
    }),
    (
        "resources are read, and one that is missing is refused",
        |s| Box::pin(reads(s)),
    ),
    ("prompts have messages", |s| Box::pin(prompts(s))),
    ("arguments are completed", |s| Box::pin(completions(s))),
    ("progress arrives while the call runs", |s| {
        Box::pin(progress(s))
    }),
    (
        "questions in the middle of a call are answered, declined and cancelled",
        |s| Box::pin(questions(s)),
    ),
    ("a cancelled call ends on the server", |s| {
        Box::pin(cancellation(s))
    }),
    ("64 calls at once: each gets its own answer", |s| {
        Box::pin(many(s))
    }),
    ("changes are pushed", |s| Box::pin(pushes(s))),
];

/// Runs all checks, prints a line for each, and gives the number of those that failed.
pub(crate) async fn all(session: &Session) -> usize {
    let mut failed = 0;
    for (title, check) in CHECKS {
        let outcome = match tokio::time::timeout(CHECK_TIMEOUT, check(session)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(format!("no end within {} s", CHECK_TIMEOUT.as_secs()).into()),
        };
        match outcome {
            Ok(()) => println!("ok    {title}"),
            Err(error) => {
                failed += 1;
                println!("FAIL  {title}: {error}");
            }
        }
    }
    println!("{} passed, {failed} failed", CHECKS.len() - failed);
    failed
}

fn same(found: impl Into<Value>, wanted: &Value, what: &str) -> Checked {
    let found = found.into();
    if found == *wanted {
        Ok(())
    } else {
        Err(format!("{what}: expected {wanted}, found {found}").into())
    }
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

fn params(tool: &str, arguments: &Value) -> CallToolRequestParams {
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments)
}

impl Session {
    async fn call(&self, tool: &str, arguments: &Value) -> Result<Value, Box<dyn Error>> {
        let result: CallToolResult = self.client.call_tool(params(tool, arguments)).await?;
        Ok(serde_json::to_value(result)?)
    }

    /// The text of a result whose content is exactly one text block.
    async fn call_text(&self, tool: &str, arguments: &Value) -> Result<Value, Box<dyn Error>> {
        only_text(&self.call(tool, arguments).await?)
    }

    /// Sends a call and does not wait for its answer.
    async fn begin(
        &self,
        tool: &str,
        arguments: &Value,
    ) -> Result<RequestHandle<RoleClient>, ServiceError> {
        let request: CallToolRequest = Request::new(params(tool, arguments));
        self.client
            .send_cancellable_request(
                ClientRequest::CallToolRequest(request),
                PeerRequestOptions::no_options(),
            )
            .await
    }

    /// What was told since the number of messages was `before`, once it is enough.
    async fn told(
        &self,
        before: usize,
        enough: impl Fn(&[Told]) -> bool,
    ) -> Result<Vec<Told>, Box<dyn Error>> {
        let mut receiver = self.handler.told.subscribe();
        let told = receiver.wait_for(|told| enough(&told[before..])).await?;
        Ok(told[before..].to_vec())
    }

    fn heard(&self) -> usize {
        self.handler.told.borrow().len()
    }
}

fn only_text(result: &Value) -> Result<Value, Box<dyn Error>> {
    match list(result, "content") {
        [block] if block["type"] == "text" => Ok(block["text"].clone()),
        _ => Err(format!("expected one text block, found {}", result["content"]).into()),
    }
}

async fn lists(s: &Session) -> Checked {
    let tools = s.client.list_all_tools().await?;
    for call in list(&s.expected, "calls") {
        if !tools.iter().any(|tool| tool.name == text(call, "tool")) {
            return Err(format!("no tool {}", call["tool"]).into());
        }
    }
    let uris: Vec<_> = s
        .client
        .list_all_resources()
        .await?
        .into_iter()
        .map(|resource| resource.uri)
        .collect();
    same(uris, &s.expected["resources"], "resources")?;
    let templates = s.client.list_all_resource_templates().await?;
    let templates: Vec<_> = templates
        .into_iter()
        .map(|template| template.uri_template)
        .collect();
    same(templates, &s.expected["templates"], "templates")?;
    let prompts: Vec<_> = s
        .client
        .list_all_prompts()
        .await?
        .into_iter()
        .map(|prompt| prompt.name)
        .collect();
    same(prompts, &s.expected["prompts"], "prompts")
}

async fn calls(s: &Session) -> Checked {
    for call in list(&s.expected, "calls") {
        let result = s.call(text(call, "tool"), &call["arguments"]).await?;
        let failed = result["isError"].as_bool().unwrap_or_default();
        same(failed, &json!(call.get("error").is_some()), "isError")?;
        match call.get("structured") {
            Some(structured) => {
                same(
                    result["structuredContent"].clone(),
                    structured,
                    "structuredContent",
                )?;
                let text = only_text(&result)?;
                let decoded: Value = serde_json::from_str(text.as_str().unwrap_or_default())?;
                same(decoded, structured, "the JSON text")?;
            }
            None => {
                let wanted = call.get("text").unwrap_or(&call["error"]);
                same(only_text(&result)?, wanted, "text")?;
            }
        }
    }
    Ok(())
}

async fn reads(s: &Session) -> Checked {
    for wanted in list(&s.expected, "reads") {
        let params = ReadResourceRequestParams::new(text(wanted, "uri"));
        let result = serde_json::to_value(s.client.read_resource(params).await?)?;
        same(result["contents"].clone(), &json!([wanted]), "contents")?;
    }
    let missing = &s.expected["missing"];
    match s
        .client
        .read_resource(ReadResourceRequestParams::new(text(missing, "uri")))
        .await
    {
        Err(ServiceError::McpError(error)) => {
            same(error.code.0, &missing["codes"]["initialize"], "code")
        }
        Err(error) => Err(error.into()),
        Ok(_) => Err("it was read".into()),
    }
}

async fn prompts(s: &Session) -> Checked {
    for get in list(&s.expected, "gets") {
        let arguments = get["arguments"].as_object().cloned().unwrap_or_default();
        let params = GetPromptRequestParams::new(text(get, "prompt")).with_arguments(arguments);
        let result = serde_json::to_value(s.client.get_prompt(params).await?)?;
        let messages: Vec<_> = list(&result, "messages")
            .iter()
            .map(|message| json!([message["role"], message["content"]["text"]]))
            .collect();
        same(messages, &get["messages"], "messages")?;
    }
    Ok(())
}

async fn completions(s: &Session) -> Checked {
    for wanted in list(&s.expected, "completions") {
        let reference = match wanted.get("prompt") {
            Some(_) => Reference::for_prompt(text(wanted, "prompt")),
            None => Reference::for_resource(text(wanted, "template")),
        };
        let argument = ArgumentInfo::new(text(wanted, "argument"), text(wanted, "value"));
        let mut params = CompleteRequestParams::new(reference, argument);
        if let Some(context) = wanted.get("context") {
            let arguments: HashMap<String, String> = serde_json::from_value(context.clone())?;
            params = params.with_context(CompletionContext::with_arguments(arguments));
        }
        let values = s.client.complete(params).await?.completion.values;
        same(values, &wanted["values"], "values")?;
    }
    Ok(())
}

async fn progress(s: &Session) -> Checked {
    let wanted = &s.expected["progress"];
    let before = s.heard();
    let call = s.begin(text(wanted, "tool"), &wanted["arguments"]).await?;
    let number = list(wanted, "told").len();
    let mut told = s.told(before, |told| told.len() >= number).await?;
    s.call("release", &wanted["release"]).await?;
    let result = serde_json::to_value(call.await_response().await?)?;
    same(only_text(&result)?, &wanted["text"], "text")?;
    // rmcp handles each notification in a task of its own, in no order.
    told.sort_by_key(|told| match told {
        Told::Progress(value, _) => *value as u64,
        Told::Changed(..) => 0,
    });
    let told: Vec<Value> = told
        .into_iter()
        .map(|told| match told {
            Told::Progress(value, total) => json!([value as u64, total.map(|total| total as u64)]),
            Told::Changed(method, _) => json!(method),
        })
        .collect();
    same(told, &wanted["told"], "what was told")
}

async fn questions(s: &Session) -> Checked {
    for question in list(&s.expected, "questions") {
        let answers: HashMap<String, Value> = serde_json::from_value(question["answers"].clone())?;
        *s.handler
            .answers
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = answers;
        let found = s
            .call_text(text(question, "tool"), &question["arguments"])
            .await?;
        same(found, &question["texts"]["initialize"], "text")?;
        let left = s
            .handler
            .answers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .len();
        same(left, &json!(0), "answers that were not asked for")?;
    }
    Ok(())
}

async fn cancellation(s: &Session) -> Checked {
    let wanted = &s.expected["cancellation"];
    let before = s.heard();
    let call = s.begin(text(wanted, "tool"), &wanted["arguments"]).await?;
    s.told(before, |told| !told.is_empty()).await?;
    call.cancel(Some("the user changed their mind".to_owned()))
        .await?;
    let after = &wanted["after"];
    let found = s
        .call_text(text(after, "tool"), &after["arguments"])
        .await?;
    same(found, &after["text"], "text")
}

async fn many(s: &Session) -> Checked {
    let number = s.expected["many"].as_u64().unwrap_or_default();
    let mut handles = Vec::new();
    for n in 0..number {
        handles.push(s.begin("add", &json!({"a": n, "b": 1000 * n})).await?);
    }
    for (n, handle) in (0..).zip(handles) {
        let result = serde_json::to_value(handle.await_response().await?)?;
        same(
            only_text(&result)?,
            &json!((1001 * n).to_string()),
            "answer",
        )?;
    }
    Ok(())
}

#[expect(
    deprecated,
    reason = "`subscribe` belongs to the revisions that this client speaks"
)]
async fn pushes(s: &Session) -> Checked {
    for push in list(&s.expected, "pushes") {
        let uri = push["subscribe"].as_str().map(str::to_owned);
        if let Some(uri) = &uri {
            s.client
                .subscribe(SubscribeRequestParams::new(uri.clone()))
                .await?;
        }
        let before = s.heard();
        s.call("announce", &json!({"what": push["announce"]}))
            .await?;
        let wanted = Told::Changed(text(push, "method").to_owned(), uri);
        s.told(before, |told| told.contains(&wanted)).await?;
    }
    Ok(())
}
