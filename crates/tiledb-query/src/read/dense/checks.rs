//! Preconditions of dense reads.

use crate::read::spec::ReadSpec;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::Layout;

/// Global order takes one range per dimension; how many boxes the ranges make.
///
/// # Errors
/// As described, and if there are more than 2^64 boxes.
pub fn check_order(spec: &ReadSpec) -> Result<u64> {
    match spec.subarray.box_count() {
        Some(1) => Ok(1),
        _ if spec.layout == Layout::GlobalOrder => {
            bail!(
                "ReaderBase: Cannot initialize reader; Multi-range reads are not supported on a global order query. Use another layout"
            )
        }
        Some(boxes) => Ok(boxes),
        None => bail!("DenseReader: Cannot initialize reader; The ranges make more than 2^64 boxes"),
    }
}

/// A dense read is of chosen cells.
///
/// # Errors
/// If no range was set.
pub fn check_set(spec: &ReadSpec) -> Result<()> {
    match spec.subarray.is_default() {
        true => bail!(
            "DenseReader: Cannot initialize reader; Dense reads must have a subarray set: call tiledb_query_set_subarray_t"
        ),
        false => Ok(()),
    }
}
