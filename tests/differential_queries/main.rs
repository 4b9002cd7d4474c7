//! Random queries of all kinds against the reference: for each seed both libraries write an array, whose schema may
//! evolve, and execute the same queries: all layouts, several ranges, conditions, aggregates with and without data,
//! buffers of which any may be the first to be full, small memory budgets, time windows, reopened arrays.
//!
//! `cargo test --test differential_queries` runs 90 seeds, `SEEDS=FROM..TO` others; `KEEP=1` keeps the arrays in the
//! directory for temporary files. `support/accepted.rs` names the differences where the reference is wrong.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

#[path = "../differential_conditions/run_seed.rs"]
#[allow(dead_code, reason = "shared with the random conditions")]
mod arrays;
mod compare;
mod execute;
#[path = "../differential_aggregates/model.rs"]
mod model;
#[path = "../differential_roundtrip/random.rs"]
#[allow(dead_code, reason = "shared with the round trips")]
mod random;
mod random_query;
#[path = "../differential_conditions/reference_model.rs"]
mod reference_model;
mod run_seed;
#[path = "../differential_conditions/scenario.rs"]
mod scenario;
#[path = "../differential_conditions/stored_condition.rs"]
mod stored_condition;
#[path = "../support/mod.rs"]
mod support;

use support::seeds::{self, Seeds};

fn main() {
    seeds::main(&Seeds { name: "queries", usual: "40..130", play: run_seed::play });
}
