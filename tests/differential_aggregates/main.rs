//! Random aggregates against the reference: for each seed the reference or both libraries write an array, either deletes some of
//! its cells, and all kinds of aggregates are computed, with ranges, conditions, time windows and layouts. The results
//! of our library must be those of a model computed from the cells that a read returns; for conditions on dense arrays,
//! those of the reference.
//!
//! `cargo test --test differential_aggregates` runs 100 seeds, `SEEDS=FROM..TO` others.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

mod run_seed;

use support::seeds::{self, Seeds};

fn main() {
    seeds::main(&Seeds { name: "aggregates", usual: "0..100", play: run_seed::play });
}
