//! Harness of the workspace tests.
