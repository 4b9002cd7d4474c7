//! Statistics of a field over a whole fragment.

use crate::error::Result;
use crate::wire::{Reader, Writer};

/// Statistics of one field over all tiles of a fragment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldStats {
    /// The bytes of the least cell; none where not kept.
    pub min: Vec<u8>,
    /// The bytes of the greatest cell.
    pub max: Vec<u8>,
    /// The sum as an `i64`, `u64` or `f64`, by the kind of number; saturated.
    pub sum: [u8; 8],
    /// Cells that are null.
    pub null_count: u64,
}

impl FieldStats {
    /// Reads the statistics of all fields.
    pub(super) fn read(payload: &[u8], fields: usize) -> Result<Box<[FieldStats]>> {
        let mut r = Reader::new("fragment statistics", payload);
        let mut all = Vec::with_capacity(fields);
        for _ in 0..fields {
            let len = r.length64()?;
            let min = r.bytes(len)?.to_vec();
            let len = r.length64()?;
            let max = r.bytes(len)?.to_vec();
            all.push(FieldStats { min, max, sum: r.u64()?.to_le_bytes(), null_count: r.u64()? });
        }
        Ok(all.into_boxed_slice())
    }

    /// Appends the statistics of one field.
    pub(super) fn write(&self, w: &mut Writer) {
        w.u64(self.min.len() as u64).bytes(&self.min);
        w.u64(self.max.len() as u64).bytes(&self.max);
        w.bytes(&self.sum).u64(self.null_count);
    }
}
