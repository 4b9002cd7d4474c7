//! Memory budget of a consolidation: shares of reader, writer and buffers.

use super::cell_buffers::CellBuffers;
use tiledb_array::array::OpenArray;
use tiledb_array::schema::Field;
use tiledb_cells::write::spec::writer_budget;
use tiledb_core::budget::{self, Budget, BudgetShare};
use tiledb_core::config::Config;
use tiledb_core::error::{Error, Result};
use tiledb_core::limits::consolidation::{MAX_BATCH_BYTES, MIN_RETAINING_BUDGET_BYTES};

/// Weights of the memory budget's shares.
const BUFFERS: &str = "sm.mem.consolidation.buffers_weight";
const READER: &str = "sm.mem.consolidation.reader_weight";
const WRITER: &str = "sm.mem.consolidation.writer_weight";

/// Whether memory that is free is returned to the system after each batch of cells.
///
/// # Errors
/// If the budget is not a number.
pub(super) fn is_short(config: &Config) -> Result<bool> {
    Ok(budget::total(config)? < MIN_RETAINING_BUDGET_BYTES.bytes())
}

/// Number of bytes copied at a time: the share of the memory budget for buffers, besides reader and writer.
///
/// # Errors
/// If the parameters are not numbers, or the share is empty.
pub(super) fn batch_bytes(config: &Config) -> Result<u64> {
    if config.u64(BUFFERS)? == 0 {
        return Err(no_progress());
    }
    // A fourth of it is left for values that are longer than others.
    Ok(MAX_BATCH_BYTES.bytes().min(share(config, BUFFERS)?.part(budget::total(config)?) / 4 * 3))
}

/// The memory budget of the writer of the new fragments.
///
/// # Errors
/// If the parameters are not numbers.
pub(super) fn of_writer(array: &OpenArray) -> Result<Budget> {
    let config = array.config();
    writer_budget(array, share(config, WRITER)?.part(budget::total(config)?))
}

/// The share of the memory budget for the reader of the old fragments.
///
/// # Errors
/// If the parameters are not numbers.
pub(crate) fn of_reader(config: &Config) -> Result<BudgetShare> {
    share(config, READER)
}

/// The part of the memory budget that one of the three weights gives.
fn share(config: &Config, weight: &str) -> Result<BudgetShare> {
    let mut of = 0u64;
    for name in [BUFFERS, READER, WRITER] {
        of = of.saturating_add(config.u64(name)?);
    }
    Ok(BudgetShare { weight: config.u64(weight)?, of })
}

/// Error if not a single cell can be copied.
pub(super) fn no_progress() -> Error {
    Error::invalid("FragmentConsolidator: Consolidation read 0 cells, no progress can be made")
}

/// Buffers for as many cells as are carried at a time: whole tiles of `tile` cells where they fit, but not more than
/// there are.
///
/// # Errors
/// If sizes of tiles cannot be read, or memory does not suffice.
pub(crate) fn columns(array: &OpenArray, fields: &[Field], tile: u64, total: u64) -> Result<CellBuffers> {
    let count = cell_count(array)?.max(1);
    let batch = batch_bytes(array.config())?;
    let bytes = fields.iter().map(|field| bytes_of(array, field)).collect::<Result<Vec<u64>>>()?;
    let beside = |field: &Field| 8 * u64::from(field.is_var()) + u64::from(field.nullable);
    let row = bytes.iter().sum::<u64>().div_ceil(count) + fields.iter().map(beside).sum::<u64>();
    let most = batch / row.max(1);
    let cells = if most < tile { most } else { most / tile * tile }.clamp(1, total.max(1));
    // Values longer than others may make a batch need more than its share.
    let share = |&bytes: &u64| (u128::from(bytes) * u128::from(cells) / u128::from(count) * 5 / 4 + 64) as u64;
    let cells = usize::try_from(cells).unwrap_or(usize::MAX);
    CellBuffers::new(fields, cells, &bytes.iter().map(share).collect::<Vec<_>>())
}

/// The cells of all fragments.
pub(crate) fn cell_count(array: &OpenArray) -> Result<u64> {
    Ok(array.fragments()?.iter().fold(0, |sum, fragment| sum.saturating_add(fragment.cell_count())))
}

/// The bytes of all cells of a field.
fn bytes_of(array: &OpenArray, field: &Field) -> Result<u64> {
    array.fragments()?.iter().try_fold(0u64, |sum, fragment| Ok(sum.saturating_add(fragment.value_bytes(field)?)))
}
