//! Depends on two libraries of tools, and names neither.

fn main() {
    match mcp_runtime::server!().build() {
        Ok(server) => println!("{}", program::list(&server)),
        Err(error) => println!("{error}"),
    }
}
