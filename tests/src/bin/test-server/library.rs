//! Resources, a template and a prompt, with completions; they have a group, since most tests are about tools alone.

use std::str::FromStr;

use mcp_runtime::prelude::*;

/// The rules of the library.
#[mcp_resource("library://rules", group = "library", mime_type = "text/plain")]
fn rules() -> &'static str {
    "Return every book. Não há exceções. 🦀"
}

/// Every byte there is.
#[mcp_resource(
    "library://bytes",
    group = "library",
    mime_type = "application/octet-stream"
)]
fn bytes() -> Vec<u8> {
    (0..=u8::MAX).collect()
}

/// A page of a book.
#[mcp_type]
struct Page {
    book: String,
    number: u16,
}

const BOOKS: [&str; 3] = ["emma", "middlemarch", "moby dick"];

/// One page of a book.
#[mcp_resource("library://books/{book}/{number}", group = "library")]
fn page(#[arg(complete = books)] book: String, number: u16) -> Option<Json<Page>> {
    BOOKS
        .contains(&book.as_str())
        .then_some(Json(Page { book, number }))
}

fn books(typed: &str) -> Vec<&'static str> {
    BOOKS
        .into_iter()
        .filter(|book| book.starts_with(typed))
        .collect()
}

/// How a recommendation sounds.
#[mcp_type]
#[derive(Clone, Copy)]
enum Tone {
    Warm,
    Terse,
}

impl FromStr for Tone {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "Warm" => Ok(Self::Warm),
            "Terse" => Ok(Self::Terse),
            _ => Err(format!("`{text}` is neither Warm nor Terse")),
        }
    }
}

/// Recommend a book.
#[mcp_prompt(group = "library")]
fn recommend(
    /// The book.
    #[arg(complete = books)]
    book: &str,
    /// A chapter to begin with.
    #[arg(complete = chapters)]
    chapter: Option<u16>,
    /// How it should sound.
    tone: Option<Tone>,
) -> Vec<PromptMessage> {
    let chapter = chapter.map_or_else(String::new, |chapter| {
        format!(", from chapter {chapter} on")
    });
    let tone = match tone {
        Some(Tone::Terse) => "in three words",
        Some(Tone::Warm) | None => "with warmth",
    };
    vec![
        PromptMessage::user(format!("Recommend {book}{chapter}, {tone}.")),
        PromptMessage::assistant("Gladly."),
    ]
}

/// The longer a book is, the more chapters it has.
fn chapters(typed: &str, completing: &CompletionContext) -> Vec<String> {
    let last = match completing.argument("book") {
        Some("middlemarch") => 86,
        Some("moby dick") => 135,
        _ => 55,
    };
    (1..=last)
        .map(|chapter: u16| chapter.to_string())
        .filter(|chapter| chapter.starts_with(typed))
        .collect()
}
