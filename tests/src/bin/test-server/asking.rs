//! The counter of the library, where functions ask their client in the middle; in a group of its own, as the library is.
//!
//! What comes back tells what was answered, and how often something ran, since a client sees neither.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex};

use mcp_runtime::prelude::*;
use mcp_runtime::sampling::CreateMessageRequest;

/// How a book is handed out.
#[derive(ElicitForm, Debug)]
enum Delivery {
    Counter,
    /// On a bicycle.
    #[form(rename = "bike")]
    Bicycle,
}

/// What somebody reads.
#[derive(ElicitForm, Debug)]
enum Genre {
    Novels,
    Poems,
    Essays,
}

/// Who wants to read, with a field of each kind.
#[derive(ElicitForm)]
struct Reader {
    /// As it stands on the card.
    #[form(length(1..=40))]
    name: String,
    #[form(format = "email")]
    email: Option<String>,
    #[form(range(1..=130))]
    age: u8,
    height: f64,
    #[form(default = true)]
    letters: bool,
    #[form(default = Delivery::Counter)]
    delivery: Delivery,
    #[form(items(1..=2))]
    reads: Vec<Genre>,
}

/// Something to agree to.
#[derive(ElicitForm, Debug)]
struct Agreed {
    yes: bool,
}

/// How long a book is kept.
#[derive(ElicitForm)]
struct Kept {
    #[form(range(1..=8))]
    weeks: u8,
}

/// Write a card for a reader who fills in a form.
#[mcp_tool(group = "asking")]
async fn write_card(ctx: &Context) -> Result<String, ToolError> {
    Ok(
        match ctx.elicit::<Reader>("reader", "Who are you?").await? {
            ElicitOutcome::Accepted(Reader {
                name,
                email,
                age,
                height,
                letters,
                delivery,
                reads,
            }) => format!(
                "{name}, {email:?}, {age}, {height} m, letters: {letters}, {delivery:?}, {reads:?}"
            ),
            ElicitOutcome::Declined => "no card, as you wish".to_owned(),
            ElicitOutcome::Cancelled => "no card for now".to_owned(),
        },
    )
}

/// How often each borrowing ran, and how often its step did.
static RUNS: LazyLock<Mutex<BTreeMap<String, [u32; 2]>>> = LazyLock::new(Mutex::default);

fn count(label: &str, which: usize) -> Result<[u32; 2], ToolError> {
    let mut runs = RUNS.lock()?;
    let counts = runs.entry(label.to_owned()).or_default();
    counts[which] += 1;
    Ok(*counts)
}

/// Borrow a book: one question, another one, a step, and two questions at once.
#[mcp_tool(group = "asking")]
async fn borrow(
    /// The book.
    book: &str,
    ctx: &Context,
) -> Result<String, ToolError> {
    let [runs, _] = count(book, 0)?;
    ctx.progress(1.0);
    let rules = ctx
        .elicit::<Agreed>("rules", "Do you keep the rules?")
        .await?;
    let kept = ctx.elicit::<Kept>("kept", "For how long?").await?;
    let stamp = async { count(book, 1).map(|[_, steps]| steps) };
    let stamp = ctx.once("stamp", stamp).await?;
    ctx.progress(2.0);
    let (wrapped, marked) = tokio::try_join!(
        ctx.elicit::<Agreed>("wrapped", "Shall I wrap it?"),
        ctx.elicit::<Agreed>("marked", "Do you want a bookmark?"),
    )?;
    let yes = |answer: ElicitOutcome<Agreed>| answer.accepted().map(|agreed| agreed.yes);
    let (rules, wrapped, marked) = (yes(rules), yes(wrapped), yes(marked));
    let weeks = kept.accepted().map(|kept| kept.weeks);
    Ok(format!(
        "{book}: rules {rules:?}, weeks {weeks:?}, wrapped {wrapped:?}, marked {marked:?}; run {runs}, stamp {stamp}"
    ))
}

/// Pay a fine on a page of its own.
#[mcp_tool(group = "asking")]
async fn pay_fine(ctx: &Context) -> Result<String, ToolError> {
    let page = "https://library.example/fines/7";
    let paid = ctx.elicit_url("fine", "Pay your fine.", page).await?;
    Ok(format!("{paid:?}"))
}

/// Let the client's model sum up a book.
#[mcp_tool(group = "asking")]
async fn sum_up(
    /// The book.
    book: &str,
    ctx: &Context,
) -> Result<String, ToolError> {
    let question = CreateMessageRequest::new(20).user(format!("Sum up {book}."));
    Ok(ctx.sample("summary", question).await?.text())
}

/// Name the folders that the client works on.
#[mcp_tool(group = "asking")]
async fn name_folders(ctx: &Context) -> Result<String, ToolError> {
    let roots = ctx.list_roots("folders").await?;
    let uris: Vec<_> = roots.into_iter().map(|root| root.uri).collect();
    Ok(uris.join(" "))
}

/// Bind a book anew, as a task where the client knows tasks.
#[mcp_tool(group = "asking", task)]
async fn bind_book(ctx: &Context) -> Result<String, ToolError> {
    ctx.status("choosing the leather");
    let red = ctx.elicit::<Agreed>("red", "In red?").await?;
    Ok(format!("{red:?}"))
}

/// Borrowed a book to another library, as a task once somebody looks after it.
#[mcp_tool(group = "asking", task = "deferred")]
async fn lend_abroad(ctx: &Context) -> Result<String, ToolError> {
    let keeper = ctx
        .elicit::<Agreed>("keeper", "Do you look after it?")
        .await?;
    ctx.into_task().await?;
    Ok(format!("{keeper:?}"))
}

/// Copy a book by hand, as a task or not at all.
#[mcp_tool(group = "asking", task = "required")]
async fn copy_book() -> &'static str {
    "copied"
}

/// Praise a book, as the user wants it.
#[mcp_prompt(group = "asking")]
async fn praise(
    /// The book.
    book: &str,
    ctx: &Context,
) -> Result<String, ToolError> {
    let loudly = ctx.elicit::<Agreed>("loudly", "Loudly?").await?;
    Ok(format!("Praise {book}: {loudly:?}."))
}

/// What is on the closed shelves, for those who ask twice.
#[mcp_resource("library://closed", group = "asking", mime_type = "text/plain")]
async fn closed(ctx: &Context) -> Result<String, ResourceError> {
    let sure = ctx.elicit::<Agreed>("sure", "Are you sure?").await?;
    Ok(format!("{sure:?}"))
}
