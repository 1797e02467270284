//! Links two libraries of tools, and has tools in deep modules of its own.
//!
//! Prints the list of tools, or what is wrong with them. An argument chooses how the clash of two libraries is met.

#![forbid(unsafe_code)]
#![deny(
    warnings,
    rust_2018_idioms,
    unused_extern_crates,
    unused_crate_dependencies
)]

mod warehouse;

use mcp_runtime::prelude::*;

mcp_runtime::link!(left, right);

/// Stands at the root of a program.
#[mcp_tool]
fn root() -> &'static str {
    "root"
}

mod deep {
    mod deeper {
        mod deepest {
            use mcp_runtime::prelude::*;

            /// Stands three modules deep in a program.
            #[mcp_tool]
            async fn deepest(count: u8) -> u8 {
                count + 1
            }
        }
    }
}

fn main() {
    let builder = mcp_runtime::server!();
    let builder = match std::env::args().nth(1).as_deref() {
        Some("clash") => builder.groups(["clash"]),
        Some("exclude") => builder.groups(["clash"]).exclude("left::shared"),
        Some("rename") => builder
            .groups(["clash"])
            .rename("right::shared", "shared_right"),
        _ => builder,
    };
    match builder.build() {
        Ok(server) => {
            println!("{}", program::list(&server));
            println!(
                "{}",
                server
                    .call_blocking("deepest", serde_json::json!({"count": 1}))
                    .text()
            );
        }
        Err(error) => println!("{error}"),
    }
}
