//! What a program has before it serves any tools: its own types and its own state.

use std::fmt;
use std::sync::{PoisonError, RwLock};

use mcp_runtime::{Context, mcp_type};

/// A book.
#[mcp_type]
#[derive(Clone)]
pub struct Book {
    pub title: String,
    pub author: String,
    /// The year of its first edition.
    pub year: i32,
    pub shelf: Shelf,
}

/// Where a book stands.
#[mcp_type]
#[derive(Clone, Copy, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Shelf {
    /// Stories.
    Fiction,
    /// What can be shown.
    Science,
}

/// A book that was found.
#[mcp_type]
pub struct Hit {
    pub title: String,
    pub author: String,
    /// How many of the words it has.
    pub matches: usize,
}

/// Why a search finds nothing.
#[derive(Debug)]
pub enum SearchError {
    NoWords,
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoWords => f.write_str("the query has no words; name a title or an author"),
        }
    }
}

/// All books.
pub struct Catalogue(RwLock<Vec<Book>>);

impl Catalogue {
    pub fn open() -> Self {
        let book = |title: &str, author: &str, year, shelf| Book {
            title: title.into(),
            author: author.into(),
            year,
            shelf,
        };
        Self(RwLock::new(vec![
            book(
                "Ring of Bright Water",
                "Gavin Maxwell",
                1960,
                Shelf::Fiction,
            ),
            book("Frankenstein", "Mary Shelley", 1818, Shelf::Fiction),
            book(
                "On the Origin of Species",
                "Charles Darwin",
                1859,
                Shelf::Science,
            ),
            book("The Sea Around Us", "Rachel Carson", 1951, Shelf::Science),
        ]))
    }

    pub fn books(&self) -> Vec<Book> {
        self.0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Adds a book, in place of one of the same title.
    pub fn shelve(&self, book: Book) {
        let mut books = self.0.write().unwrap_or_else(PoisonError::into_inner);
        books.retain(|other| other.title != book.title);
        books.push(book);
    }

    pub fn clear(&self) {
        self.0
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    /// Finds books by the words of their titles and authors, until nobody waits for them any more.
    pub async fn search(
        &self,
        query: &str,
        shelf: Option<Shelf>,
        ctx: &Context,
    ) -> Result<Vec<Hit>, SearchError> {
        let words: Vec<_> = query.split_whitespace().map(str::to_lowercase).collect();
        if words.is_empty() {
            return Err(SearchError::NoWords);
        }
        let mut hits = Vec::new();
        let books = self.books().into_iter().take_while(|_| !ctx.is_cancelled());
        for book in books.filter(|book| shelf.is_none_or(|shelf| shelf == book.shelf)) {
            let text = format!("{} {}", book.title, book.author).to_lowercase();
            let matches = words.iter().filter(|word| text.contains(*word)).count();
            if matches > 0 {
                hits.push(Hit {
                    title: book.title,
                    author: book.author,
                    matches,
                });
            }
        }
        hits.sort_by_key(|hit| std::cmp::Reverse(hit.matches));
        Ok(hits)
    }
}
