use mcp_runtime::prelude::*;

/// Say good morning.
#[mcp_prompt(task)]
async fn morning() -> String {
    "Good morning!".to_owned()
}

fn main() {}
