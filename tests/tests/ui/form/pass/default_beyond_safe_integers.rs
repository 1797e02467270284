use mcp_runtime::prelude::*;

const MOST: u64 = (1 << 53) - 1;

#[derive(ElicitForm)]
struct Order {
    #[form(default = MOST)]
    most: u64,
    #[form(default = -1e15)]
    weight: f64,
}

fn main() {
    let _: Option<(u64, f64)> = None.map(|order: Order| (order.most, order.weight));
}
