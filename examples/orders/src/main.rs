//! A small shop: a tool that searches its orders, resources that are its orders, and a prompt about one of them.
//!
//! ```text
//! cargo run -q -p orders -- call search q=otters         # the sample, in memory
//! cargo run -q -p orders -- list
//! cargo run -q -p orders -- http                         # at http://127.0.0.1:8000/mcp
//! ORDERS_DATABASE=shop.db cargo run -q -p orders         # a file of yours, made of shop.sql
//! ```

mod shop;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use mcp_runtime::context::ErrorObject;
use mcp_runtime::prelude::*;

use crate::shop::{FullOrder, Order, Shop};

/// Search the orders by item or customer, the newest first.
#[mcp_tool(read_only, open_world = false)]
fn search(
    /// A part of the name of an item or a customer.
    #[arg(length(1..=80), example = "otters")]
    q: &str,
    /// How many orders to return.
    #[arg(default = 10, range(1..=100))]
    limit: u32,
    shop: State<Shop>,
) -> Result<Vec<Order>, ToolError> {
    Ok(shop.search(q, limit)?)
}

/// The ten newest orders.
#[mcp_resource("orders://recent", mime_type = "application/json", ttl = "10s")]
fn recent(shop: State<Shop>) -> Result<Json<Vec<Order>>, ResourceError> {
    Ok(Json(shop.recent(10)?))
}

/// One order with its lines.
#[mcp_resource("orders://{id}", mime_type = "application/json")]
fn order(
    #[arg(complete = ids)] id: OrderId,
    shop: State<Shop>,
) -> Result<Option<Json<FullOrder>>, ResourceError> {
    Ok(shop.order(&id.0)?.map(Json))
}

/// Write a summary of an order for its customer.
#[mcp_prompt(name = "summarize-order")]
fn summarize_order(
    /// The order's id.
    #[arg(complete = ids)]
    id: OrderId,
    /// How the summary should sound.
    #[arg(default, complete = tones)]
    tone: Tone,
    shop: State<Shop>,
) -> Result<Vec<PromptMessage>, ToolError> {
    let order = shop.order(&id.0)?.ok_or_else(|| no_such_order(&id))?;
    let contents = ResourceContents::text(format!("orders://{}", id.0), to_text(&order))
        .mime_type("text/plain");
    Ok(vec![
        ContentBlock::resource(contents).into(),
        PromptMessage::user(format!(
            "Summarise this order for {} in a {tone} tone.",
            order.order.customer
        )),
    ])
}

/// Says that the client has to ask for another order, and not that the shop has failed.
fn no_such_order(id: &OrderId) -> ToolError {
    const INVALID_PARAMS: i32 = -32602;
    let sentence = format!("there is no order {}", id.0);
    ToolError::request(ErrorObject::new(INVALID_PARAMS, sentence))
}

fn to_text(order: &FullOrder) -> String {
    let lines = order.lines.iter();
    let lines = lines.map(|line| format!("{} × {}", line.quantity, line.item));
    format!(
        "{}, {}, placed on {}\n{}\ntotal: {}.{:02}",
        order.order.id,
        order.order.status,
        order.order.placed,
        lines.collect::<Vec<_>>().join("\n"),
        order.total_cents / 100,
        order.total_cents % 100
    )
}

/// An id, such as `A-1041`.
#[derive(Debug)]
struct OrderId(String);

impl FromStr for OrderId {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text.strip_prefix("A-").unwrap_or_default();
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err("an order's id is `A-` and a number, such as `A-1041`");
        }
        Ok(Self(text.to_owned()))
    }
}

/// How a text sounds.
#[derive(Debug, Clone, Copy, Default)]
enum Tone {
    #[default]
    Friendly,
    Formal,
    Terse,
}

impl Tone {
    const ALL: [Self; 3] = [Self::Friendly, Self::Formal, Self::Terse];
}

impl fmt::Display for Tone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Friendly => "friendly",
            Self::Formal => "formal",
            Self::Terse => "terse",
        })
    }
}

impl FromStr for Tone {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|tone| tone.to_string() == text);
        found.ok_or_else(|| format!("no tone is called `{text}`; choose friendly, formal or terse"))
    }
}

fn tones(typed: &str) -> Vec<String> {
    let tones = Tone::ALL.iter().map(Tone::to_string);
    tones.filter(|tone| tone.starts_with(typed)).collect()
}

fn ids(typed: &str, completing: &CompletionContext) -> Result<Vec<String>, ToolError> {
    let shop = completing.state::<Shop>();
    let shop = shop.ok_or_else(|| ToolError::new("the shop is closed"))?;
    Ok(shop.ids(typed)?)
}

fn server(shop: Shop) -> ServerBuilder {
    mcp_runtime::server!()
        .instructions("The orders of a small shop: search for them, then read orders://{id}.")
        .state(shop)
}

fn main() -> std::process::ExitCode {
    let file = std::env::var_os("ORDERS_DATABASE");
    let shop = match &file {
        Some(file) => Shop::open(Path::new(file)),
        None => Shop::sample(),
    };
    match shop {
        Ok(shop) => mcp_runtime::main!(server(shop)),
        Err(error) => {
            eprintln!("the orders cannot be opened: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}
