//! The least that a durable task costs on SQLite: a row that is written, and written again, each time with a commit of
//! its own.

use std::path::Path;

use rusqlite::{Connection, Result};

/// What is written of a task; about as long as what a server keeps of one.
const CONTENT: &str = concat!(
    "................................................................................................................",
    "................................................................................................................",
    "................................................................................................................",
    "................................................................................................................",
    "................................................................................................................",
);

/// An open database.
#[derive(Debug)]
pub struct Commits {
    connection: Connection,
    next: i64,
}

impl Commits {
    /// Makes a database that is written as durably as that of tasks.
    ///
    /// # Errors
    ///
    /// The file cannot be made.
    pub fn create(path: &Path) -> Result<Self> {
        let connection = Connection::open(path)?;
        connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.execute_batch(
            "CREATE TABLE task (id INTEGER PRIMARY KEY, is_active INTEGER NOT NULL, content TEXT NOT NULL) STRICT",
        )?;
        Ok(Self {
            connection,
            next: 0,
        })
    }

    /// Writes tasks, each with two commits: when it begins and when it ends.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn tasks(&mut self, count: usize) -> Result<()> {
        for _ in 0..count {
            self.next += 1;
            self.connection
                .prepare_cached("INSERT INTO task VALUES (?, TRUE, ?)")?
                .execute((self.next, CONTENT))?;
            self.connection
                .prepare_cached("UPDATE task SET is_active = FALSE, content = ? WHERE id = ?")?
                .execute((CONTENT, self.next))?;
        }
        Ok(())
    }
}
