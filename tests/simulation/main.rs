//! Processes that work on an array at the same time, on a simulated machine: a seed determines who continues at each call of the
//! storage, and which of them are suspended, killed or misled. See `docs/testing.md`.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "figures and reports")]

mod concurrent;
mod world;
