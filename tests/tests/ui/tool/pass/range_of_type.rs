use mcp_runtime::prelude::*;
use serde_json::json;

/// Take numbers with bounds at the ends of their types.
#[mcp_tool]
fn take(
    #[arg(range(0..256))] a: u8,
    #[arg(range(-5..))] b: Option<i8>,
    #[arg(range(0..=170141183460469231731687303715884105727))] c: u128,
    #[arg(range(-1000..=1000))] d: f32,
    #[arg(range(..=18446744073709551615))] e: u64,
) -> String {
    format!("{a}{b:?}{c}{d}{e}")
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let result = server.call_blocking("take", json!({"a": 255, "c": 1, "d": -0.5, "e": 2}));
    assert_eq!(result.text(), "255None1-0.52");
}
