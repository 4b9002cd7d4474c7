//! Compares the cells of an array with those of its copy.

use std::sync::Arc;

use super::{CellVersions, ConsolidationSpec};
use crate::maintain::cell_buffers::{CellBuffers, FieldCellBuffers};
use crate::maintain::memory_shares::{cell_count, columns, of_reader};
use crate::maintain::{MergedCells, OnMerged, dense};
use tiledb_array::array::OpenArray;
use tiledb_array::fragment::{DELETE_CONDITIONS, special_fields};
use tiledb_array::schema::Field;
use tiledb_cells::Subarray;
use tiledb_core::error::{Error, Result};
use tiledb_core::pool::ProgressCounter;
use tiledb_core::types::Layout;
use tiledb_query::read::dense::reader::DenseReader;
use tiledb_query::read::sparse::reader::SparseReader;
use tiledb_query::read::spec::{QueryReader, ReadSpec};

/// Compares all cells of `array` that the copy retains by `spec`, in global order, bit by bit. The error that describes the first
/// difference, if there is one.
///
/// # Errors
/// If an array cannot be read, or `on_compared` returns an error.
pub(super) fn compare(
    array: &Arc<OpenArray>,
    copy: &Arc<OpenArray>,
    spec: &ConsolidationSpec,
    versions: CellVersions,
    on_compared: OnMerged<'_>,
) -> Result<Option<Error>> {
    let schema = array.schema();
    let mut fields: Vec<Field> =
        schema.fields().iter().filter(|field| !(schema.is_dense() && field.is_dimension)).cloned().collect();
    // Conditions are numbered by the fragment.
    let special = special_fields(schema, spec.times, spec.deletes);
    fields.extend(special.into_iter().filter(|field| field.name.as_str() != DELETE_CONDITIONS));

    let total = cell_count(array)?;
    let region = if schema.is_dense() { Some(dense::region(array)?) } else { None };
    let reader = |of: &Arc<OpenArray>| -> Result<Box<dyn QueryReader>> {
        let subarray = match &region {
            Some(region) => dense::subarray(of.schema(), region)?,
            None => Subarray::new(of.schema()),
        };
        let spec = ReadSpec {
            array: of.clone(),
            layout: Layout::GlobalOrder,
            subarray,
            config: of.config().clone(),
            share: of_reader(of.config())?,
            fields: fields.iter().map(|field| field.name.clone()).collect(),
            condition: None,
            versions,
            stats: of.resources().stats().clone(),
            tally: ProgressCounter::default(),
        };
        Ok(if region.is_some() { Box::new(DenseReader::new(&spec)?) } else { Box::new(SparseReader::new(&spec)?) })
    };
    let mut readers = [reader(array)?, reader(copy)?];
    let mut buffers = [columns(array, &fields, 1, total)?, columns(array, &fields, 1, total)?];
    let mut done = MergedCells { cells: 0, total };
    loop {
        array.resources().cancel().check()?;
        for (buffers, reader) in buffers.iter_mut().zip(&mut readers) {
            buffers.clear(usize::MAX);
            buffers.fill(reader.as_mut())?;
        }
        let [expected, found] = &buffers;
        if let Some(field) = difference(expected, found) {
            return Ok(Some(Error::corrupt(format!(
                "The copy '{}' differs from '{}' in field '{field}' of cells {} to {} in global order; remove it and copy again",
                copy.uri(),
                array.uri(),
                done.cells,
                done.cells + expected.cells.max(found.cells) as u64
            ))));
        }
        if expected.cells == 0 {
            return done.end(on_compared).map(|()| None);
        }
        done.add(expected.cells as u64, on_compared)?;
    }
}

/// The first field in which the cells differ; of different numbers of cells the first field.
fn difference<'a>(expected: &'a CellBuffers, found: &CellBuffers) -> Option<&'a str> {
    let cells = expected.cells;
    let is_equal = |(own, other): &(&FieldCellBuffers, &FieldCellBuffers)| {
        let var = own.field.is_var();
        let nullable = own.field.nullable;
        let size = if var { own.bytes } else { cells * own.field.cell_size() };
        cells == found.cells
            && own.bytes == other.bytes
            && own.data[..size] == other.data[..size]
            && (!var || own.starts[..cells * 8] == other.starts[..cells * 8])
            && (!nullable || own.validity[..cells] == other.validity[..cells])
    };
    let differing = expected.fields.iter().zip(&found.fields).find(|pair| !is_equal(pair));
    differing.map(|(field, _)| field.field.name.as_str())
}
