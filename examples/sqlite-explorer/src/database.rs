//! A database that can be read and nothing else, within bounds of rows, bytes, memory and time.
//!
//! Every call gets a connection of its own: calls run side by side, and none leaves anything behind.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use mcp_runtime::Context;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use crate::rows::{Cell, Rows};
use crate::trouble::Trouble;

/// Settings of every connection; the memory, in bytes, is that of all of them together.
const SETUP: &str = "
    PRAGMA query_only = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA temp_store = MEMORY;
    PRAGMA hard_heap_limit = 268435456;
";
/// The largest single value, in bytes. One step of a query, such as a search in a text, cannot be stopped,
/// so it has to be small enough for any step to be quick.
const LARGEST_VALUE: i32 = 1024 * 1024;

/// The pragmas that only tell: about tables, and (for full-text search) whether the file has changed.
const PRAGMAS: [&str; 8] = [
    "data_version",
    "foreign_key_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "table_info",
    "table_list",
    "table_xinfo",
];

/// Where the data is, and how much of it one query may take.
pub struct Database {
    /// A file; `None` is the sample, in memory.
    pub file: Option<PathBuf>,
    /// The size of a result.
    pub bytes: usize,
    /// The time of a query.
    pub time: Duration,
}

impl Database {
    /// The file that the variable `SQLITE_DATABASE` names, or the sample.
    pub fn from_environment() -> Self {
        Self {
            file: std::env::var_os("SQLITE_DATABASE").map(PathBuf::from),
            bytes: 256 * 1024,
            time: Duration::from_secs(20),
        }
    }

    /// Runs one query for as long as somebody waits for its answer.
    pub fn query(&self, sql: &str, limit: usize, ctx: &Context) -> Result<Rows, Trouble> {
        let connection = self.connect(ctx)?;
        let told = |error| Trouble::of_query(error, &connection, ctx);
        let mut statement = connection.prepare(sql).map_err(told)?;
        let columns: Vec<_> = statement.column_names().map(String::from).collect();
        let mut bytes = columns.iter().map(String::len).sum::<usize>();
        let mut found = Rows {
            columns,
            rows: Vec::new(),
            more: false,
        };
        let mut rows = statement.query([]).map_err(told)?;
        while let Some(row) = rows.next().map_err(told)? {
            let cells = (0..found.columns.len()).map(|column| row.get_ref(column).map(Cell::from));
            let cells = cells.collect::<Result<Vec<_>, _>>().map_err(told)?;
            bytes += cells.iter().map(Cell::size).sum::<usize>();
            found.more = found.rows.len() == limit || bytes > self.bytes;
            if found.more {
                break;
            }
            found.rows.push(cells);
        }
        if found.more && found.rows.is_empty() {
            return Err(Trouble::RowTooLarge(self.bytes));
        }
        Ok(found)
    }

    /// A connection that refuses everything but reading, and stops when the call's time is up.
    pub fn connect(&self, ctx: &Context) -> Result<Connection, rusqlite::Error> {
        let connection = match &self.file {
            Some(path) => Connection::open_with_flags(
                path,
                OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
            )?,
            None => sample()?,
        };
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LARGEST_VALUE)?;
        connection.execute_batch(SETUP)?;
        let mut connection = connection;
        connection.authorizer(Some(|asked: AuthContext<'_>| {
            if reads(&asked.action) {
                Authorization::Allow
            } else {
                Authorization::Deny
            }
        }))?;
        let (ctx, end) = (ctx.clone(), Instant::now() + self.time);
        connection.progress_handler(
            100,
            Some(move || ctx.is_cancelled() || Instant::now() >= end),
        )?;
        Ok(connection)
    }
}

fn sample() -> Result<Connection, rusqlite::Error> {
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(include_str!("../sample.sql"))?;
    Ok(connection)
}

/// Tells whether a step of a statement only reads: what is not known to do so is refused.
fn reads(action: &AuthAction<'_>) -> bool {
    match action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => true,
        AuthAction::Function { function_name } => {
            !function_name.eq_ignore_ascii_case("load_extension")
        }
        AuthAction::Pragma { pragma_name, .. } => PRAGMAS
            .iter()
            .any(|name| pragma_name.eq_ignore_ascii_case(name)),
        _ => false,
    }
}
