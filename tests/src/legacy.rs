//! The server that clients of older revisions meet: a tool, a prompt or a resource for each difference.
//!
//! Its items are in a group of their own, so that no other test's server gets them.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use mcp_runtime::prelude::*;
use mcp_runtime::{
    content::{Icon, ResourceLink},
    context::{LoggingLevel, Progress},
    sampling::CreateMessageRequest,
};

/// The server, ready to be built.
pub fn server() -> ServerBuilder {
    mcp_runtime::server!()
        .title("Older clients")
        .description("A server for clients of all ages.")
        .website_url("https://example.com/")
        .icon(Icon::new("https://example.com/icon.png"))
        .instructions("Call anything.")
        .groups(["legacy"])
}

/// Add two integers.
#[mcp_tool(
    group = "legacy",
    title = "Sum",
    read_only,
    icons(icon(src = "https://example.com/add.png"))
)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Somebody to call.
#[mcp_type]
struct Contact {
    /// The name.
    name: String,
    /// A box in a box.
    boss: Option<Box<Self>>,
}

/// Two contacts in one record.
#[mcp_type]
struct Pair {
    first: Contact,
    second: Contact,
}

/// List pairs of contacts.
#[mcp_tool(group = "legacy")]
fn contacts() -> Vec<Pair> {
    let contact = |name: &str| Contact {
        name: name.to_owned(),
        boss: None,
    };
    vec![Pair {
        first: contact("Ada"),
        second: contact("Bob"),
    }]
}

/// Give one contact.
#[mcp_tool(group = "legacy")]
fn contact() -> Contact {
    Contact {
        name: "Ada".to_owned(),
        boss: None,
    }
}

/// Give content of each kind.
#[mcp_tool(group = "legacy")]
fn content() -> Vec<ContentBlock> {
    vec![
        ContentBlock::text("text"),
        ContentBlock::audio([1, 2, 3], "audio/wav"),
        ContentBlock::ResourceLink(ResourceLink::new("legacy://here", "here")),
    ]
}

/// Fail.
#[mcp_tool(group = "legacy")]
async fn fail() -> Result<String, ToolError> {
    Err(ToolError::new("it does not work"))
}

/// Say three things about the way, one of them again.
#[mcp_tool(group = "legacy")]
async fn say(ctx: &Context) -> &'static str {
    ctx.log(LoggingLevel::Debug, "a detail");
    ctx.log_as("here", LoggingLevel::Warning, "take care");
    ctx.progress(Progress::new(1.0).total(2.0).message("half"));
    "said"
}

/// Wait until the call is cancelled.
#[mcp_tool(group = "legacy")]
async fn wait(ctx: &Context) -> &'static str {
    ctx.progress(1);
    ctx.cancelled().await;
    "cancelled"
}

/// Tell clients of changes.
#[mcp_tool(group = "legacy")]
fn change(ctx: &Context) -> &'static str {
    ctx.notify().tools_list_changed();
    ctx.notify().resource_updated("legacy://here");
    "changed"
}

/// Text that is here.
#[mcp_resource("legacy://here", group = "legacy", title = "Here")]
fn here() -> &'static str {
    "here"
}

/// Text that is elsewhere.
#[mcp_resource("legacy://at/{place}", group = "legacy")]
fn at(#[arg(complete = places)] place: String) -> String {
    place
}

fn places(typed: &str) -> Vec<String> {
    let places = ["Utrecht", "Ulm"].into_iter();
    let fitting = places.filter(|place| place.starts_with(typed));
    fitting.map(str::to_owned).collect()
}

/// Greet somebody.
#[mcp_prompt(group = "legacy", title = "Greeting")]
fn greet(name: &str) -> Vec<PromptMessage> {
    vec![PromptMessage::user(format!("Greet {name}."))]
}

/// Who is asked.
#[derive(ElicitForm)]
struct Person {
    /// The name.
    #[form(length(2..=10))]
    name: String,
}

/// How often a function has run, to show that none runs twice.
static RUNS: AtomicU32 = AtomicU32::new(0);

/// Ask for a name.
#[mcp_tool(group = "legacy")]
async fn ask(ctx: &Context) -> Result<String, ToolError> {
    let run = RUNS.fetch_add(1, Ordering::Relaxed) + 1;
    let step = ctx.once("step", async { Ok::<_, ToolError>(run) }).await?;
    let answer = ctx.elicit::<Person>("person", "Who?").await?;
    let answer = match answer {
        ElicitOutcome::Accepted(person) => person.name,
        ElicitOutcome::Declined => "declined".to_owned(),
        ElicitOutcome::Cancelled => "cancelled".to_owned(),
    };
    Ok(format!(
        "{answer}, step {step}, run {}",
        RUNS.load(Ordering::Relaxed)
    ))
}

/// Ask for two names at once.
#[mcp_tool(group = "legacy")]
async fn ask_both(ctx: &Context) -> Result<String, ToolError> {
    let (first, second) = tokio::try_join!(
        ctx.elicit::<Person>("first", "First?"),
        ctx.elicit::<Person>("second", "Second?"),
    )?;
    let name = |answer: ElicitOutcome<Person>| answer.accepted().map(|person| person.name);
    Ok(format!("{:?} and {:?}", name(first), name(second)))
}

/// Ask by returning the question.
#[mcp_tool(group = "legacy")]
fn ask_by_returning(ctx: &Context) -> Result<String, ToolError> {
    match ctx.answers().elicited::<Person>("person")? {
        Some(answer) => Ok(format!("{:?}", answer.accepted().map(|it| it.name))),
        None => Err(InputRequired::elicit::<Person>("person", "Who?").into()),
    }
}

/// Send the user to a page.
#[mcp_tool(group = "legacy")]
async fn ask_url(ctx: &Context) -> Result<String, ToolError> {
    let seen = ctx
        .elicit_url("page", "See.", "https://example.com/")
        .await?;
    Ok(format!("{seen:?}"))
}

/// Ask the client's model.
#[mcp_tool(group = "legacy")]
async fn ask_model(ctx: &Context) -> Result<String, ToolError> {
    let result = ctx
        .sample("model", CreateMessageRequest::new(5).user("?"))
        .await?;
    Ok(result.text())
}

/// Ask for the roots.
#[mcp_tool(group = "legacy")]
async fn ask_roots(ctx: &Context) -> Result<Vec<String>, ToolError> {
    let roots = ctx.list_roots("roots").await?;
    Ok(roots.into_iter().map(|root| root.uri).collect())
}

/// What a job does.
#[mcp_type]
struct Report {
    /// Who asked for it.
    name: String,
}

/// Do a long job, and ask for a name in its middle.
#[mcp_tool(group = "legacy_task", task = "required")]
async fn job(ctx: &Context) -> Result<Report, ToolError> {
    // Longer than other calls may take.
    tokio::time::sleep(Duration::from_millis(50)).await;
    let answer = ctx.elicit::<Person>("person", "Who?").await?;
    match answer {
        ElicitOutcome::Accepted(person) => Ok(Report { name: person.name }),
        _ => Err(ToolError::new("nobody asked for the job")),
    }
}
