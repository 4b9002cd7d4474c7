//! The results of one field in memory.

use crate::error::{Error, Result};
use crate::schema::Field;
use tiledb_core::memory;
use tiledb_query::{FilledBuffers, ResultBuffers};

/// Assumed size of the values of a cell of variable length.
const GUESSED_VAR_BYTES: u64 = 32;

/// Bytes of an offset.
pub(super) const OFFSET_BYTES: u64 = 8;

/// Words with the number of bytes that are used of them: results are aligned for every type.
type Words = (Vec<u64>, usize);

/// The results of one field.
pub(super) struct Column {
    pub(super) field: Field,
    pub(super) rows: usize,
    data: Words,
    offsets: Option<Words>,
    validity: Option<Words>,
}

fn bytes((words, bytes): &Words) -> &[u8] {
    bytemuck::cast_slice(words).get(..*bytes).unwrap_or_default()
}

impl Column {
    pub(super) fn new(field: &Field, filled: FilledBuffers) -> Column {
        let FilledBuffers { data, offsets, validity } = filled;
        let rows = match &offsets {
            Some((_, bytes)) => (bytes / OFFSET_BYTES as usize).saturating_sub(1),
            None => data.1 / field.cell_size().max(1),
        };
        Column { field: field.clone(), rows, data, offsets, validity }
    }

    pub(super) fn data(&self) -> &[u8] {
        bytes(&self.data)
    }

    /// The starts of cells of variable length in bytes, and the end of the last one.
    pub(super) fn offsets(&self) -> Option<&[u64]> {
        let (words, bytes) = self.offsets.as_ref()?;
        words.get(..bytes / OFFSET_BYTES as usize)
    }

    /// A byte per cell, 0 for null.
    pub(super) fn validity(&self) -> Option<&[u8]> {
        self.validity.as_ref().map(bytes)
    }

    /// The bytes of a cell.
    pub(super) fn cell(&self, row: usize) -> Option<&[u8]> {
        match self.offsets() {
            Some(offsets) => {
                let (start, end) = (*offsets.get(row)?, *offsets.get(row + 1)?);
                self.data().get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
            }
            None => {
                let size = self.field.cell_size();
                self.data().get(row.checked_mul(size)?..(row + 1).checked_mul(size)?)
            }
        }
    }

    pub(super) fn is_null(&self, row: usize) -> bool {
        self.validity().and_then(|validity| validity.get(row)).is_some_and(|valid| *valid == 0)
    }

    /// The cells of several columns of one field, one after the other.
    pub(super) fn concatenated(parts: Vec<Column>) -> Result<Column> {
        let field = match parts.first() {
            Some(first) => first.field.clone(),
            None => return Err(Error::invalid("No columns are concatenated")),
        };
        let rows = parts.iter().map(|part| part.rows).sum();
        let data = joined(parts.iter().map(Column::data))?;
        let validity = match field.is_nullable() {
            true => Some(joined(parts.iter().filter_map(Column::validity))?),
            false => None,
        };
        let offsets = match field.is_var() {
            false => None,
            true => {
                let mut offsets: Vec<u64> = memory::with_capacity("offsets", rows + 1)?;
                let mut start = 0;
                for part in &parts {
                    let own = part.offsets().unwrap_or_default();
                    offsets.extend(own.iter().take(part.rows).map(|offset| start + offset));
                    start += part.data().len() as u64;
                }
                offsets.push(start);
                let bytes = offsets.len() * OFFSET_BYTES as usize;
                Some((offsets, bytes))
            }
        };
        Ok(Column { field, rows, data, offsets, validity })
    }
}

/// Parts one after the other, aligned.
fn joined<'a>(parts: impl Iterator<Item = &'a [u8]> + Clone) -> Result<Words> {
    let length: usize = parts.clone().map(<[u8]>::len).sum();
    let count = length.div_ceil(8);
    let mut words: Vec<u64> = memory::with_capacity("results", count)?;
    words.resize(count, 0);
    let place: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
    let mut at = 0;
    for part in parts {
        place[at..at + part.len()].copy_from_slice(part);
        at += part.len();
    }
    Ok((words, length))
}

/// Bytes of a cell of a field, guessed if it is of variable length.
fn cell_bytes(field: &Field) -> u64 {
    let values = if field.is_var() { GUESSED_VAR_BYTES + OFFSET_BYTES } else { field.cell_size() as u64 };
    values + u64::from(field.is_nullable())
}

/// Buffers of about `bytes` bytes for some fields, for at most `cells` cells if that is known.
pub(super) fn buffers(fields: &[Field], bytes: u64, cells: Option<u64>) -> Result<Vec<ResultBuffers>> {
    let of_cell: u64 = fields.iter().map(cell_bytes).sum();
    let fitting = (bytes / of_cell.max(1)).max(1);
    let count = cells.map_or(fitting, |cells| cells.clamp(1, fitting));
    fields.iter().map(|field| buffers_of(field, count)).collect()
}

/// Buffers of a field for a number of cells.
fn buffers_of(field: &Field, cells: u64) -> Result<ResultBuffers> {
    let size = field.cell_size().max(1) as u64;
    let offsets = field.is_var().then(|| (cells + 1).saturating_mul(OFFSET_BYTES));
    let data = match field.is_var() {
        // Whole values.
        true => cells.saturating_mul(GUESSED_VAR_BYTES) / size * size,
        false => cells.saturating_mul(size),
    };
    Ok(ResultBuffers::new(&field.name, data, offsets, field.is_nullable().then_some(cells))?)
}
