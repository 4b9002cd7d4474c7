//! Statistics of a field over a whole fragment: written for other readers of the format, since this engine uses those of tiles.

use tiledb_core::error::Result;
use tiledb_core::wire::{WireReader, WireWriter};

/// Statistics of one field over all tiles of a fragment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldStats {
    /// The bytes of the least cell; empty if not collected.
    pub min: Vec<u8>,
    /// The bytes of the greatest cell.
    pub max: Vec<u8>,
    /// The sum as an `i64`, `u64` or `f64`, by the kind of number; saturated.
    pub sum: [u8; 8],
    /// Cells that are null.
    pub null_count: u64,
}

impl FieldStats {
    /// Appends the statistics of one field.
    pub(super) fn write(&self, w: &mut WireWriter) {
        w.u64(self.min.len() as u64).bytes(&self.min);
        w.u64(self.max.len() as u64).bytes(&self.max);
        w.bytes(&self.sum).u64(self.null_count);
    }

    /// Reads the statistics of one field.
    ///
    /// # Errors
    /// If the bytes end before them.
    pub(super) fn read(r: &mut WireReader<'_>) -> Result<FieldStats> {
        let mut cell = || {
            let size = r.count64(1)?;
            r.bytes(size).map(<[u8]>::to_vec)
        };
        let (min, max) = (cell()?, cell()?);
        Ok(FieldStats { min, max, sum: r.u64()?.to_le_bytes(), null_count: r.u64()? })
    }
}
