use mcp_runtime::prelude::*;

const MOST: u64 = u64::MAX;

#[derive(ElicitForm)]
struct Order {
    #[form(default = 9_007_199_254_740_992)]
    id: i64,
    #[form(default = MOST)]
    most: u64,
    #[form(default = -1e300)]
    weight: f64,
    #[form(default = 9_007_199_254_740_991)]
    safe: i64,
}

fn main() {}
