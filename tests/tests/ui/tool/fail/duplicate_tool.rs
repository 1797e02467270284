use mcp_runtime::prelude::*;

mod orders {
    use super::*;

    /// Search the orders.
    #[mcp_tool]
    pub fn search() {}
}

mod customers {
    use super::*;

    /// Search the customers.
    #[mcp_tool]
    pub fn search() {}
}

fn main() {}
