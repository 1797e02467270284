//! Harness of the workspace tests.

pub mod conversation;
pub mod execution;
pub mod layer;
pub mod legacy;
pub mod store;

/// The examples of the README, which are compiled, and run unless they say otherwise.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
