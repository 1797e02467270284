//! What asks the client before it answers, as one straight line each.
//!
//! Where the suite wants a `requestState` there is a step whose result has to be remembered; without one there is nothing to
//! carry, and no state.

use mcp_runtime::prelude::*;
use mcp_runtime::{client::Capability, sampling::CreateMessageRequest};

/// A name.
#[derive(ElicitForm)]
pub(crate) struct Named {
    pub(crate) name: String,
}

/// A confirmation.
#[derive(ElicitForm)]
struct Confirmed {
    ok: bool,
}

/// A colour.
#[derive(ElicitForm)]
struct Coloured {
    color: String,
}

/// A user of the server.
#[derive(ElicitForm, Debug)]
#[expect(dead_code, reason = "the answer is shown as a whole")]
struct Contact {
    /// User's response
    username: String,
    /// User's email address
    #[form(format = "email")]
    email: String,
}

/// What a prompt is about.
#[derive(ElicitForm)]
struct About {
    context: String,
}

/// Greet the user by the name that they give.
#[mcp_tool]
async fn test_input_required_result_elicitation(ctx: &Context) -> Result<String, ToolError> {
    let named = ctx
        .elicit::<Named>("user_name", "What is your name?")
        .await?;
    Ok(match named.accepted() {
        Some(Named { name }) => format!("Hello, {name}!"),
        None => "Hello, whoever you are!".to_owned(),
    })
}

/// Ask without sending the client a request of the server's own.
#[mcp_tool]
async fn test_streaming_elicitation(ctx: &Context) -> Result<String, ToolError> {
    let confirmed = ctx.elicit::<Confirmed>("confirm", "Please confirm").await?;
    Ok(format!("confirmed: {}", is_confirmed(confirmed)))
}

/// Ask the client's model.
#[mcp_tool]
async fn test_input_required_result_sampling(ctx: &Context) -> Result<String, ToolError> {
    let question = CreateMessageRequest::new(100).user("What is the capital of France?");
    Ok(ctx.sample("capital_question", question).await?.text())
}

/// Ask the client's model what the caller wants to know.
#[mcp_tool]
async fn test_sampling(
    /// The question.
    prompt: &str,
    ctx: &Context,
) -> Result<String, ToolError> {
    let question = CreateMessageRequest::new(100).user(prompt);
    let answer = ctx.sample("answer", question).await?;
    Ok(format!("LLM response: {}", answer.text()))
}

/// Ask the user for a name and an address.
#[mcp_tool]
async fn test_elicitation(
    /// The text of the question.
    message: &str,
    ctx: &Context,
) -> Result<String, ToolError> {
    let contact = ctx.elicit::<Contact>("contact", message).await?;
    Ok(format!("User response: {contact:?}"))
}

/// Name the roots of the client.
#[mcp_tool]
async fn test_input_required_result_list_roots(ctx: &Context) -> Result<String, ToolError> {
    let roots = ctx.list_roots("client_roots").await?;
    let uris: Vec<_> = roots.into_iter().map(|root| root.uri).collect();
    Ok(format!("Roots: {}", uris.join(", ")))
}

/// Remember something over a question.
#[mcp_tool]
async fn test_input_required_result_request_state(ctx: &Context) -> Result<String, ToolError> {
    remember_over_a_question(ctx).await
}

/// Ask for everything at once.
#[mcp_tool]
async fn test_input_required_result_multiple_inputs(ctx: &Context) -> Result<String, ToolError> {
    let begun = ctx.once("begun", kept("All together")).await?;
    let (named, greeting, roots) = tokio::try_join!(
        ctx.elicit::<Named>("user_name", "What is your name?"),
        ctx.sample(
            "greeting",
            CreateMessageRequest::new(50).user("Generate a greeting")
        ),
        ctx.list_roots("client_roots"),
    )?;
    let name = named
        .accepted()
        .map_or_else(|| "somebody".to_owned(), |named| named.name);
    Ok(format!(
        "{begun}: {} {name}, of {} roots",
        greeting.text(),
        roots.len()
    ))
}

/// Ask one question after the other.
#[mcp_tool]
async fn test_input_required_result_multi_round(ctx: &Context) -> Result<String, ToolError> {
    let begun = ctx.once("begun", kept("In two steps")).await?;
    let named = ctx
        .elicit::<Named>("step1", "Step 1: What is your name?")
        .await?;
    let coloured = ctx
        .elicit::<Coloured>("step2", "Step 2: What is your favorite color?")
        .await?;
    let name = named.accepted().map(|named| named.name);
    let color = coloured.accepted().map(|coloured| coloured.color);
    Ok(format!("{begun}: {name:?} likes {color:?}"))
}

/// Remember something over a question, for a client that tampers with it.
#[mcp_tool]
async fn test_input_required_result_tampered_state(ctx: &Context) -> Result<String, ToolError> {
    remember_over_a_question(ctx).await
}

/// Ask for whatever the client can be asked for.
#[mcp_tool]
fn test_input_required_result_capabilities(ctx: &Context) -> Result<String, ToolError> {
    let answers = ctx.answers();
    let mut missing = Vec::new();
    if ctx.supports(&Capability::ElicitationForm)
        && answers.elicited::<Named>("user_name")?.is_none()
    {
        missing.push(InputRequired::elicit::<Named>(
            "user_name",
            "What is your name?",
        ));
    }
    if ctx.supports(&Capability::Sampling) && answers.sampled("greeting")?.is_none() {
        let question = CreateMessageRequest::new(50).user("Generate a greeting");
        missing.push(InputRequired::sample("greeting", question));
    }
    if ctx.supports(&Capability::Roots) && answers.roots("client_roots")?.is_none() {
        missing.push(InputRequired::list_roots("client_roots"));
    }
    match missing.into_iter().reduce(InputRequired::and) {
        Some(questions) => Err(questions.into()),
        None => Ok("Nothing is left to ask.".to_owned()),
    }
}

/// A prompt about what the user says.
#[mcp_prompt]
async fn test_input_required_result_prompt(ctx: &Context) -> Result<String, ToolError> {
    let about = ctx
        .elicit::<About>("user_context", "What context should the prompt use?")
        .await?;
    let context = about
        .accepted()
        .map_or_else(|| "nothing".to_owned(), |about| about.context);
    Ok(format!("Use this context: {context}"))
}

async fn remember_over_a_question(ctx: &Context) -> Result<String, ToolError> {
    let kept = ctx.once("kept", kept("state-ok")).await?;
    let confirmed = ctx.elicit::<Confirmed>("confirm", "Please confirm").await?;
    Ok(format!("{kept}, confirmed: {}", is_confirmed(confirmed)))
}

/// A step, so that there is something to remember.
async fn kept(text: &str) -> Result<String, ToolError> {
    Ok(text.to_owned())
}

fn is_confirmed(answer: ElicitOutcome<Confirmed>) -> bool {
    answer.accepted().is_some_and(|confirmed| confirmed.ok)
}
