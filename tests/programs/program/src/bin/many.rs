//! A thousand tools in one program.

#![allow(
    clippy::identity_op,
    reason = "the first of the generated tools adds zero"
)]

use serde_json::json;

include!(concat!(env!("OUT_DIR"), "/many.rs"));

fn main() {
    match mcp_runtime::server!().exclude("named").build() {
        Ok(server) => {
            println!("{}", program::list(&server));
            println!(
                "{}",
                server.call_blocking("add_617", json!({"a": 1})).text()
            );
            println!(
                "{}",
                server.call_blocking("add_1000", json!({"a": 1})).text()
            );
            println!(
                "{}",
                server.call_blocking("add_617 ", json!({"a": 1})).text()
            );
        }
        Err(error) => println!("{error}"),
    }
}
