//! Random conditions against the reference: for each seed the reference writes an array with values of many
//! types, nulls and enumerations, either library deletes some of its cells, and both read it under random
//! conditions; results, codes and texts must be equal.
//!
//! `cargo test --test differential_conditions` runs 99 seeds, `SEEDS=FROM..TO` others; `KEEP=1` leaves
//! the arrays in the directory for temporary files. Children run the seeds: where
//! the reference dies, the seed is passed over and counted; where ours dies, the test fails.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

#[path = "../differential_roundtrip/random.rs"]
#[allow(dead_code, reason = "shared with the round trips")]
mod random;
#[allow(dead_code, reason = "shared with the questions")]
mod reference_model;
mod run_seed;
mod scenario;
#[path = "../support/mod.rs"]
mod support;

use support::seeds::{self, Seeds};

fn main() {
    seeds::main(&Seeds { name: "conditions", usual: "40..139", play: run_seed::play });
}
