//! A module in a folder.

mod aisle;
