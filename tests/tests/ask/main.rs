//! Asking in the middle of a function: rounds, the journal, and the state that a client carries between them.

#![allow(
    clippy::needless_pass_by_value,
    clippy::unwrap_used,
    reason = "values are made to be sent, and a test fails by panicking"
)]

mod again;
mod carried;
mod client;
mod crash;
mod form;
mod functions;
mod limits;
mod once;
mod replay;
mod returned;
mod rounds;
mod sampling;
mod state;
mod stray;
mod subject;
mod unasked;
mod valid;
