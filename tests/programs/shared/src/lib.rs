//! Tools in a shared library.

use std::ffi::{CString, c_char};

mcp_runtime::link!(left);

/// Stands in a shared library.
#[mcp_runtime::mcp_tool]
fn in_shared_library() -> &'static str {
    "here"
}

/// The answer to `tools/list`, which the caller may keep.
#[unsafe(no_mangle)]
pub extern "C" fn list_tools() -> *mut c_char {
    let answer = match mcp_runtime::server!().build() {
        Ok(server) => program::list(&server),
        Err(error) => error.to_string(),
    };
    CString::new(answer).unwrap_or_default().into_raw()
}
