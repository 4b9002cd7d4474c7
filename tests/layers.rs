//! The rules of the house, read from the sources by a parser: the order of the modules and of the files inside them, where
//! `unsafe` may stand, how long a file may be, that format versions are compared by name, and that
//! tests leave nothing in the tree.
//!
//! `LAYERS=query cargo test --test layers shown -- --nocapture` shows the folder's order, its circles and what runs up.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, unreachable_pub, reason = "a test stops at once")]

#[path = "layers/circles.rs"]
mod circles;
#[path = "layers/documented.rs"]
mod documented;
#[path = "layers/edges.rs"]
mod edges;
#[path = "layers/facts.rs"]
mod facts;
#[path = "layers/floors.rs"]
mod floors;
#[path = "layers/house.rs"]
mod house;
#[path = "layers/left.rs"]
mod left;
#[path = "layers/lengths.rs"]
mod lengths;
#[path = "layers/order.rs"]
mod order;
#[path = "layers/resolve.rs"]
mod resolve;
#[path = "layers/shown.rs"]
mod shown;
#[path = "layers/unsafe_places.rs"]
mod unsafe_places;
#[path = "layers/versions.rs"]
mod versions;
