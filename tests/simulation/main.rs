//! Histories of arrays, drawn from seeds and judged by models: of one process (`sequential`), and of several that work on an array at
//! the same time, on a simulated machine (`concurrent`, `world`). See `docs/testing.md`.
//!
//! `SEEDS=FROM..TO` runs other seeds.

#![allow(unreachable_pub, missing_docs, dead_code, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "figures and reports")]

mod array;
mod columns;
mod compared;
mod concurrent;
mod conditions;
mod forked;
mod habits;
mod history;
mod journal;
mod judge;
mod labels;
#[path = "../model/mod.rs"]
mod model;
mod operands;
mod random;
mod read;
mod regressions;
mod rules;
mod seeds;
mod sequential;
mod shape;
mod world;
