//! Tools of one crate whose names differ only a little, or, with `--cfg twice`, not at all.

use mcp_runtime::prelude::*;

mod first {
    use super::*;

    /// Adds.
    #[mcp_tool]
    fn add() -> &'static str {
        "first"
    }

    /// The same name, served by other servers.
    #[mcp_tool(name = "add", group = "other")]
    fn add_in_a_group() -> &'static str {
        "in a group"
    }
}

#[cfg(twice)]
mod second {
    use super::*;

    /// Adds.
    #[mcp_tool]
    fn add() -> &'static str {
        "second"
    }
}

#[cfg(twice_in_groups)]
mod third {
    use super::*;

    /// Adds.
    #[mcp_tool(name = "add", group = "other")]
    fn add() -> &'static str {
        "third"
    }
}

mod spelt {
    use super::*;

    /// One of the names that a careless escape would make equal.
    #[mcp_tool(name = "a-b")]
    fn dash() {}

    /// One of the names that a careless escape would make equal.
    #[mcp_tool(name = "a.b")]
    fn dot() {}

    /// One of the names that a careless escape would make equal.
    #[mcp_tool(name = "a_b")]
    fn underscore() {}

    /// One of the names that a careless escape would make equal.
    #[mcp_tool(name = "a_2db")]
    fn escaped_dash() {}

    /// One of the names that a careless escape would make equal.
    #[mcp_tool(name = "A_b")]
    fn capital() {}
}

fn main() {
    match mcp_runtime::server!().build() {
        Ok(server) => println!("{}", program::list(&server)),
        Err(error) => println!("{error}"),
    }
}
