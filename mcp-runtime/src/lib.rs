//! Serve annotated Rust functions to AI models over MCP.
