//! Statistics of one tile.

use crate::error::{Error, ErrorKind, Result};
use crate::types::{CellValNum, Datatype};

/// Minimum, maximum, sum and count of nulls of one tile of one field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TileStats {
    /// The bytes of the least cell; zeros (var: none) where all cells are null; empty where not kept.
    pub min: Vec<u8>,
    /// The bytes of the greatest cell.
    pub max: Vec<u8>,
    /// The sum as an `i64`, `u64` or `f64`, by the kind of number.
    pub sum: [u8; 8],
    /// Cells that are null.
    pub null_count: u64,
    /// Cells that are not null.
    pub valid_count: u64,
}

/// Which statistics a field has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatsKind {
    /// Minimum and maximum.
    pub min_max: bool,
    /// Sum.
    pub sum: bool,
    /// Count of nulls.
    pub null_count: bool,
}

/// Which statistics tiles of a field have.
pub fn stats_kind(datatype: Datatype, cell_val_num: CellValNum, nullable: bool, is_dimension: bool) -> StatsKind {
    use Datatype::*;
    let opaque = matches!(
        datatype,
        Any | Blob | GeomWkb | GeomWkt | StringUtf8 | StringUtf16 | StringUtf32 | StringUcs2 | StringUcs4
    );
    let text = matches!(datatype, Char | StringAscii);
    let single = cell_val_num == CellValNum::ONE;
    StatsKind {
        min_max: !is_dimension && !opaque && (text || single),
        sum: single && !opaque && datatype != StringAscii,
        null_count: nullable,
    }
}

/// The statistics of one tile.
///
/// # Errors
/// If the data are not whole cells, or offsets do not ascend within them.
pub fn tile_stats(
    _datatype: Datatype,
    _cell_val_num: CellValNum,
    _data: &[u8],
    _var_starts: Option<&[u64]>,
    _validity: Option<&[u8]>,
    _kind: StatsKind,
) -> Result<TileStats> {
    Err(Error::new(ErrorKind::Unsupported, "Tile statistics are not written yet"))
}
