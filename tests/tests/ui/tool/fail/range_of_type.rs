use mcp_runtime::prelude::*;

type Count = u8;

/// Take numbers with bounds that they cannot have.
#[mcp_tool]
fn take(
    #[arg(range(1..=300))] a: u8,
    #[arg(range(-5..))] b: Option<Count>,
    #[arg(range(-129..))] c: i8,
) -> String {
    format!("{a}{b:?}{c}")
}

fn main() {}
