//! Serve annotated Rust functions to AI models over MCP.

#[cfg_attr(
    not(test),
    expect(
        dead_code,
        reason = "nothing is served yet that would be read or written"
    )
)]
mod json;
#[allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "its callers are about to be written"
)]
mod schema;
