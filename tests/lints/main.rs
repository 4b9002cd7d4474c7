//! Lints of the source tree, based on a parser: the order of modules and of the files in them, where `unsafe` is
//! allowed, the maximum length of files, that format versions are compared by name, that numbers which
//! divide work are internal limits, and that tests leave no files in
//! the tree, what packages of the crates contain, what the C interface uses of the engine, the public interface of the crate `tiledb`,
//! idiom, and `#[path]` attributes.
//!
//! `LAYERS=query cargo test --test lints shown -- --nocapture` shows the order of a folder, its cycles, and
//! dependencies against the order.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, unreachable_pub, reason = "a test stops at once")]

mod api;
mod circles;
mod documented;
mod edges;
mod facts;
mod floors;
mod front_door;
mod house;
mod identifiers;
mod idiom;
mod item_names;
mod left;
mod lengths;
mod limits;
mod measures;
mod names;
mod order;
mod packages;
mod path_attributes;
mod platform;
mod released_api;
mod resolve;
mod shown;
mod unsafe_places;
mod versions;
