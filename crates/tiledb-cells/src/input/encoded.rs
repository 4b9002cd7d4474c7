//! Text fields in encoded form: the distinct words of a tile, and for each cell the index of its word. Conditions are
//! evaluated once per word, and only cells that match get values.

use std::sync::Arc;

use super::decode_context::{DecodeContext, within_budget};
use super::decoded::{DecodedCells, DecodedTile, is_cached, kind_of, values_size};
use super::tile_source::TileSource;
use crate::predicate::column_test::ColumnInput;
use tiledb_array::fragment::{FieldPart, Fragment};
use tiledb_array::schema::Field;
use tiledb_core::budget::{Lease, MemoryUsage};
use tiledb_core::error::{Error, Result};
use tiledb_core::pool::{Scratch, scratch, scratch_size};
use tiledb_filters::codec::StringWords;

/// The encoded cells of a text field of a tile; shared, and leased as long as any reference exists.
#[derive(Clone)]
pub struct EncodedTile(Arc<Lease<EncodedCells>>);

struct EncodedCells {
    /// The index of each cell's word, as `u32`.
    codes: Scratch,
    words: StringWords,
    validity: Option<Scratch>,
}

impl MemoryUsage for EncodedCells {
    fn memory_usage(&self) -> u64 {
        self.codes.memory_usage() + self.words.memory_usage() + self.validity.memory_usage()
    }
}

/// Reads a field of a tile in encoded form; `None` if its filters do not encode strings, if it is cached in decoded form, or if
/// its words take more memory than its cells, or than there is.
///
/// # Errors
/// If the tile cannot be read, or is corrupt.
pub fn read_encoded(
    fragment: &Fragment,
    field: &Field,
    tile: u64,
    cells: usize,
    access: DecodeContext<'_>,
) -> Result<Option<EncodedTile>> {
    if !field.encodes_strings(fragment.version()) || is_cached(fragment, field, tile) {
        return Ok(None);
    }
    let size = values_size(fragment, field, tile)?;
    let validity = if field.nullable { scratch_size(cells as u64) } else { 0 };
    let codes = scratch_size((cells as u64).saturating_mul(size_of::<u32>() as u64));
    let need = StringWords::most_memory(cells, size).saturating_add(codes).saturating_add(validity);
    let read = || {
        let mut encoded =
            EncodedCells { codes: scratch(cells * size_of::<u32>())?, words: StringWords::default(), validity: None };
        let source = TileSource::new(fragment, field, FieldPart::Var, tile, size, access)?;
        source.load_encoded(encoded.codes.cast_mut(), &mut encoded.words)?;
        if field.nullable {
            let mut validity = scratch(cells)?;
            TileSource::new(fragment, field, FieldPart::Validity, tile, cells, access)?
                .load(0..cells, &mut validity)?;
            encoded.validity = Some(validity);
        }
        Ok(Some(encoded).filter(|encoded| encoded.memory_usage() <= need))
    };
    let Some(encoded) = within_budget(access.lease(kind_of(field), need, read))?.filter(|encoded| encoded.is_some())
    else {
        return Ok(None);
    };
    access.count_field(field);
    let encoded = encoded.map(|encoded| encoded.ok_or_else(|| Error::internal("Encoded cells are gone")))?;
    Ok(Some(EncodedTile(Arc::new(encoded.fit()))))
}

impl EncodedTile {
    /// The cells as input of conditions.
    pub fn input(&self) -> ColumnInput<'_> {
        self.input_of(None, self.validity())
    }

    /// Some of the cells, with these codes unless it is all of them, as input of conditions.
    pub fn input_of<'a>(&'a self, codes: Option<&'a [u32]>, validity: Option<&'a [u8]>) -> ColumnInput<'a> {
        ColumnInput::Encoded { codes: codes.unwrap_or(self.codes()), words: self.0.words.parts(), validity }
    }

    /// The index of each cell's word.
    pub fn codes(&self) -> &[u32] {
        self.0.codes()
    }

    /// The validity of each cell of a nullable field.
    pub fn validity(&self) -> Option<&[u8]> {
        self.0.validity.as_ref().map(|validity| &validity[..])
    }

    /// The `selected` cells, which ascend, or all cells in decoded form.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn decode(&self, field: &Field, selected: Option<&[u32]>, access: DecodeContext<'_>) -> Result<DecodedTile> {
        let encoded = &**self.0;
        match selected {
            Some(selected) => encoded.decode(field, selected, access),
            None => {
                let mut all = access.scratch(kind_of(field), encoded.codes.len())?;
                let all: &mut [u32] = bytemuck::try_cast_slice_mut(all.slice_mut()).unwrap_or_default();
                (0..).zip(&mut *all).for_each(|(cell, out)| *out = cell);
                encoded.decode(field, all, access)
            }
        }
    }
}

impl EncodedCells {
    fn codes(&self) -> &[u32] {
        bytemuck::try_cast_slice(&self.codes).unwrap_or_default()
    }

    fn decode(&self, field: &Field, cells: &[u32], access: DecodeContext<'_>) -> Result<DecodedTile> {
        let (count, codes) = (cells.len(), cells.iter().map(|cell| self.codes()[*cell as usize]));
        let size: usize = codes.clone().map(|code| self.words.length(code)).sum();
        let bytes_of_starts = (count + 1) * size_of::<u64>();
        let bytes_of_validity = if self.validity.is_some() { scratch_size(count as u64) } else { 0 };
        let need = scratch_size(size as u64) + scratch_size(bytes_of_starts as u64) + bytes_of_validity;
        let decoded = access.lease(kind_of(field), need, || {
            let (mut values, mut starts) = (scratch(size)?, scratch(bytes_of_starts)?);
            let (words, last) = starts.cast_mut::<u64>().split_at_mut(count);
            let mut end = 0;
            for (start, code) in words.iter_mut().zip(codes) {
                *start = end as u64;
                end = self.words.put(code, &mut values, end)?;
            }
            last.fill(end as u64);
            let validity = match &self.validity {
                Some(all) => {
                    let mut validity = scratch(count)?;
                    validity.iter_mut().zip(cells).for_each(|(out, cell)| *out = all[*cell as usize]);
                    Some(Arc::new(validity))
                }
                None => None,
            };
            Ok(DecodedCells::var(values, starts, validity))
        })?;
        Ok(DecodedTile::new(decoded))
    }
}
