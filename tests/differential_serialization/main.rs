//! Serialization of random objects against the reference: for each seed one of the libraries creates an array with a
//! random schema, with fragments, metadata, enumerations and schema evolution, and a group. Both libraries serialize
//! them, and each deserializes the messages of the other, in both formats. The JSON forms of both must be equal field
//! by field.
//!
//! `cargo test --test differential_serialization` runs 30 seeds, `SEEDS=FROM..TO` others; `KEEP=1` keeps the arrays in
//! the directory for temporary files.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

mod compare;
mod fixtures;
mod golden;
mod labeled_arrays;
mod normalize;
mod objects;
mod run_seed;
mod writes;

use support::seeds::{self, Seeds};

fn main() {
    seeds::main(&Seeds { name: "messages", usual: "0..30", play: run_seed::play });
}
