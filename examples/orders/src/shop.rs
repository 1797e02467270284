//! The shop's database: SQLite, in a file or in memory.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_runtime::prelude::*;
use rusqlite::{Connection, OptionalExtension as _, Row};

/// Connections are not shared between threads, so each query waits for its turn.
pub struct Shop(Mutex<Connection>);

/// An order without its lines.
#[mcp_type]
#[derive(Debug)]
pub struct Order {
    /// The id, such as `A-1041`.
    pub id: String,
    /// Who ordered.
    pub customer: String,
    /// The day of the order, as `2026-07-20`.
    pub placed: String,
    /// `paid`, `shipped` or `delivered`.
    pub status: String,
}

/// An order with its lines.
#[mcp_type]
#[derive(Debug)]
pub struct FullOrder {
    pub order: Order,
    pub lines: Vec<Line>,
    /// The price of all lines together, in cents.
    pub total_cents: u64,
}

/// One line of an order.
#[mcp_type]
#[derive(Debug)]
pub struct Line {
    pub item: String,
    pub quantity: u32,
    /// The price of one, in cents.
    pub cents: u32,
}

impl Shop {
    /// A shop with some orders, in memory.
    pub fn sample() -> rusqlite::Result<Self> {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch(include_str!("../shop.sql"))?;
        Ok(Self(Mutex::new(connection)))
    }

    /// The shop whose database stands in a file.
    pub fn open(file: &Path) -> rusqlite::Result<Self> {
        Ok(Self(Mutex::new(Connection::open(file)?)))
    }

    /// The orders of an item or a customer, the newest first.
    pub fn search(&self, words: &str, limit: u32) -> rusqlite::Result<Vec<Order>> {
        self.orders(
            "SELECT DISTINCT orders.* FROM orders LEFT JOIN lines ON order_id = id
             WHERE instr(lower(item), lower(?1)) OR instr(lower(customer), lower(?1))
             ORDER BY placed DESC LIMIT ?2",
            (words, limit),
        )
    }

    /// The newest orders.
    pub fn recent(&self, limit: u32) -> rusqlite::Result<Vec<Order>> {
        self.orders(
            "SELECT * FROM orders ORDER BY placed DESC LIMIT ?1",
            [limit],
        )
    }

    /// An order with its lines.
    pub fn order(&self, id: &str) -> rusqlite::Result<Option<FullOrder>> {
        let connection = self.connection();
        let order = connection
            .query_row("SELECT * FROM orders WHERE id = ?1", [id], order)
            .optional()?;
        let Some(order) = order else {
            return Ok(None);
        };
        let mut lines =
            connection.prepare("SELECT item, quantity, cents FROM lines WHERE order_id = ?1")?;
        let lines = lines
            .query_map([id], |row| {
                Ok(Line {
                    item: row.get(0)?,
                    quantity: row.get(1)?,
                    cents: row.get(2)?,
                })
            })?
            .collect::<Result<Vec<_>, _>>()?;
        let price = |line: &Line| u64::from(line.quantity) * u64::from(line.cents);
        Ok(Some(FullOrder {
            order,
            total_cents: lines.iter().map(price).sum(),
            lines,
        }))
    }

    /// The ids that begin with a text.
    pub fn ids(&self, beginning: &str) -> rusqlite::Result<Vec<String>> {
        let connection = self.connection();
        let mut ids = connection.prepare(
            "SELECT id FROM orders WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id DESC LIMIT 1000",
        )?;
        ids.query_map([beginning], |row| row.get(0))?.collect()
    }

    fn orders(&self, sql: &str, values: impl rusqlite::Params) -> rusqlite::Result<Vec<Order>> {
        let connection = self.connection();
        let mut orders = connection.prepare(sql)?;
        orders.query_map(values, order)?.collect()
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        // Nothing is changed here, so a panic leaves nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn order(row: &Row<'_>) -> rusqlite::Result<Order> {
    Ok(Order {
        id: row.get("id")?,
        customer: row.get("customer")?,
        placed: row.get("placed")?,
        status: row.get("status")?,
    })
}
