//! How much memory a consolidation takes for the cells that it carries from the old fragments to the new one.

use crate::budget;
use crate::config::Config;
use crate::error::{Error, Result};

/// The most bytes that are carried at a time.
const BATCH_BYTES: u64 = 8 << 20;

/// How many bytes are carried at a time: within the share of the memory budget that the buffers have beside the reader
/// and the writer.
///
/// # Errors
/// If the parameters are no numbers, or leave nothing.
pub(super) fn batch_bytes(config: &Config) -> Result<u64> {
    let buffers = config.u64("sm.mem.consolidation.buffers_weight")?;
    let others = [config.u64("sm.mem.consolidation.reader_weight")?, config.u64("sm.mem.consolidation.writer_weight")?];
    let total = others.iter().fold(buffers, |sum, other| sum.saturating_add(*other));
    if buffers == 0 {
        return Err(no_progress());
    }
    let share = budget::total(config)? as u128 * u128::from(buffers) / u128::from(total.max(1));
    // A fourth of it is left for values that are longer than others.
    Ok(BATCH_BYTES.min(u64::try_from(share / 4 * 3).unwrap_or(u64::MAX)))
}

/// What is said where not a single cell can be carried.
pub(super) fn no_progress() -> Error {
    Error::invalid("FragmentConsolidator: Consolidation read 0 cells, no progress can be made")
}
