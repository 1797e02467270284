//! A calculator: plain functions, served to every MCP client.
//!
//! ```text
//! cargo run -q -p calculator -- call add a=2 b=3    # call a tool as a client would
//! cargo run -q -p calculator -- list                # what a model is offered
//! cargo run -q -p calculator -- --help              # … and how a host is told of it
//! ```

use mcp_runtime::prelude::*;

/// Add two integers.
#[mcp_tool(read_only, inline)]
fn add(
    /// First addend.
    a: i64,
    /// Second addend.
    b: i64,
) -> Result<i64, &'static str> {
    a.checked_add(b).ok_or("the sum does not fit into 64 bits")
}

/// Divide one number by another.
#[mcp_tool(read_only, inline)]
fn divide(
    /// What is divided.
    dividend: f64,
    /// What it is divided by; not 0.
    divisor: f64,
) -> Result<f64, &'static str> {
    if divisor == 0.0 {
        return Err("division by zero");
    }
    Ok(dividend / divisor)
}

/// Compute the arithmetic mean of some numbers.
#[mcp_tool(read_only, inline)]
fn mean(
    /// The numbers; at least one.
    #[arg(length(1..))]
    numbers: &[f64],
) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

fn main() -> std::process::ExitCode {
    mcp_runtime::main!()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    // Everything that can be wrong with the tools is found here, before any client sees them.
    mcp_runtime::check!();

    #[test]
    fn tools_are_called_as_a_client_would() {
        let server = mcp_runtime::server!().build().unwrap();
        assert_eq!(
            server
                .call_blocking("add", json!({ "a": 2, "b": 3 }))
                .text(),
            "5"
        );
        assert_eq!(
            server
                .call_blocking("mean", json!({ "numbers": [1, 2.5, 4] }))
                .text(),
            "2.5"
        );
        let outcome = server.call_blocking("divide", json!({ "dividend": 1, "divisor": 0 }));
        assert!(outcome.is_error());
        assert_eq!(outcome.text(), "Error: division by zero");
    }

    #[test]
    fn the_functions_are_still_functions() {
        assert_eq!(
            super::add(i64::MAX, 1),
            Err("the sum does not fit into 64 bits")
        );
        assert_eq!(super::divide(1.0, 4.0), Ok(0.25));
    }
}
