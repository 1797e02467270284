//! Expansions are silent under the strictest lints, and lints of the user's still see the function.
//!
//! Clippy's groups count when Clippy runs over the tests.

#![deny(
    warnings,
    missing_docs,
    unused,
    unreachable_pub,
    unused_qualifications,
    unused_results,
    elided_lifetimes_in_paths,
    missing_debug_implementations,
    non_ascii_idents,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unused_import_braces,
    unused_lifetimes,
    variant_size_differences,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
#![forbid(unsafe_code, deprecated_in_future, unused_imports, clippy::unwrap_used)]

use mcp_runtime::prelude::*;
use serde_json::json;

/// A place.
#[mcp_type]
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// Its name.
    pub name: String,
    /// Its number.
    pub number: Option<u32>,
}

/// Add.
#[mcp_tool(read_only, destructive = false, idempotent, open_world = false, title = "Sum", icons(icon(src = "https://example.com/icon.png")), meta("a" = [1]))]
#[must_use]
pub const fn add(
    /// First addend.
    #[arg(default = 1, range(0..=9), example = 2)]
    a: i64,
    b: i64,
) -> i64 {
    a + b
}

/// Find.
///
/// # Errors
///
/// There is no such place.
#[mcp_tool(timeout = "1s")]
#[allow(clippy::unused_async, reason = "it is about the expansion")]
pub async fn find(
    #[arg(default = "here", length(1..), pattern = "^[a-z]+$", header = "Name")] name: &str,
    #[arg(default)] number: u32,
    limit: Option<u8>,
    context: &Context,
) -> Result<Vec<Place>, ToolError> {
    let _ = (limit, context);
    Ok(vec![Place {
        name: name.to_owned(),
        number: Some(number),
    }])
}

/// Old.
#[deprecated]
#[mcp_tool]
pub const fn old() {}

/// Takes what is old.
#[allow(deprecated, reason = "it is about the expansion")]
#[mcp_tool]
#[must_use]
pub const fn takes_old(value: Old) -> Old {
    value
}

/// Old.
#[deprecated]
pub type Old = Place;

/// Read a place.
///
/// # Errors
///
/// There is no such place.
#[mcp_resource("places://{name}{?number}", title = "Place", mime_type = "application/json", ttl = "1m", annotations(audience = ["user"], priority = 0.5))]
pub fn place(
    #[arg(complete = names)] name: &str,
    number: Option<u32>,
    context: &Context,
) -> Result<Json<Place>, ResourceError> {
    let _ = context;
    Ok(Json(Place {
        name: name.to_owned(),
        number,
    }))
}

/// The list of all places.
#[mcp_resource("places://all", size = 2)]
#[must_use]
pub const fn all_places() -> &'static str {
    "[]"
}

/// Describe a place.
#[mcp_prompt(
    title = "Description",
    icons(icon(src = "https://example.com/icon.png"))
)]
#[allow(clippy::unused_async, reason = "it is about the expansion")]
pub async fn describe(
    /// Its name.
    #[arg(complete = names)]
    name: String,
    #[arg(default = 1)] number: u32,
) -> Vec<PromptMessage> {
    vec![PromptMessage::user(format!("Describe {name} {number}."))]
}

/// Names that begin with a text.
#[must_use]
pub fn names(typed: &str) -> Vec<String> {
    vec![format!("{typed}here")]
}

/// How a parcel comes.
#[derive(ElicitForm, Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delivery {
    /// By post.
    Post,
    /// Nobody does this any more.
    #[deprecated]
    Pigeon,
}

/// What a shop asks.
#[derive(ElicitForm, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Order {
    /// Your name.
    #[form(length(1..=80), default = "Ada")]
    pub name: String,
    /// How it comes.
    #[form(default = Delivery::Post)]
    pub delivery: Delivery,
    /// In kilogrammes.
    #[form(range(0.0..=1.0), default = 0.5)]
    pub weight: f32,
    /// All the ways.
    pub ways: Option<Vec<Delivery>>,
    /// Nobody asks this any more.
    #[deprecated]
    pub fax: Option<bool>,
}

/// Whether you agree.
#[derive(ElicitForm, Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Consent {}

#[test]
fn the_tools_work() -> Result<(), BuildError> {
    let server = mcp_runtime::server!().build()?;
    assert_eq!(server.call_blocking("add", json!({"b": 2})).text(), "3");
    let found = server.call_blocking("find", json!({}));
    assert_eq!(
        found.structured_content(),
        Some(&json!([{"name": "here", "number": 0}]))
    );
    Ok(())
}

#[test]
fn the_prompts_and_resources_work() -> Result<(), BuildError> {
    let server = mcp_runtime::server!().build()?;
    let contents = server.read_resource_blocking("places://here?number=2");
    assert_eq!(
        contents["contents"][0]["text"],
        r#"{"name":"here","number":2}"#
    );
    assert_eq!(
        server.read_resource_blocking("places://all")["contents"][0]["text"],
        "[]"
    );
    let messages = server.get_prompt_blocking("describe", json!({"name": "here"}));
    assert_eq!(
        messages["messages"][0]["content"]["text"],
        "Describe here 1."
    );
    Ok(())
}

#[test]
fn the_forms_work() -> Result<(), serde_json::Error> {
    let answer = serde_json::value::RawValue::from_string("{}".to_owned())?;
    let order = Order::from_content(&answer);
    assert!(order.is_ok_and(|order| order.name == "Ada" && order.delivery == Delivery::Post));
    assert_eq!(Consent::from_content(&answer), Ok(Consent {}));
    Ok(())
}
