//! Random arrays on a server: the results of writes in all layouts and in parts, and of reads with buffers of any size,
//! must be those of the same library without a server; also reads by either library from servers of either.
//!
//! `cargo test --test rest_queries` runs 6 seeds of 12 queries, `SEEDS=FROM..TO` others.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "looks at a variable of the library")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

mod remote;

use support::seeds::{self, Seeds};

fn main() {
    seeds::main(&Seeds { name: "rest_queries", usual: "14..20", play: remote::play });
}
