//! Support for the tests of a library that this one depends on.

/// A stock for tests.
#[must_use]
pub fn full_stock() -> twice::Stock {
    twice::Stock(100)
}
