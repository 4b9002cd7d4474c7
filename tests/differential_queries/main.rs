//! Random queries of all kinds against the reference: for each seed both libraries write an array, whose schema may
//! evolve, and execute the same queries: all layouts, several ranges, conditions, aggregates with and without data,
//! buffers of which any may be the first to be full, small memory budgets, time windows, reopened arrays.
//!
//! `cargo test --test differential_queries` runs 90 seeds, `SEEDS=FROM..TO` others; `KEEP=1` keeps the arrays in the
//! directory for temporary files. `support/accepted.rs` names the differences where the reference is wrong.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

use support::queries::run_seed;
use support::seeds::{self, Seeds};

fn main() {
    seeds::main(&Seeds { name: "queries", usual: "40..130", play: run_seed::play });
}
