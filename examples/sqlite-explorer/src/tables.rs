//! What the tables of a database are, as SQLite's own tables tell it.

use mcp_runtime::mcp_type;
use rusqlite::{Connection, Error, OptionalExtension};

/// A table or a view.
#[mcp_type]
pub struct Table {
    pub name: String,
    /// `table`, `view`, or `virtual`.
    pub kind: String,
    /// How many columns it has.
    pub columns: u32,
}

/// A table in detail.
#[mcp_type]
pub struct Description {
    pub columns: Vec<Column>,
    pub foreign_keys: Vec<ForeignKey>,
    /// The statement that made the table, with its comments.
    pub sql: String,
}

/// A column of a table.
#[mcp_type]
pub struct Column {
    pub name: String,
    /// The declared type; empty if there is none.
    pub kind: String,
    pub not_null: bool,
    pub primary_key: bool,
}

/// A reference from a column to another table.
#[mcp_type]
pub struct ForeignKey {
    pub column: String,
    /// The table, or the table and its column.
    pub references: String,
}

/// All tables and views but those of SQLite itself and of virtual tables.
pub fn list(connection: &Connection) -> Result<Vec<Table>, Error> {
    let sql = "SELECT name, type, ncol FROM pragma_table_list
               WHERE schema = 'main' AND type <> 'shadow' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
               ORDER BY name";
    let mut statement = connection.prepare(sql)?;
    let tables = statement.query_map([], |row| {
        Ok(Table {
            name: row.get(0)?,
            kind: row.get(1)?,
            columns: row.get(2)?,
        })
    })?;
    tables.collect()
}

/// A table or view of a name, if there is one.
pub fn describe(connection: &Connection, table: &str) -> Result<Option<Description>, Error> {
    let sql = "SELECT sql FROM sqlite_schema
               WHERE name = ?1 COLLATE NOCASE AND type IN ('table', 'view')";
    let Some(sql) = connection
        .query_row(sql, [table], |row| row.get(0))
        .optional()?
    else {
        return Ok(None);
    };
    Ok(Some(Description {
        columns: columns(connection, table)?,
        foreign_keys: foreign_keys(connection, table)?,
        sql,
    }))
}

fn columns(connection: &Connection, table: &str) -> Result<Vec<Column>, Error> {
    let sql = r#"SELECT name, type, "notnull", pk > 0 FROM pragma_table_info(?1)"#;
    let mut statement = connection.prepare(sql)?;
    let columns = statement.query_map([table], |row| {
        Ok(Column {
            name: row.get(0)?,
            kind: row.get(1)?,
            not_null: row.get(2)?,
            primary_key: row.get(3)?,
        })
    })?;
    columns.collect()
}

fn foreign_keys(connection: &Connection, table: &str) -> Result<Vec<ForeignKey>, Error> {
    let sql = r#"SELECT "from", concat_ws('.', "table", "to") FROM pragma_foreign_key_list(?1)"#;
    let mut statement = connection.prepare(sql)?;
    let keys = statement.query_map([table], |row| {
        Ok(ForeignKey {
            column: row.get(0)?,
            references: row.get(1)?,
        })
    })?;
    keys.collect()
}
