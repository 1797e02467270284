//! Lets a model look into an SQLite database: list tables, describe them, and run queries that only read.
//!
//! ```text
//! cargo run -q -p sqlite-explorer -- call query sql="SELECT * FROM sales"     # the sample, in memory
//! SQLITE_DATABASE=shop.db cargo run -q -p sqlite-explorer -- call list_tables  # a file of yours
//! ```
//!
//! Nothing that a model writes can change the database, reach another file, or keep the server busy:
//! `database.rs` says how.

mod database;
mod rows;
mod tables;
#[cfg(test)]
mod tests;
mod trouble;

use mcp_runtime::prelude::*;

use crate::database::Database;
use crate::rows::Rows;
use crate::tables::{Description, Table};
use crate::trouble::Trouble;

/// List the tables and views of the database.
#[mcp_tool(read_only, open_world = false)]
fn list_tables(database: State<Database>, ctx: &Context) -> Result<Vec<Table>, Trouble> {
    Ok(tables::list(&database.connect(ctx)?)?)
}

/// Describe the columns and foreign keys of a table or view.
#[mcp_tool(read_only, open_world = false)]
fn describe_table(
    /// Its name, as list_tables gives it.
    table: &str,
    database: State<Database>,
    ctx: &Context,
) -> Result<Description, Trouble> {
    let connection = database.connect(ctx)?;
    tables::describe(&connection, table)?.ok_or_else(|| Trouble::no_table(table, &connection))
}

/// Run one SQL query that only reads.
///
/// SQLite's dialect. Look at the tables first; prefer aggregates to many rows.
#[mcp_tool(read_only, open_world = false, timeout = "30s")]
fn query(
    /// One SELECT statement.
    #[arg(length(1..=20_000), example = "SELECT name, count(*) FROM customer GROUP BY name")]
    sql: &str,
    /// The largest number of rows to return.
    #[arg(default = 100, range(1..=1000))]
    limit: u32,
    database: State<Database>,
    ctx: &Context,
) -> Result<Rows, Trouble> {
    database.query(sql, limit as usize, ctx)
}

fn server(database: Database) -> ServerBuilder {
    let which = match database.file {
        Some(_) => "a SQLite database",
        None => "a sample database, a small shop",
    };
    mcp_runtime::server!()
        .instructions(format!("Explores {which}. It can only be read."))
        .state(database)
}

fn main() -> std::process::ExitCode {
    mcp_runtime::main!(server(Database::from_environment()))
}
