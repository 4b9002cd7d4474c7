//! Merging the cells of sparse fragments: the reader puts them in global order, the writer makes tiles of them.

use std::sync::Arc;

use super::columns::{Columns, FieldCells};
use super::progress::{MergedCells, OnMerged};
use super::room::{batch_bytes, no_progress, of_reader};
use crate::array::OpenArray;
use crate::error::Result;
use crate::fragment::{Fragment, special_fields};
use crate::query::Subarray;
use crate::query::read::sparse::reader::SparseReader;
use crate::query::read::spec::{Progress, ReadSpec, Versions};
use crate::query::write::sparse::global::GlobalSparseWriter;
use crate::query::write::spec::{Merged, WriteSpec, Writer, Written};
use crate::schema::Field;
use crate::stats::Timer;
use crate::types::Layout;

/// Merges the fragments of `array`.
///
/// # Errors
/// If a fragment cannot be read, no cell is left, storage fails, or `on_merged` does.
pub(super) fn merge(
    array: &Arc<OpenArray>,
    merged: Merged,
    versions: Versions,
    on_merged: OnMerged<'_>,
) -> Result<Vec<Written>> {
    let schema = array.schema();
    let mut fields: Vec<Field> = schema.fields().to_vec();
    fields.extend(special_fields(schema, merged.times, merged.deletes));
    let timer = array.resources().stats().timer(Timer::ConsolidatePrepare);
    let mut reader = SparseReader::new(&ReadSpec {
        array: array.clone(),
        layout: Layout::GlobalOrder,
        subarray: Subarray::new(schema),
        config: of_reader(array.config())?,
        fields: fields.iter().map(|field| field.name.clone()).collect(),
        condition: None,
        versions,
        stats: array.resources().stats().clone(),
    })?;
    let mut columns = columns(array, &fields)?;
    let mut writer = GlobalSparseWriter::new(WriteSpec {
        array: array.clone(),
        layout: Layout::GlobalOrder,
        subarray: Subarray::new(schema),
        config: array.config().clone(),
        merged: Some(merged),
        stats: array.resources().stats().clone(),
    })?;
    drop(timer);
    let mut done = MergedCells { cells: 0, total: cell_count(array) };
    loop {
        array.resources().cancel().check()?;
        columns.clear();
        let progress = columns.fill(&mut reader)?;
        writer.write(&columns.inputs())?;
        done.add(columns.cells as u64, on_merged)?;
        if progress == Progress::Done {
            break;
        }
    }
    if done.cells == 0 {
        return Err(no_progress());
    }
    done.end(on_merged)?;
    writer.finish()
}

/// The cells of all fragments.
fn cell_count(array: &OpenArray) -> u64 {
    array.fragments().iter().fold(0, |sum, fragment| sum.saturating_add(fragment.cell_count()))
}

/// Buffers for whole tiles of the new fragment, but not for more cells than there are.
fn columns(array: &OpenArray, fields: &[Field]) -> Result<Columns> {
    let total = cell_count(array);
    let bytes = fields.iter().map(|field| bytes_of(array, field)).collect::<Result<Vec<u64>>>()?;
    let batch = batch_bytes(array.config())?;
    let row = bytes.iter().sum::<u64>() / total.max(1) + 1;
    let capacity = array.schema().capacity();
    let tiles = (batch / row / capacity).max(1);
    let cells = tiles.saturating_mul(capacity).min(total).max(1);
    let room = |(field, bytes): (&Field, &u64)| {
        // Values longer than others may make a batch need more than its share.
        let share =
            if cells == total { *bytes } else { bytes / total * cells + bytes % total + bytes / total / 4 * cells };
        FieldCells::new(field, cells as usize, usize::try_from(share).unwrap_or(usize::MAX).max(1))
    };
    Ok(Columns { fields: fields.iter().zip(&bytes).map(room).collect::<Result<_>>()?, cells: 0 })
}

/// The bytes of all cells of a field.
fn bytes_of(array: &OpenArray, field: &Field) -> Result<u64> {
    array.fragments().iter().try_fold(0u64, |sum, fragment| Ok(sum.saturating_add(bytes_in(fragment, field)?)))
}

fn bytes_in(fragment: &Fragment, field: &Field) -> Result<u64> {
    if !field.is_var() {
        return Ok(fragment.cell_count().saturating_mul(field.cell_size() as u64));
    }
    match fragment.stored(field) {
        Some(stored) => (0..fragment.tile_count())
            .try_fold(0u64, |sum, tile| Ok(sum.saturating_add(fragment.var_tile_size(stored, tile)?))),
        None => Ok(fragment.cell_count().saturating_mul(field.fill.len() as u64)),
    }
}
