::mcp_runtime::__private::derive_scope!();
#[derive(
    ::mcp_runtime::__private::serde::Serialize,
    ::mcp_runtime::__private::serde::Deserialize,
    ::mcp_runtime::__private::schemars::JsonSchema
)]
#[serde(crate = "::mcp_runtime::__private::serde")]
#[schemars(crate = "::mcp_runtime::__private::schemars")]
/// A place.
#[derive(Debug)]
pub struct Place {
    /// North.
    latitude: f64,
}
