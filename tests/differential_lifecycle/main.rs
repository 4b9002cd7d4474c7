//! The lives of random arrays: written, deleted from, evolved, consolidated and vacuumed in every mode, by our library
//! and the reference in turn, and read at random windows of time by both. What is read must be what a model in memory
//! holds; what a consolidation by either library makes of the same array must be the same fragments, byte by byte.
//!
//! `cargo test --test differential_lifecycle` lives 90 lives, `SEEDS=FROM..TO` others; `KEEP=1` leaves the arrays in the directory for
//! temporary files, `AT=s3://BUCKET` has them live in a store (`make test-cloud-lives`), `SHOW=1` prints what happens to them.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

mod actions;
mod disk;
mod lifecycle;
mod location;
mod model;
#[path = "../differential_roundtrip/random.rs"]
#[allow(dead_code, reason = "shared with the round trips")]
mod random;
#[path = "../support/mod.rs"]
mod support;

use support::seeds::{self, Seeds};

fn main() {
    seeds::main(&Seeds { name: "lives", usual: "0..90", play: lifecycle::play });
}
