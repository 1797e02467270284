//! A module of a library.

mod drawer {
    mod box_ {
        use mcp_runtime::prelude::*;

        /// Stands three modules deep in a library.
        #[mcp_tool]
        async fn left_deep(count: u8) -> u8 {
            count
        }
    }
}
