//! Consolidation of sparse fragments: cells are read in global order and written to new tiles.

use std::sync::Arc;

use super::memory_shares::{cell_count, columns, is_short, of_reader, of_writer};
use super::progress::{MergedCells, OnMerged};
use tiledb_array::array::OpenArray;
use tiledb_array::fragment::special_fields;
use tiledb_array::schema::Field;
use tiledb_cells::Subarray;
use tiledb_cells::write::sparse::global::GlobalSparseWriter;
use tiledb_cells::write::spec::{CommittedFragment, ConsolidationSpec, QueryWriter, WriteSpec};
use tiledb_core::error::Result;
use tiledb_core::pool::{ProgressCounter, trim_memory};
use tiledb_core::stats::Timer;
use tiledb_core::types::Layout;
use tiledb_query::read::sparse::reader::SparseReader;
use tiledb_query::read::spec::{CellVersions, ReadProgress, ReadSpec};

/// Merges the fragments of `array` into new ones of `target`, which is the same array or one with the same fields; into none if no
/// cell is left.
///
/// # Errors
/// If a fragment cannot be read, storage fails, or `on_merged` does.
pub(super) fn merge(
    array: &Arc<OpenArray>,
    target: &Arc<OpenArray>,
    merged: ConsolidationSpec,
    versions: CellVersions,
    on_merged: OnMerged<'_>,
) -> Result<Vec<CommittedFragment>> {
    let schema = array.schema();
    let mut fields: Vec<Field> = schema.fields().to_vec();
    fields.extend(special_fields(schema, merged.times, merged.deletes));
    let timer = array.resources().stats().timer(Timer::ConsolidatePrepare);
    let mut reader = SparseReader::new(&ReadSpec {
        array: array.clone(),
        layout: Layout::GlobalOrder,
        subarray: Subarray::new(schema),
        config: array.config().clone(),
        share: of_reader(array.config())?,
        fields: fields.iter().map(|field| field.name.clone()).collect(),
        condition: None,
        versions,
        stats: array.resources().stats().clone(),
        tally: ProgressCounter::default(),
    })?;
    let mut columns = columns(array, &fields, array.schema().capacity(), cell_count(array)?)?;
    let mut writer = GlobalSparseWriter::new(WriteSpec {
        array: target.clone(),
        layout: Layout::GlobalOrder,
        subarray: Subarray::new(target.schema()),
        config: array.config().clone(),
        budget: of_writer(target)?,
        merged: Some(merged),
        stats: array.resources().stats().clone(),
    })?;
    drop(timer);
    let mut done = MergedCells { cells: 0, total: cell_count(array)? };
    let is_short = is_short(array.config())?;
    loop {
        array.resources().cancel().check()?;
        columns.clear(usize::MAX);
        let progress = columns.fill_once(&mut reader)?;
        writer.write(&columns.inputs())?;
        done.add(columns.cells as u64, on_merged)?;
        if progress == ReadProgress::Done {
            break;
        }
        if is_short {
            trim_memory();
        }
    }
    if done.cells == 0 {
        return Ok(Vec::new());
    }
    done.end(on_merged)?;
    writer.finish()
}
