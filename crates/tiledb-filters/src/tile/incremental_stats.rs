//! Statistics of a tile whose cells arrive in parts.

use super::numeric_cell::NumericCell;
use super::numeric_summary::NumericSummary;
use super::stats::{StatsKind, StatsOptions, TileStats, fixed_text, put_min_max, var_text};
use tiledb_core::error::Result;
use tiledb_core::types::{Datatype, dispatch};

/// Statistics of the cells added so far: equal to those of [`super::tile_stats`] for all of them at once.
pub struct IncrementalStats {
    kind: StatsKind,
    cell_size: usize,
    valid: u64,
    nulls: u64,
    numbers: Option<Box<dyn NumericStats>>,
    /// The least and the greatest text.
    texts: Option<(Vec<u8>, Vec<u8>)>,
    is_text: bool,
}

/// Minimum, maximum and sum of numbers of some type.
trait NumericStats: Send + Sync {
    fn add(&mut self, data: &[u8], validity: Option<&[u8]>);

    /// True if the sum has left its type.
    fn has_overflowed(&self) -> bool;

    fn put(&self, kind: StatsKind, stats: &mut TileStats);
}

impl<T: NumericCell + Send + Sync> NumericStats for NumericSummary<T> {
    fn add(&mut self, data: &[u8], validity: Option<&[u8]>) {
        NumericSummary::add(self, data, validity);
    }

    fn has_overflowed(&self) -> bool {
        self.total.has_overflowed()
    }

    fn put(&self, kind: StatsKind, stats: &mut TileStats) {
        if kind.sum {
            stats.sum = self.total.bytes();
        }
        put_min_max(self, StatsOptions::WHOLE, kind, stats);
    }
}

impl IncrementalStats {
    /// Empty statistics; cells have `cell_size` bytes.
    pub fn new(datatype: Datatype, cell_size: usize, kind: StatsKind) -> IncrementalStats {
        let is_text = kind.min_max && datatype.is_ascii();
        let numbers = (kind.sum || kind.min_max && !is_text).then(|| {
            let numbers: Box<dyn NumericStats> =
                dispatch!(datatype.compared_as(), T => Box::new(NumericSummary::<T>::new()));
            numbers
        });
        IncrementalStats { kind, cell_size, valid: 0, nulls: 0, numbers, texts: None, is_text }
    }

    /// Adds whole cells: variable ones with their starts, of which the first is that of `data`.
    ///
    /// # Errors
    /// If starts do not ascend within the data.
    pub fn add(&mut self, data: &[u8], starts: Option<&[u64]>, validity: Option<&[u8]>) -> Result<()> {
        let cells = starts.map_or(data.len() / self.cell_size.max(1), <[u64]>::len) as u64;
        let nulls = validity.map_or(0, |validity| validity.iter().filter(|valid| **valid == 0).count() as u64);
        (self.valid, self.nulls) = (self.valid + cells - nulls, self.nulls + nulls);
        let validity = validity.filter(|_| nulls > 0);
        if let Some(numbers) = &mut self.numbers {
            numbers.add(data, validity);
        }
        if self.is_text {
            let known = self.texts.as_ref().map(|(min, max)| (&min[..], &max[..]));
            let ends = match starts {
                Some(starts) => var_text(data, starts, validity, known)?,
                None => fixed_text(data, self.cell_size, validity, known),
            };
            let own = |(min, max): (&[u8], &[u8])| (min.to_vec(), max.to_vec());
            if ends != known {
                self.texts = ends.map(own);
            }
        }
        Ok(())
    }

    /// True if the sum has overflowed.
    pub fn has_overflowed(&self) -> bool {
        self.numbers.as_ref().is_some_and(|numbers| numbers.has_overflowed())
    }

    /// The statistics of all cells.
    pub fn finish(self) -> TileStats {
        let null_count = if self.kind.null_count { self.nulls } else { 0 };
        let mut stats = TileStats { valid_count: self.valid, null_count, ..TileStats::default() };
        if let Some(numbers) = &self.numbers {
            numbers.put(self.kind, &mut stats);
        }
        if self.is_text {
            let nothing = || vec![0; self.cell_size];
            (stats.min, stats.max) = self.texts.unwrap_or_else(|| (nothing(), nothing()));
        }
        stats
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tile::{stats_kind, tile_stats};
    use proptest::prelude::*;
    use tiledb_core::types::CellValNum;

    const TYPES: [(Datatype, u32); 7] = [
        (Datatype::Int8, 1),
        (Datatype::Uint64, 1),
        (Datatype::Float32, 1),
        (Datatype::Float64, 1),
        (Datatype::Char, 1),
        (Datatype::StringAscii, 3),
        (Datatype::Int32, 2),
    ];

    proptest! {
        #[test]
        fn parts_tell_what_the_whole_tells(
            which in 0..TYPES.len(),
            bytes in prop::collection::vec(prop::sample::select(vec![0u8, 1, 0x7f, 0xff, b'a']), 24..6000),
            nulls in prop::option::of(1u8..5),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        ) {
            let (datatype, values) = TYPES[which];
            let values = CellValNum::from_number(values).unwrap();
            let size = datatype.size() * values.fixed().unwrap() as usize;
            let data = &bytes[..bytes.len() / size * size];
            let count = data.len() / size;
            let validity: Option<Vec<u8>> = nulls.map(|nulls| bytes[..count].iter().map(|b| u8::from(b % nulls != 1)).collect());
            let kind = stats_kind(datatype, values, validity.is_some(), false);
            let whole = tile_stats(datatype, values, data, None, validity.as_deref(), StatsOptions::WHOLE, kind).unwrap();
            let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(count + 1)).chain([0, count]).collect();
            ends.sort_unstable();
            let mut parts = IncrementalStats::new(datatype, size, kind);
            for pair in ends.windows(2) {
                let validity = validity.as_ref().map(|validity| &validity[pair[0]..pair[1]]);
                parts.add(&data[pair[0] * size..pair[1] * size], None, validity).unwrap();
            }
            prop_assert_eq!(parts.finish(), whole);
        }

        #[test]
        fn parts_of_texts_tell_what_the_whole_tells(
            cells in prop::collection::vec(("[ab\0]{0,4}", any::<bool>()), 1..40),
            nullable: bool,
            step in 1usize..9,
        ) {
            let (mut data, mut starts) = (Vec::new(), Vec::new());
            for (text, _) in &cells {
                starts.push(data.len() as u64);
                data.extend_from_slice(text.as_bytes());
            }
            let validity: Option<Vec<u8>> = nullable.then(|| cells.iter().map(|cell| u8::from(cell.1)).collect());
            let kind = stats_kind(Datatype::StringAscii, CellValNum::VAR, nullable, false);
            let whole = tile_stats(
                Datatype::StringAscii, CellValNum::VAR, &data, Some(&starts), validity.as_deref(), StatsOptions::WHOLE, kind,
            );
            let mut parts = IncrementalStats::new(Datatype::StringAscii, 0, kind);
            for first in (0..cells.len()).step_by(step) {
                let end = cells.len().min(first + step);
                let bytes = starts[first] as usize..starts.get(end).map_or(data.len(), |&start| start as usize);
                let validity = validity.as_ref().map(|validity| &validity[first..end]);
                parts.add(&data[bytes], Some(&starts[first..end]), validity).unwrap();
            }
            prop_assert_eq!(parts.finish(), whole.unwrap());
        }
    }
}
