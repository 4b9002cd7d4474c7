//! Random objects as messages, against the reference: for each seed one of the libraries makes an array of a random schema,
//! with fragments, metadata, enumerations, changes of its schema, and a group; both libraries serialize what they see of it,
//! and each reads what the other wrote, in both forms. The judge is the JSON of the two, which must be equal field by field.
//!
//! `cargo test --test messages` runs 30 seeds, `SEEDS=FROM..TO` others; `KEEP=1` leaves the arrays in the directory
//! for temporary files.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]
#![allow(dead_code, reason = "shares the scenarios of the round trips")]

#[path = "interop/data.rs"]
mod data;
#[path = "interop/drive.rs"]
mod drive;
#[path = "messages/golden.rs"]
mod golden;
#[path = "messages/judge.rs"]
mod judge;
#[path = "messages/make.rs"]
mod make;
#[path = "messages/normal.rs"]
mod normal;
#[path = "messages/objects.rs"]
mod objects;
#[path = "interop/order.rs"]
mod order;
#[path = "interop/pipeline.rs"]
mod pipeline;
#[path = "messages/play.rs"]
mod play;
#[path = "interop/random.rs"]
mod random;
#[path = "interop/reads.rs"]
mod reads;
#[path = "interop/scenario.rs"]
mod scenario;
#[path = "messages/shaped.rs"]
mod shaped;
mod support;
#[path = "interop/types.rs"]
mod types;
#[path = "messages/writes.rs"]
mod writes;

use support::seeds::{self, Seeds};

fn main() {
    seeds::main(&Seeds { name: "messages", usual: "0..30", play: play::play });
}
