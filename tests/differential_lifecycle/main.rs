//! Random array lifecycles against the reference: arrays are written, deleted from, evolved, consolidated and vacuumed
//! in every mode, by both libraries in turn, and read in random time windows by both. Reads must return the cells of an
//! in-memory model, and consolidation of the same array must create byte-identical fragments with both libraries.
//!
//! `cargo test --test differential_lifecycle` runs 90 seeds, `SEEDS=FROM..TO` others; `KEEP=1` keeps the arrays in the
//! directory for temporary files, `AT=s3://BUCKET` uses a store (`make test-cloud-lives`), `SHOW=1` prints the
//! operations.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

mod disk;
mod lifecycle;
mod location;

use support::seeds::{self, Seeds};

fn main() {
    seeds::main(&Seeds { name: "lives", usual: "0..90", play: lifecycle::play });
}
