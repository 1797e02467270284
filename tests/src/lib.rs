//! Harness of the workspace tests.

pub mod conversation;
