use mcp_runtime::prelude::*;

// Which of the two the compiler complains of is left to chance, so both stand at one place.
macro_rules! orders {
    ($($module:ident)*) => { $(
        mod $module {
            use super::*;

            /// An order.
            #[mcp_resource("orders://{id}")]
            pub fn order(id: String) -> String {
                id
            }
        }
    )* };
}

orders! { first second }

fn main() {}
