//! The rules of the house, read from the sources by a parser: the order of the modules and of the files inside them, where
//! `unsafe` may stand, how long a file may be, that format versions are compared by name, and that
//! tests leave nothing in the tree.
//!
//! `LAYERS=query cargo test --test lints shown -- --nocapture` shows the folder's order, its circles and what runs up.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, unreachable_pub, reason = "a test stops at once")]

mod circles;
mod documented;
mod edges;
mod facts;
mod floors;
mod house;
mod left;
mod lengths;
mod names;
mod order;
mod resolve;
mod shown;
mod unsafe_places;
mod versions;
