use mcp_runtime::prelude::*;

// Which of the two the compiler complains of is left to chance, so both stand at one place.
macro_rules! searchable {
    ($($module:ident)*) => { $(
        mod $module {
            use super::*;

            /// Search.
            #[mcp_tool]
            pub fn search() {}
        }
    )* };
}

searchable! { orders customers }

fn main() {}
