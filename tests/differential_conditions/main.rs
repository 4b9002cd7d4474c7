//! Random query conditions against the reference: for each seed the reference writes an array with values of many
//! types, nulls and enumerations, either library deletes some of its cells, and both read it with random conditions;
//! results, error codes and messages must be equal.
//!
//! `cargo test --test differential_conditions` runs 99 seeds, `SEEDS=FROM..TO` others; `KEEP=1` keeps the arrays in the
//! directory for temporary files. Seeds run in child processes: if the reference crashes, the seed is skipped and
//! counted; if our library crashes, the test fails.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

use support::conditions::run_seed;
use support::seeds::{self, Seeds};

fn main() {
    seeds::main(&Seeds { name: "conditions", usual: "40..139", play: run_seed::play });
}
