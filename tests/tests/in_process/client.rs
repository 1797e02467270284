//! The client in the same process: what it answers, what it tells, and what it cannot answer.

use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_runtime::prelude::*;
use mcp_runtime::{
    Principal,
    client::{Capability, Client, ClientError, Root},
    context::{ErrorObject, LoggingLevel},
    sampling::CreateMessageRequest,
};
use serde_json::{Value, json};

#[derive(ElicitForm)]
struct Confirm {
    /// Is that what you want?
    yes: bool,
}

#[derive(ElicitForm)]
struct Name {
    #[form(length(1..=20))]
    name: String,
}

/// Delete a project after asking the user.
#[mcp_tool(destructive, group = "client")]
async fn delete_project(name: String, ctx: &Context) -> Result<String, ToolError> {
    match ctx
        .elicit::<Confirm>("confirm", format!("Delete {name}?"))
        .await?
    {
        ElicitOutcome::Accepted(answer) if answer.yes => Ok(format!("{name} deleted")),
        ElicitOutcome::Cancelled => Ok("left".into()),
        _ => Ok("kept".into()),
    }
}

/// Ask for names, one after the other.
#[mcp_tool(group = "client")]
async fn names(count: usize, ctx: &Context) -> Result<String, ToolError> {
    let mut names = Vec::new();
    for _ in 0..count {
        // A timer of the runtime, which must not end a round.
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        let name = ctx.elicit::<Name>("name", "A name?").await?;
        names.extend(name.accepted().map(|name| name.name));
    }
    Ok(names.join(" "))
}

#[mcp_type]
#[derive(Debug, PartialEq)]
struct Everything {
    visited: bool,
    greeting: String,
    root: String,
    who: String,
}

/// Ask everything at once.
#[mcp_tool(group = "client")]
async fn everything(ctx: &Context) -> Result<Everything, ToolError> {
    let (visited, greeting, roots) = tokio::try_join!(
        ctx.elicit_url("visit", "Look at this.", "https://example.com/"),
        ctx.sample("greeting", CreateMessageRequest::new(50).user("Greet.")),
        ctx.list_roots("roots"),
    )?;
    Ok(Everything {
        visited: visited == ElicitOutcome::Accepted(()),
        greeting: greeting.text(),
        root: roots[0].uri.clone(),
        who: ctx.principal().map_or("", Principal::id).to_owned(),
    })
}

/// Ask by returning the question, for ever.
#[mcp_tool(group = "client")]
fn insist(_ctx: &Context) -> Result<String, InputRequired> {
    Err(InputRequired::elicit::<Confirm>("confirm", "Really?"))
}

/// Tell how it goes.
#[mcp_tool(group = "client")]
async fn tell(ctx: &Context) -> Result<(), ToolError> {
    ctx.progress((1.0, 2.0));
    ctx.log(LoggingLevel::Info, "half way");
    tokio::task::yield_now().await;
    ctx.progress((2.0, 2.0));
    ctx.log(LoggingLevel::Error, json!({"left": 0}));
    Ok(())
}

/// Ask as a task.
#[mcp_tool(task = "required", group = "client")]
async fn deploy(ctx: &Context) -> Result<String, ToolError> {
    let name = ctx.elicit::<Name>("name", "Which?").await?;
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    match (
        name,
        ctx.elicit::<Confirm>("confirm", "Really?")
            .await?
            .accepted(),
    ) {
        (ElicitOutcome::Accepted(name), Some(answer)) if answer.yes => {
            Ok(format!("{} deployed", name.name))
        }
        _ => Err(ToolError::new("nothing to deploy")),
    }
}

/// A prompt that asks.
#[mcp_prompt(group = "client")]
async fn praise(topic: String, ctx: &Context) -> Result<String, ToolError> {
    let name = ctx.elicit::<Name>("name", "By whom?").await?;
    let name = name.accepted().map(|name| name.name);
    Ok(format!("{topic}, by {}", name.unwrap_or_default()))
}

/// A resource that asks.
#[mcp_resource("diary://{day}", group = "client")]
async fn diary(day: u32, ctx: &Context) -> Result<String, ResourceError> {
    let confirm = ctx.elicit::<Confirm>("confirm", "Is it yours?").await?;
    Ok(format!("day {day}: {}", confirm.accepted().is_some()))
}

fn server() -> Server {
    mcp_runtime::server!()
        .groups(["client"])
        .state(AtomicUsize::new(0))
        .build()
        .unwrap()
}

fn delete(client: &Client) -> Result<String, ClientError> {
    let outcome = client.call_blocking("delete_project", json!({"name": "apollo"}))?;
    Ok(outcome.text())
}

#[test]
fn a_question_is_answered_by_its_key() {
    let server = server();
    let client = server.client().answer("confirm", json!({"yes": true}));
    let outcome = client
        .call_blocking("delete_project", json!({"name": "apollo"}))
        .unwrap();
    assert_eq!(outcome.text(), "apollo deleted");
    assert!(!outcome.is_error());
    let [asked] = outcome.asked() else {
        panic!("{:?}", outcome.asked());
    };
    assert_eq!(asked.key(), "confirm");
    assert_eq!(asked.method(), "elicitation/create");
    assert_eq!(asked.message(), Some("Delete apollo?"));
    assert_eq!(asked.url(), None);
    let form = asked.requested_schema().unwrap();
    assert_eq!(form["properties"]["yes"]["type"], "boolean");

    let no = server.client().answer("confirm", json!({"yes": false}));
    assert_eq!(delete(&no).unwrap(), "kept");
    assert_eq!(delete(&server.client().decline("confirm")).unwrap(), "kept");
    assert_eq!(delete(&server.client().cancel("confirm")).unwrap(), "left");
}

#[test]
fn what_has_no_answer_is_an_error_that_tells_the_question() {
    let client = server().client().answer("other", json!({}));
    let error = delete(&client).unwrap_err();
    assert!(matches!(&error, ClientError::Unanswered(asked) if asked.key() == "confirm"));
    let text = "nothing answers `confirm`: Delete apollo? (fields: `yes`)";
    assert_eq!(error.to_string(), text);
    assert_eq!(format!("{error:?}"), text);
}

#[test]
fn a_client_without_answers_is_asked_nothing() {
    let outcome = server()
        .client()
        .call_blocking("delete_project", json!({"name": "apollo"}))
        .unwrap();
    let error = outcome.error().unwrap();
    assert_eq!(error["code"], -32021);
    assert!(outcome.asked().is_empty());
}

#[test]
fn the_capabilities_that_are_said_are_those_that_count() {
    let client = server().client().answer("confirm", json!({"yes": true}));
    let url = client.clone().capabilities([Capability::ElicitationUrl]);
    let outcome = url
        .call_blocking("delete_project", json!({"name": "apollo"}))
        .unwrap();
    assert_eq!(outcome.error().unwrap()["code"], -32021);
    let form = client.capabilities([Capability::ElicitationForm]);
    assert_eq!(delete(&form).unwrap(), "apollo deleted");
}

#[test]
fn a_key_has_one_answer_for_ever_or_several_in_their_order() {
    let server = server();
    let ask =
        |client: Client, count: usize| client.call_blocking("names", json!({ "count": count }));
    let ada = server.client().answer("name", json!({"name": "Ada"}));
    let outcome = ask(ada.clone(), 3).unwrap();
    assert_eq!(outcome.text(), "Ada Ada Ada");
    let keys: Vec<_> = outcome.asked().iter().map(|asked| asked.key()).collect();
    assert_eq!(keys, ["name", "name#2", "name#3"]);

    let both = ada.answer("name", json!({"name": "Bob"}));
    assert_eq!(ask(both.clone(), 2).unwrap().text(), "Ada Bob");
    // Each request begins with the first.
    assert_eq!(ask(both.clone(), 1).unwrap().text(), "Ada");
    let error = ask(both.clone(), 3).unwrap_err();
    assert_eq!(
        error.to_string(),
        "all 2 answers have been given before `name#3`: A name? (fields: `name`)"
    );
    // A number of its own goes first.
    let own = both.answer("name#3", json!({"name": "Eve"}));
    assert_eq!(ask(own, 3).unwrap().text(), "Ada Bob Eve");
}

#[test]
fn an_answer_that_does_not_fit_is_asked_for_again() {
    let client = server()
        .client()
        .answer("name", json!({"name": ""}))
        .answer("name", json!({"name": "Ada"}));
    let outcome = client.call_blocking("names", json!({"count": 1})).unwrap();
    assert_eq!(outcome.text(), "Ada");
    assert_eq!(outcome.asked().len(), 2);
}

/// Ask for four sizes.
#[mcp_tool(group = "client")]
async fn measure(ctx: &Context) -> Result<String, ToolError> {
    #[derive(ElicitForm)]
    struct Sizes {
        width: Option<u8>,
        depth: Option<u8>,
        length: Option<u8>,
        height: u8,
    }
    let sizes = ctx.elicit::<Sizes>("sizes", "Which sizes?").await?;
    let sum = sizes.accepted().map(|it| {
        it.height
            + [it.width, it.depth, it.length]
                .into_iter()
                .flatten()
                .sum::<u8>()
    });
    Ok(format!("{sum:?}"))
}

#[test]
fn who_is_asked_again_is_told_all_that_is_wrong_and_first_what_is_missing() {
    let wrong = json!({"width": 300, "depth": -1, "length": 1.5});
    let client = server()
        .client()
        .answer("sizes", wrong)
        .answer("sizes", json!({"width": 1, "height": 2}));
    let outcome = client.call_blocking("measure", json!({})).unwrap();
    assert_eq!(outcome.text(), "Some(3)");
    let range = "expected an integer from 0 to 255";
    assert_eq!(
        outcome.asked()[1].message().unwrap(),
        format!(
            "Which sizes? (the required member `height` is missing; `depth`: {range}, found -1; `depth` may be left out; \
             `length`: expected an integer, found 1.5; `length` may be left out; `width`: {range}, found 300; `width` may \
             be left out)"
        )
    );
}

#[test]
fn an_answer_that_never_fits_is_an_error_that_tells_the_form() {
    let server = server();
    let client = server.client().answer("confirm", json!({"yess": true}));
    let error = delete(&client).unwrap_err();
    let ClientError::TooManyRounds { asked, rounds } = &error else {
        panic!("{error}");
    };
    assert_eq!((asked.key(), *rounds), ("confirm", 11));
    let text = error.to_string();
    assert!(text.contains("(fields: `yes`)"), "{text}");
    // A task has an end of its own, which says so.
    let client = server.client().tasks().answer("name", json!({"nam": ""}));
    let outcome = client.call_blocking("deploy", json!({})).unwrap();
    let text = outcome.text();
    assert!(
        text.starts_with("`name` is not answered after 10 attempts"),
        "{text}"
    );
}

#[test]
fn several_questions_of_all_kinds_are_answered_together() {
    let root: Root = serde_json::from_value(json!({"uri": "file:///home"})).unwrap();
    let outcome = server()
        .client()
        .principal(&Principal::new("ada"))
        .answer("visit", json!(null))
        .sampling(
            "greeting",
            json!({"role": "assistant", "content": {"type": "text", "text": "Hi"}, "model": "m"}),
        )
        .roots("roots", [root])
        .call_blocking("everything", json!({}))
        .unwrap();
    let everything: Everything = outcome.structured_as().unwrap();
    assert_eq!(
        everything,
        Everything {
            visited: true,
            greeting: "Hi".into(),
            root: "file:///home".into(),
            who: "ada".into(),
        }
    );
    assert_eq!(outcome.asked().len(), 3);
    let visit = outcome.asked().iter().find(|asked| asked.key() == "visit");
    assert_eq!(visit.unwrap().url(), Some("https://example.com/"));
}

#[test]
fn who_asks_for_ever_is_not_answered_for_ever() {
    let client = server().client().answer("confirm", json!({"yes": true}));
    let error = client.call_blocking("insist", json!({})).unwrap_err();
    assert!(
        matches!(&error, ClientError::TooManyRounds { rounds: 100, .. }),
        "{error}"
    );
    assert_eq!(
        error.to_string(),
        "the request is not done after 100 rounds, and asks `confirm`: Really? (fields: `yes`); \
         its answers do not fit what is asked, or the function goes on asking"
    );
}

/// Ask by returning the same question three times, and fail then.
#[mcp_tool(group = "client")]
fn insist_and_fail(asked: State<AtomicUsize>, _ctx: &Context) -> Result<String, ToolError> {
    if asked.fetch_add(1, Ordering::Relaxed) < 3 {
        return Err(InputRequired::elicit::<Confirm>("confirm", "Really?").into());
    }
    Err(ToolError::request(ErrorObject::new(
        -32_603,
        "no quota left",
    )))
}

#[test]
fn a_failure_after_many_questions_is_the_outcome() {
    let client = server().client().answer("confirm", json!({"yes": true}));
    let outcome = client.call_blocking("insist_and_fail", json!({})).unwrap();
    assert_eq!(outcome.text(), "no quota left");
    assert_eq!(outcome.asked().len(), 3);
}

#[test]
fn progress_and_log_messages_are_told() {
    let server = server();
    let outcome = server.client().call_blocking("tell", json!({})).unwrap();
    let progress: Vec<_> = outcome
        .progress()
        .map(|params| (params["progress"].clone(), params["total"].clone()))
        .collect();
    assert_eq!(
        progress,
        [(json!(1.0), json!(2.0)), (json!(2.0), json!(2.0))]
    );
    let logged: Vec<_> = outcome
        .log_messages()
        .map(|params| (params["level"].as_str().unwrap(), params["data"].clone()))
        .collect();
    assert_eq!(
        logged,
        [("info", json!("half way")), ("error", json!({"left": 0}))]
    );
    let methods = outcome.notifications().iter().map(|told| &told["method"]);
    assert_eq!(
        methods.collect::<Vec<_>>(),
        [
            "notifications/progress",
            "notifications/message",
            "notifications/progress",
            "notifications/message"
        ]
    );
    let errors = server.client().log_level(LoggingLevel::Error);
    let outcome = errors.call_blocking("tell", json!({})).unwrap();
    assert_eq!(outcome.log_messages().count(), 1);
    let outcome = errors
        .log_level(None)
        .call_blocking("tell", json!({}))
        .unwrap();
    assert_eq!(outcome.log_messages().count(), 0);
}

#[test]
fn a_task_is_followed_to_its_end() {
    let server = server();
    let client = server
        .client()
        .answer("name", json!({"name": "shop"}))
        .answer("confirm", json!({"yes": true}));
    let outcome = client.call_blocking("deploy", json!({})).unwrap();
    assert_eq!(outcome.error().unwrap()["code"], -32021);
    let client = client.tasks();
    let outcome = client.call_blocking("deploy", json!({})).unwrap();
    assert_eq!(outcome.text(), "shop deployed");
    let keys: Vec<_> = outcome.asked().iter().map(|asked| asked.key()).collect();
    assert_eq!(keys, ["name", "confirm"]);
    let declined = server.client().tasks().decline("name").decline("confirm");
    let outcome = declined.call_blocking("deploy", json!({})).unwrap();
    assert!(outcome.is_error());
    assert_eq!(outcome.text(), "Error: nothing to deploy");
    let silent = server.client().tasks().decline("name");
    let error = silent.call_blocking("deploy", json!({})).unwrap_err();
    assert!(matches!(&error, ClientError::Unanswered(asked) if asked.key() == "confirm"));
}

#[test]
fn prompts_and_resources_ask_too() {
    let server = server();
    let client = server.client().answer("name", json!({"name": "Ada"}));
    let outcome = client
        .get_prompt_blocking("praise", json!({"topic": "otters"}))
        .unwrap();
    let messages = serde_json::to_value(outcome.messages()).unwrap();
    assert_eq!(messages[0]["content"]["text"], "otters, by Ada");
    let outcome = server
        .client()
        .decline("confirm")
        .read_resource_blocking("diary://3");
    let contents = serde_json::to_value(outcome.unwrap().contents()).unwrap();
    assert_eq!(contents[0]["text"], "day 3: false");
}

#[tokio::test]
async fn everything_goes_on_in_the_runtime_of_the_caller() {
    let server = server();
    let client = server
        .client()
        .tasks()
        .answer("name", json!({"name": "shop"}))
        .answer("confirm", json!({"yes": true}));
    let arguments = json!({"topic": "otters"});
    let prompt = client.get_prompt("praise", arguments.clone()).await;
    assert_eq!(prompt.unwrap().messages().len(), 1);
    let resource = client.read_resource("diary://3").await;
    assert_eq!(resource.unwrap().contents().len(), 1);
    let names = client.call("names", json!({"count": 2})).await;
    assert_eq!(names.unwrap().text(), "shop shop");
    let task = {
        let client = client.clone();
        tokio::spawn(async move { client.call("deploy", json!({})).await })
    };
    assert_eq!(task.await.unwrap().unwrap().text(), "shop deployed");
    // Where the caller cannot wait with `await`, it is blocked.
    let task = client.call_blocking("deploy", json!({})).unwrap();
    assert_eq!(task.text(), "shop deployed");
    let prompt = client.get_prompt_blocking("praise", arguments).unwrap();
    assert_eq!(prompt.asked().len(), 1);
}

#[test]
fn structure_is_read_into_its_type_or_the_text_says_why_not() {
    let server = server();
    let outcome = server.call_blocking("everything", json!({"odd": 1}));
    let error = outcome.structured_as::<Everything>().unwrap_err();
    let text = error.to_string();
    assert!(text.contains("unknown argument `odd`"), "{text}");
    let refused: Result<Value, _> = server.call_blocking("nothing", json!({})).structured_as();
    let text = refused.unwrap_err().to_string();
    assert!(text.contains("Unknown tool: nothing"), "{text}");
}

/// Tell a thing.
#[mcp_resource("thing://one", group = "client")]
fn thing() -> &'static str {
    "one"
}

/// Paint in a color.
#[mcp_prompt(group = "client")]
fn paint(#[arg(complete(colors, inline))] color: String) -> String {
    format!("Paint it {color}.")
}

fn colors(start: &str) -> Vec<&'static str> {
    let colors = ["red", "rose", "green"].into_iter();
    colors.filter(|color| color.starts_with(start)).collect()
}

fn names_of(items: &[Value]) -> Vec<&str> {
    let names = items.iter().map(|item| item["name"].as_str());
    names.map(Option::unwrap).collect()
}

#[tokio::test]
async fn lists_come_from_all_pages() {
    let server = mcp_runtime::server!()
        .groups(["client"])
        .state(AtomicUsize::new(0))
        .page_size(1)
        .build()
        .unwrap();
    let client = server.client();
    let tools = client.list_tools().await.unwrap();
    let found = names_of(&tools);
    assert!(found.len() > 5 && found.is_sorted(), "{found:?}");
    assert_eq!(tools, client.list_tools_blocking().unwrap());
    let prompts = client.list_prompts().await.unwrap();
    assert_eq!(names_of(&prompts), ["paint", "praise"]);
    assert_eq!(prompts, client.list_prompts_blocking().unwrap());
    let resources = client.list_resources().await.unwrap();
    assert_eq!(resources[0]["uri"], "thing://one");
    assert_eq!(resources, client.list_resources_blocking().unwrap());
    let templates = client.list_resource_templates().await.unwrap();
    assert_eq!(templates[0]["uriTemplate"], "diary://{day}");
    assert_eq!(
        templates,
        client.list_resource_templates_blocking().unwrap()
    );
}

#[tokio::test]
async fn arguments_are_completed() {
    let client = server().client();
    let completed = client.complete_prompt("paint", "color", "r", json!({}));
    let completed = completed.await.unwrap();
    assert_eq!(completed["values"], json!(["red", "rose"]));
    assert_eq!(completed["total"], 2);
    let blocking = client.complete_prompt_blocking("paint", "color", "r", json!({}));
    assert_eq!(blocking.unwrap(), completed);
    let completed = client.complete_resource("diary://{day}", "day", "1", json!({}));
    assert_eq!(completed.await.unwrap()["values"], json!([]));
    let refused = client.complete_resource_blocking("none://{day}", "day", "1", json!({}));
    let error = refused.unwrap_err();
    let ClientError::Refused(refused) = &error else {
        panic!("{error}");
    };
    assert_eq!(refused.code, -32602);
    let text = error.to_string();
    assert!(
        text.starts_with("the server refused the request: "),
        "{text}"
    );
}

#[tokio::test]
async fn changes_are_heard() {
    let server = server();
    let client = server.client();
    let filter = json!({
        "toolsListChanged": true,
        "promptsListChanged": false,
        "resourceSubscriptions": ["thing://one"],
    });
    let mut changes = client.listen(filter).await.unwrap();
    assert_eq!(
        *changes.honored(),
        json!({"toolsListChanged": true, "resourceSubscriptions": ["thing://one"]})
    );
    let none = client.listen_blocking(json!({})).unwrap();
    assert_eq!(*none.honored(), json!({}));
    server.notify().resource_updated("thing://one");
    let updated = changes.next().await.unwrap();
    assert_eq!(updated["method"], "notifications/resources/updated");
    assert_eq!(updated["params"]["uri"], "thing://one");
    let schema = json!({"type": "object", "properties": {}});
    let handler = |_: Value| Ok::<_, ToolError>("new");
    server
        .register_tool("new", "New.", schema, handler)
        .unwrap();
    // The calling thread drives a runtime, which may wait.
    let changed = changes.next_blocking().unwrap();
    assert_eq!(changed["method"], "notifications/tools/list_changed");
    let refused = client.listen(json!(1)).await.unwrap_err();
    assert!(matches!(&refused, ClientError::Refused(error) if error.code == -32602));
}

#[tokio::test]
async fn the_states_of_a_task_are_heard() {
    let server = server();
    let client = server.client().tasks();
    let request = |method: &str, mut params: Value| {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {
                "elicitation": {"form": {}},
                "extensions": {"io.modelcontextprotocol/tasks": {}},
            },
        });
        json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    };
    let begun = request("tools/call", json!({"name": "deploy"}));
    let begun = server.handle(&begun).await.unwrap();
    let id = &begun["result"]["taskId"];
    let mut changes = client.listen(json!({"taskIds": [id]})).await.unwrap();
    loop {
        let told = changes.next().await.unwrap();
        assert_eq!(told["method"], "notifications/tasks");
        match told["params"]["status"].as_str().unwrap() {
            "input_required" => {
                let declined =
                    json!({"name": {"action": "decline"}, "confirm": {"action": "decline"}});
                let update = json!({"taskId": id, "inputResponses": declined});
                server.handle(&request("tasks/update", update)).await;
            }
            "completed" => break,
            other => assert_eq!(other, "working"),
        }
    }
}
