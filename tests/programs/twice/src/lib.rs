//! A library that its own test program holds twice: compiled for tests, and as a dependency of a dev-dependency.

use mcp_runtime::prelude::*;

/// What the tool reads, which is another type in each compilation.
#[derive(Debug)]
pub struct Stock(pub u32);

/// How much is in stock.
#[mcp_tool]
fn stock(stock: State<Stock>) -> u32 {
    stock.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exists in this compilation alone.
    #[mcp_tool]
    fn only_in_tests() {}

    #[test]
    fn the_tools_of_the_tested_compilation_are_served() {
        // The other compilation is linked indeed.
        assert_eq!(twice_helper::full_stock().0, 100);
        let server = mcp_runtime::server!().state(Stock(7)).build();
        let server = server.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            server.call_blocking("stock", serde_json::json!({})).text(),
            "7"
        );
        assert!(
            !server
                .call_blocking("only_in_tests", serde_json::json!({}))
                .is_error()
        );
    }
}
