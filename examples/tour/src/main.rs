//! A tour of what a tool can be: a small library of books.
//!
//! ```text
//! cargo run -q -p tour -- list
//! cargo run -q -p tour -- call search query="darwin water" limit=1
//! cargo run -q -p tour -- schema search
//! ```
//!
//! Sampling, roots and protocol logging are deprecated in this revision of the protocol and shown nowhere.

mod catalogue;
#[cfg(test)]
mod tests;

use mcp_runtime::content::{ImageContent, TextContent};
use mcp_runtime::prelude::*;
use serde_json::{Value, json};

use crate::catalogue::{Book, Catalogue, Hit, SearchError, Shelf};

/// Add two integers.
// A doc comment is what a model chooses a tool by; those of parameters describe the arguments.
#[mcp_tool(read_only, inline)]
fn add(
    /// First addend.
    a: i64,
    /// Second addend.
    b: i64,
) -> i64 {
    a.saturating_add(b)
}

/// Search the catalogue.
// Constraints are shown to the model and enforced; `State` and `Context` come from the server. What serde can
// serialise becomes structured content with a schema, and any error that can be displayed is told to the model.
#[mcp_tool(title = "Catalogue search", read_only, timeout = "10s")]
async fn search(
    /// Words of a title or an author.
    #[arg(length(1..=200), example = "bright water")]
    query: &str,
    /// How many hits to return.
    #[arg(default = 10, range(1..=100))]
    limit: u32,
    /// The shelf to search; all of them if absent.
    #[arg(header = "Shelf")]
    shelf: Option<Shelf>,
    catalogue: State<Catalogue>,
    ctx: &Context,
) -> Result<Vec<Hit>, SearchError> {
    let mut hits = catalogue.search(query, shelf, ctx).await?;
    hits.truncate(limit as usize);
    Ok(hits)
}

/// Put a book on its shelf.
// An argument may be any type that serde can read, such as one of yours with `#[mcp_type]`.
#[mcp_tool(destructive = false, idempotent)]
fn shelve(book: Book, catalogue: State<Catalogue>, reader: Reader) -> String {
    let thanks = format!("{} is on its shelf. Thank you, {}!", book.title, reader.0);
    catalogue.shelve(book);
    thanks
}

/// Draw the cover of a book.
// Content blocks are sent as they are, alone or several in order.
#[mcp_tool(read_only)]
fn cover(
    title: &str,
    catalogue: State<Catalogue>,
) -> Result<(TextContent, ImageContent), ToolError> {
    let books = catalogue.books();
    let book = books.iter().find(|book| book.title == title);
    let book = book.ok_or_else(|| ToolError::new(format!("there is no book called {title:?}")))?;
    let hue = u64::from(book.year.unsigned_abs()) % 360;
    let svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="60" height="90"><rect width="60" height="90" fill="hsl({hue},60%,40%)"/></svg>"#
    );
    let caption = TextContent::new(format!("{}, by {}", book.title, book.author));
    Ok((caption, ImageContent::new(svg, "image/svg+xml")))
}

/// Count the books.
// `Json` makes structured content of what would be plain text.
#[mcp_tool(read_only)]
fn count(catalogue: State<Catalogue>) -> Json<usize> {
    Json(catalogue.books().len())
}

/// Take stock: link every book, and say whether anything is missing.
// `ToolResult` is full control: content for the model, structure for programs, and whether it is a failure.
#[mcp_tool(read_only)]
fn take_stock(
    #[arg(default, range(..=1000))] expected: usize,
    catalogue: State<Catalogue>,
) -> ToolResult {
    let books = catalogue.books();
    let links = books.iter().map(|book| {
        let uri = format!("book://{}", book.title.replace(' ', "-"));
        ContentBlock::resource_link(uri, book.title.as_str())
    });
    ToolResult::new(links)
        .structured(json!({ "books": books.len() }))
        .error(books.len() < expected)
}

/// Remove every book.
// A group is served only by servers that ask for it.
#[mcp_tool(group = "admin", destructive)]
fn clear(catalogue: State<Catalogue>) {
    catalogue.clear();
}

/// Who asks: a parameter of our own, made of the request.
struct Reader(String);

impl FromContext for Reader {
    fn from_context(ctx: &Context) -> Result<Self, ToolError> {
        let client = ctx.client_info();
        Ok(Self(client.map_or("reader".into(), |client| client.name)))
    }
}

fn server() -> ServerBuilder {
    let name = json!({ "type": "string", "minLength": 1 });
    let greeting =
        json!({ "type": "object", "properties": { "name": name }, "required": ["name"] });
    mcp_runtime::server!()
        .title("Library")
        .instructions("Search before you shelve: a book may be here already.")
        .state(Catalogue::open())
        // A tool that is known only at run time, say from a file of settings.
        .register_tool(
            "greet",
            "Greet a reader.",
            greeting,
            |arguments: Value| async move {
                let name = arguments["name"]
                    .as_str()
                    .ok_or_else(|| ToolError::new("name is missing"))?;
                Ok::<_, ToolError>(format!("Welcome, {name}!"))
            },
        )
}

/// The same program has a second server, for those who keep the library.
fn admin() -> ServerBuilder {
    server().groups(["", "admin"])
}

fn main() -> std::process::ExitCode {
    if std::env::var_os("LIBRARY_ADMIN").is_some() {
        return mcp_runtime::main!(admin());
    }
    mcp_runtime::main!(server())
}
