//! The server that has the same conversations over every transport.
//!
//! Its items are in a group of their own, so that no other test's server gets them.

use mcp_runtime::prelude::*;

/// The server, ready to be built.
pub fn server() -> ServerBuilder {
    mcp_runtime::server!()
        .title("Conversations")
        .instructions("Ask for anything, over anything.")
        .groups(["conversation"])
}

/// Add two integers.
#[mcp_tool(group = "conversation", read_only)]
fn add(
    /// First addend.
    a: i64,
    /// Second addend.
    b: i64,
) -> i64 {
    a + b
}

/// A place and how to get there.
#[mcp_type]
struct Route {
    /// Where it ends.
    to: String,
    /// In kilometres.
    length: Option<f64>,
}

/// Find a way.
#[mcp_tool(group = "conversation", title = "Way finder", open_world = false)]
async fn find_way(
    /// Where to go.
    to: &str,
    /// By which means.
    #[arg(default = "foot", header = "Means")]
    means: String,
) -> Result<Route, ToolError> {
    match to {
        "the moon" => Err(ToolError::new(format!("nobody gets there by {means}"))),
        _ => Ok(Route {
            to: to.to_owned(),
            length: (means == "foot").then_some(1.5),
        }),
    }
}

/// A box, which may be in a box.
#[mcp_type]
struct Nested {
    /// What is in it.
    inside: Option<Box<Self>>,
}

/// Put boxes into each other.
#[mcp_tool(group = "conversation")]
fn nest(
    /// How many.
    boxes: u32,
) -> Nested {
    (1..boxes).fold(Nested { inside: None }, |inner, _| Nested {
        inside: Some(Box::new(inner)),
    })
}

/// Count up, with word of each number.
#[mcp_tool(group = "conversation")]
async fn count(
    /// The last number.
    #[arg(range(1..=9))]
    to: u32,
    ctx: &Context,
) -> u32 {
    for number in 1..=to {
        ctx.progress((number, to));
    }
    to
}

/// Panic.
#[mcp_tool(group = "conversation")]
fn fall() {
    panic!("this is for the log alone");
}

/// Show a picture between two texts.
#[mcp_tool(group = "conversation")]
fn show() -> Vec<ContentBlock> {
    vec![
        ContentBlock::text("a<b && c>d\u{2028}\u{1f980}"),
        ContentBlock::image(vec![0xff, 0xd8, 0xff], "image/jpeg"),
        ContentBlock::text(""),
    ]
}

/// The rules of the house.
#[mcp_resource("house://rules", group = "conversation", ttl = "1m")]
fn rules() -> String {
    "Be exact.".to_owned()
}

/// The door's key, in bytes.
#[mcp_resource(
    "house://key",
    group = "conversation",
    mime_type = "application/octet-stream",
    size = 3
)]
fn key() -> Vec<u8> {
    vec![0, 1, 255]
}

/// One room.
#[mcp_resource("house://rooms/{number}{?view}", group = "conversation")]
async fn room(
    #[arg(complete = numbers)] number: u8,
    view: Option<String>,
) -> Result<Json<Route>, ResourceError> {
    match number {
        0 => Err(ResourceError::not_found()),
        1..=9 => Ok(Json(Route {
            to: view.unwrap_or_else(|| format!("room {number}")),
            length: None,
        })),
        _ => Err(ResourceError::new("the house ends at room 9")),
    }
}

/// Greet somebody.
#[mcp_prompt(group = "conversation")]
fn greet(
    /// Whom to greet.
    name: &str,
    /// How.
    #[arg(default = "warmly", complete = manners)]
    manner: &str,
) -> Vec<PromptMessage> {
    vec![
        PromptMessage::user(format!("Greet {name} {manner}.")),
        PromptMessage::assistant("Hello."),
    ]
}

fn manners(typed: &str) -> Vec<String> {
    let manners = ["warmly", "formally", "with a wave"];
    let fitting = manners.iter().filter(|manner| manner.starts_with(typed));
    fitting.map(ToString::to_string).collect()
}

fn numbers(typed: &str) -> Vec<String> {
    (1..=9_u8)
        .map(|number| number.to_string())
        .filter(|number| number.starts_with(typed))
        .collect()
}

/// Whether to go on.
#[derive(ElicitForm)]
struct Confirm {
    /// Go on?
    go_on: bool,
}

/// Leave the house, after two questions.
#[mcp_tool(group = "conversation")]
async fn leave(
    /// By which door.
    door: String,
    ctx: &Context,
) -> Result<String, ToolError> {
    let warned = ctx.elicit::<Confirm>("cold", "It is cold outside.").await?;
    let opened = async { Ok::<_, ToolError>(format!("the {door} door")) };
    let opened = ctx.once("open", opened).await?;
    let (locked, seen) = tokio::try_join!(
        ctx.elicit::<Confirm>("lock", "Lock it?"),
        ctx.elicit_url("weather", "See the weather.", "https://example.com/weather"),
    )?;
    let told = [warned, locked].map(|answer| answer.accepted().map(|answer| answer.go_on));
    Ok(format!("{opened}: {told:?}, {seen:?}"))
}

/// A letter of recommendation.
#[mcp_prompt(group = "conversation")]
async fn recommend(ctx: &Context) -> Result<String, ToolError> {
    let sure = ctx.elicit::<Confirm>("sure", "Do you mean it?").await?;
    Ok(format!(
        "Recommend the house: {}",
        sure.accepted().is_some()
    ))
}
