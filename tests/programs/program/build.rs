//! Writes the source of a program with a thousand tools.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let mut source = String::new();
    // In the order of no list: the number of a tool is scattered by a factor that shares no divisor with 1,000.
    for index in 0..1_000 {
        let number = index * 617 % 1_000;
        let written = write!(
            source,
            "/// Adds {number}.\n\
             #[::mcp_runtime::mcp_tool]\n\
             fn add_{number:03}(/** The other addend. */ a: u32) -> u32 {{ a.wrapping_add({number}) }}\n"
        );
        written.map_err(io::Error::other)?;
    }
    let directory = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set"))?;
    fs::write(Path::new(&directory).join("many.rs"), source)
}
