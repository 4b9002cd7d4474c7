//! Random reads across the libraries: one library creates the query, which is serialized and submitted by the other, or
//! by each in turn, so that the state of an incomplete read is transferred at every submit; the results are returned as
//! a message. They must equal those of a model of the written cells.
//!
//! `cargo test --test differential_serialized_queries` runs 40 seeds that have revealed defects, `SEEDS=FROM..TO`
//! others.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "looks at a variable of the library")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

mod cross;

use support::seeds::{self, Seeds};

fn main() {
    seeds::main(&Seeds { name: "crossing", usual: "190..230", play: cross::play });
}
