//! The public interface of the crate, used as programs use it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at once")]

mod aggregates;
#[cfg(feature = "arrow")]
mod arrow;
mod cells;
mod compile_fail;
mod conditions;
mod copies;
mod datatypes;
mod dense;
mod errors;
mod examples;
mod groups;
mod incomplete;
mod labels;
mod maintenance;
#[cfg(feature = "ndarray")]
mod nd;
mod progress;
mod reference;
mod schemas;
mod threads;
mod time_travel;

use tiledb::{Array, ArraySchema, Context};

/// A context of its own, in whose memory an array of a schema is.
fn with_array(schema: &ArraySchema) -> (Context, &'static str) {
    let (ctx, uri) = (Context::new().unwrap(), "mem://array");
    Array::create(&ctx, uri, schema).unwrap();
    (ctx, uri)
}
