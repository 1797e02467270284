use mcp_runtime::prelude::*;

// Which of the two the compiler complains of is left to chance, so both stand at one place.
macro_rules! greetings {
    ($($module:ident)*) => { $(
        mod $module {
            use super::*;

            /// Greet somebody.
            #[mcp_prompt]
            pub fn greet() -> &'static str {
                "Hello!"
            }
        }
    )* };
}

greetings! { morning evening }

fn main() {}
