//! How much memory a consolidation takes for the cells that it carries from the old fragments to the new one.

use crate::budget;
use crate::config::Config;
use crate::error::{Error, Result};

/// How the memory budget is shared.
const BUFFERS: &str = "sm.mem.consolidation.buffers_weight";
const READER: &str = "sm.mem.consolidation.reader_weight";
const WRITER: &str = "sm.mem.consolidation.writer_weight";

/// The most bytes that are carried at a time.
const BATCH_BYTES: u64 = 8 << 20;

/// How many bytes are carried at a time: within the share of the memory budget that the buffers have beside the reader
/// and the writer.
///
/// # Errors
/// If the parameters are no numbers, or leave nothing.
pub(super) fn batch_bytes(config: &Config) -> Result<u64> {
    if config.u64(BUFFERS)? == 0 {
        return Err(no_progress());
    }
    // A fourth of it is left for values that are longer than others.
    Ok(BATCH_BYTES.min(share(config, BUFFERS)? / 4 * 3))
}

/// The configuration of what reads the old fragments, with its share of the memory budget.
///
/// # Errors
/// If the parameters are no numbers.
pub(super) fn of_reader(config: &Config) -> Result<Config> {
    let share = share(config, READER)?;
    let mut config = config.clone();
    config.set(budget::TOTAL, &share.to_string())?;
    Ok(config)
}

/// The part of the memory budget that one of the three weights gives.
fn share(config: &Config, weight: &str) -> Result<u64> {
    let mut sum = 0u64;
    for name in [BUFFERS, READER, WRITER] {
        sum = sum.saturating_add(config.u64(name)?);
    }
    let share = u128::from(budget::total(config)?) * u128::from(config.u64(weight)?) / u128::from(sum.max(1));
    Ok(u64::try_from(share).unwrap_or(u64::MAX))
}

/// What is said where not a single cell can be carried.
pub(super) fn no_progress() -> Error {
    Error::invalid("FragmentConsolidator: Consolidation read 0 cells, no progress can be made")
}
