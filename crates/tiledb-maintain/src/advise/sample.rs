//! Decoded tiles of an array, chosen evenly over its fragments.

use std::sync::Arc;

use crate::verify::tile::{CheckedCells, TileAccess, TileCheck};
use tiledb_array::array::OpenArray;
use tiledb_array::fragment::{FieldPart, Fragment};
use tiledb_array::schema::Field;
use tiledb_core::budget::{self, Budget, BudgetShare};
use tiledb_core::error::{Error, ErrorKind, Result, bail};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;

/// Bytes of the values of a field that are sampled: this share of them, at least and at most.
const FIELD_SHARE: u64 = 32;
const FIELD_BYTES: std::ops::RangeInclusive<usize> = 128 << 10..=1 << 20;
/// Maximum number of sampled bytes of all fields, besides the least ones of each.
const ALL_BYTES: usize = 32 << 20;
/// Bytes of a tile that are sampled: a chunk; string encodings get whole tiles up to the larger size.
const PIECE_BYTES: usize = 64 << 10;
const TEXT_BYTES: usize = 512 << 10;
/// Maximum number of tiles that are sampled: more small ones do not tell more.
const TILES: u64 = 64;

/// Decoded values, offsets or validity values of a tile, or of the first cells of a large one.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub(super) data: Vec<u8>,
    /// Starts of variable-length cells.
    pub(super) starts: Option<Vec<u64>>,
}

/// The sample of a field.
#[derive(Debug, Default)]
pub(super) struct Sample {
    pub(super) values: Vec<Piece>,
    /// Offsets of variable-length cells as they are stored.
    pub(super) offsets: Vec<Piece>,
    pub(super) validity: Vec<Piece>,
    /// Sampled cells.
    pub(super) cells: u64,
    /// Cells in all tiles.
    pub(super) stored_cells: u64,
    /// Bytes of the values in all tiles, before filters.
    pub(super) value_bytes: u64,
    /// Bytes of the values in all files.
    pub(super) stored_bytes: u64,
}

/// Samples fields of an array.
pub(super) struct Sampler<'a> {
    key: &'a EncryptionKey,
    budget: Budget,
    fragments: Vec<&'a Fragment>,
}

impl<'a> Sampler<'a> {
    /// # Errors
    /// If the fragments cannot be loaded, or all have a format that stores the coordinates of all dimensions together.
    pub(super) fn new(resources: &'a Resources, array: &'a OpenArray, key: &'a EncryptionKey) -> Result<Sampler<'a>> {
        let all = array.fragments()?;
        let fragments: Vec<&Fragment> =
            all.iter().map(Arc::as_ref).filter(|fragment| fragment.version().has_dimension_files()).collect();
        if fragments.is_empty() && !all.is_empty() {
            bail!(
                Unsupported,
                "Cannot advise on '{}': all its fragments have a format version before 5; consolidate it first",
                array.uri()
            );
        }
        let budget = Budget::with_share(budget::total(resources.config())?, BudgetShare::ALL);
        Ok(Sampler { key, budget, fragments })
    }

    /// Decodes tiles of one of `count` fields. A field that no fragment stores has an empty sample.
    ///
    /// # Errors
    /// If a tile cannot be read or is corrupt.
    pub(super) fn sample(&self, field: &Field, count: usize) -> Result<Sample> {
        let stored = |fragment: &&'a Fragment| fragment.stored(field).filter(|stored| stored.is_like(field)).is_some();
        let fragments: Vec<&Fragment> = self.fragments.iter().copied().filter(stored).collect();
        let tiles = fragments.iter().fold(0u64, |sum, fragment| sum.saturating_add(fragment.tile_count()));
        let part = if field.is_var() { FieldPart::Var } else { FieldPart::Data };
        let bytes = |fragment: &&Fragment| fragment.stored(field).map_or(0, |stored| fragment.file_size(stored, part));
        let mut value_bytes = 0u64;
        for fragment in &fragments {
            if let Some(stored) = fragment.stored(field) {
                fragment.check_tile_count(stored)?;
            }
            value_bytes = value_bytes.saturating_add(fragment.value_bytes(field)?);
        }
        let mut sample = Sample {
            stored_cells: fragments.iter().fold(0, |sum, fragment| sum.saturating_add(fragment.cell_count())),
            value_bytes,
            stored_bytes: fragments.iter().map(bytes).sum(),
            ..Sample::default()
        };
        let limit = limit(value_bytes, count);
        let mut bytes = 0;
        for tile in spread(tiles, TILES) {
            if bytes >= limit {
                break;
            }
            let Some((fragment, tile)) = find(&fragments, tile) else { break };
            bytes += self.add(fragment, field, tile, &mut sample)?;
        }
        Ok(sample)
    }

    /// Adds a tile; returns the bytes of its values.
    fn add(&self, fragment: &Fragment, field: &Field, tile: u64, sample: &mut Sample) -> Result<usize> {
        let Some(stored) = fragment.stored(field) else { return Ok(0) };
        let access = TileAccess { fragment, key: self.key, budget: &self.budget };
        let mut check = TileCheck::new(access, stored, tile);
        let Some(CheckedCells { data, starts, validity }) = check.decode()? else {
            let found = check.found.first();
            let text = found.map_or("it cannot be decoded", |found| &found.text);
            let file = found.map_or_else(|| fragment.uri(), |found| found.file.clone());
            return Err(Error::new(
                ErrorKind::Corrupt,
                format!("Cannot advise on '{file}': field '{}', tile {tile}: {text}", field.name),
            ));
        };
        let cells = whole_cells(field, &data, starts.as_deref().map(Vec::as_slice), check.cells);
        let count = usize::try_from(cells).unwrap_or(usize::MAX);
        let values = match &starts {
            None => {
                let size = count.saturating_mul(field.cell_size()).min(data.len());
                Piece { data: data[..size].to_vec(), starts: None }
            }
            Some(starts) => {
                let size = starts.get(count).map_or(data.len(), |&end| end as usize);
                let starts = starts[..count.min(starts.len())].to_vec();
                let offsets = starts.iter().flat_map(|start| start.to_le_bytes()).collect();
                sample.offsets.push(Piece { data: offsets, starts: None });
                Piece { data: data[..size].to_vec(), starts: Some(starts) }
            }
        };
        if let Some(validity) = &validity {
            let data = validity[..count.min(validity.len())].to_vec();
            sample.validity.push(Piece { data, starts: None });
        }
        sample.cells += cells;
        let size = values.data.len();
        sample.values.push(values);
        Ok(size)
    }
}

/// How many bytes of one of `count` fields are sampled.
fn limit(value_bytes: u64, count: usize) -> usize {
    let least = *FIELD_BYTES.start();
    let most = (*FIELD_BYTES.end()).min(ALL_BYTES / count.max(1));
    usize::try_from(value_bytes / FIELD_SHARE).unwrap_or(usize::MAX).clamp(least, most.max(least))
}

/// How many of the first cells of a tile are sampled, at least one.
fn whole_cells(field: &Field, data: &[u8], starts: Option<&[u64]>, cells: u64) -> u64 {
    let fitting = match starts {
        Some(_) if data.len() <= TEXT_BYTES && cells <= TEXT_BYTES as u64 => cells,
        Some(starts) => starts.partition_point(|&start| start < TEXT_BYTES as u64).min(TEXT_BYTES) as u64,
        None => (PIECE_BYTES / field.cell_size().max(1)) as u64,
    };
    fitting.clamp(1, cells.max(1)).min(cells)
}

/// Up to `most` numbers below `count`, evenly spread, in an order in which every beginning is spread, too.
pub(super) fn spread(count: u64, most: u64) -> Vec<u64> {
    let chosen = count.min(most);
    // Bits reversed: first the middle, then the quarters, ...
    let bits = 64 - chosen.saturating_sub(1).leading_zeros();
    let places = (0..1u64 << bits).map(|place| if bits == 0 { 0 } else { place.reverse_bits() >> (64 - bits) });
    let wide = |place: u64| (u128::from(place) * u128::from(count) / u128::from(chosen.max(1))) as u64;
    places.filter(|&place| place < chosen).map(wide).collect()
}

/// The fragment of a tile, numbered over all fragments, and its number in there.
pub(super) fn find<'a>(fragments: &[&'a Fragment], mut tile: u64) -> Option<(&'a Fragment, u64)> {
    for fragment in fragments {
        match tile.checked_sub(fragment.tile_count()) {
            Some(rest) => tile = rest,
            None => return Some((fragment, tile)),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sampled_tiles_are_spread_evenly() {
        assert!(spread(0, 64).is_empty());
        assert_eq!(spread(1, 64), [0]);
        assert_eq!(spread(4, 64), [0, 2, 1, 3]);
        assert_eq!(spread(1000, 4), [0, 500, 250, 750]);
        let mut many = spread(1_000_000, 64);
        assert_eq!(many.len(), 64);
        many.sort_unstable();
        assert!(many.windows(2).all(|pair| pair[1] - pair[0] == 15_625));
        assert_eq!(spread(u64::MAX, 2), [0, u64::MAX / 2]);
    }

    #[test]
    fn the_bytes_of_all_fields_are_bounded() {
        for count in [1, 10, 100, 1_000] {
            for value_bytes in [0, 1 << 20, 1 << 30, u64::MAX] {
                let limit = limit(value_bytes, count);
                assert!(FIELD_BYTES.contains(&limit), "{limit}");
                assert!(limit * count <= ALL_BYTES.max(count * FIELD_BYTES.start()), "{limit} of {count} fields");
            }
        }
        assert_eq!(limit(u64::MAX, 1), *FIELD_BYTES.end());
    }
}
