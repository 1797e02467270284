//! Serves the tools of a library.
//!
//! ```text
//! cargo run -q -p toolbox -- list
//! ```

// The linker leaves out a crate that no code names, and its tools with it: this names it.
mcp_runtime::link!(toolbox);

fn main() -> std::process::ExitCode {
    mcp_runtime::main!()
}

#[cfg(test)]
mod tests {
    mcp_runtime::check!();

    #[test]
    fn the_tools_of_the_library_are_served() {
        let server = mcp_runtime::server!().build().unwrap();
        let arguments = [("title", "Hello, World!")].into_iter().collect();
        assert_eq!(
            server.call_blocking("slug", arguments).text(),
            "hello-world"
        );
    }
}
