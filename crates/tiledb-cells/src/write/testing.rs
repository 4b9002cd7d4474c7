//! Input for tests of writers: boxes of cells, column by column.
#![allow(clippy::unwrap_used, reason = "a test stops at once")]

use std::sync::Arc;

use super::spec::WriteSpec;
use crate::columns::input::InputColumn;
use crate::space::subarray::Subarray;
use tiledb_array::array::OpenArray;
use tiledb_core::budget::Budget;
use tiledb_core::config::Config;
use tiledb_core::stats::Stats;
use tiledb_core::types::{Layout, Name};

/// A write within a budget: of the whole array, or from the first to the last number in some dimensions.
pub fn spec(array: OpenArray, layout: Layout, sides: &[(i32, i32)], budget: u64) -> WriteSpec {
    let mut subarray = Subarray::new(array.schema());
    for (dimension, (low, high)) in (0..).zip(sides) {
        subarray.add_range(dimension, &low.to_le_bytes(), &high.to_le_bytes()).unwrap();
    }
    WriteSpec {
        layout,
        subarray,
        config: Config::new(),
        budget: Budget::advisory(budget),
        merged: None,
        stats: Stats::unlisted(),
        array: Arc::new(array),
    }
}

/// Fixed cells that are not null.
pub fn column<'a>(name: &str, data: &'a [u8]) -> InputColumn<'a> {
    InputColumn { name: Name::new(name), data, starts: None, validity: None }
}

/// The starts of these cells when they are concatenated.
pub fn starts(cells: &[impl AsRef<[u8]>]) -> Vec<u64> {
    let next = |end: &mut u64, cell: &[u8]| std::mem::replace(end, *end + cell.len() as u64);
    cells.iter().scan(0, |end, cell| Some(next(end, cell.as_ref()))).collect()
}
