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

/// Compares all cells of `array` that the copy retains by `spec`, bit by bit: in global order, of arrays with other tile extents
/// in row-major order. The error that describes the first difference, if there is one.
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
    let mut layout = Layout::GlobalOrder;
    if region.is_some() && dense::differ_in_extents(schema, copy.schema())? {
        layout = Layout::RowMajor;
    }
    let reader = |of: &Arc<OpenArray>| -> Result<Box<dyn QueryReader>> {
        let subarray = match &region {
            Some(region) => dense::subarray(of.schema(), region)?,
            None => Subarray::new(of.schema()),
        };
        let spec = ReadSpec {
            array: of.clone(),
            layout,
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
                "The copy '{}' differs from '{}' in field '{field}' of cells {} to {} in {} order; remove it and copy again",
                copy.uri(),
                array.uri(),
                done.cells,
                done.cells + expected.cells.max(found.cells) as u64,
                if layout == Layout::RowMajor { "row-major" } else { "global" },
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

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_array::schema::{ArraySchema, Attribute};
    use tiledb_core::types::{ArrayType, Datatype};

    /// Three cells of a number, a nullable number, a text, and a nullable text.
    fn cells() -> CellBuffers {
        let mut schema = ArraySchema::new(ArrayType::Sparse);
        for (name, datatype) in
            [("a", Datatype::Int32), ("n", Datatype::Int32), ("t", Datatype::StringAscii), ("u", Datatype::StringAscii)]
        {
            let mut attribute = Attribute::new(name, datatype);
            attribute.set_nullable(["n", "u"].contains(&name));
            if datatype == Datatype::StringAscii {
                attribute.set_cell_val_num(u32::MAX).unwrap();
            }
            schema.add_attribute(Arc::new(attribute)).unwrap();
        }
        let fields: Vec<Field> = schema.fields().to_vec();
        let mut cells = CellBuffers::new(&fields, 4, &[0, 0, 8, 8]).unwrap();
        cells.cells = 3;
        for field in &mut cells.fields {
            field.data.iter_mut().zip(1..).for_each(|(byte, number)| *byte = number);
            field.validity.fill(1);
            field.bytes = if field.field.is_var() { 5 } else { 12 };
            let starts = field.starts.cast_mut::<u64>();
            starts.iter_mut().zip([0, 2, 4, 5]).for_each(|(start, to)| *start = to);
        }
        cells
    }

    type Change = fn(&mut CellBuffers);

    #[test]
    fn cells_differ_in_number_values_starts_and_validity_and_in_nothing_behind_them() {
        let changes: [(Option<&str>, Change); 15] = [
            (None, |_| ()),
            (Some("a"), |cells| cells.cells = 2),
            (Some("a"), |cells| cells.cells = 4),
            (Some("a"), |cells| cells.fields[0].data[0] = 9),
            (Some("a"), |cells| cells.fields[0].data[11] = 9),
            (None, |cells| cells.fields[0].data[12] = 9),
            (Some("n"), |cells| cells.fields[1].data[5] = 9),
            (Some("n"), |cells| cells.fields[1].validity[2] = 0),
            (None, |cells| cells.fields[1].validity[3] = 0),
            (Some("t"), |cells| cells.fields[2].data[4] = 9),
            (None, |cells| cells.fields[2].data[5] = 9),
            (Some("t"), |cells| cells.fields[2].starts.cast_mut::<u64>()[1] = 1),
            (None, |cells| cells.fields[2].starts.cast_mut::<u64>()[3] = 9),
            (Some("t"), |cells| cells.fields[2].bytes = 6),
            (Some("u"), |cells| cells.fields[3].validity[0] = 0),
        ];
        for (number, (expected, change)) in changes.into_iter().enumerate() {
            let mut other = cells();
            change(&mut other);
            assert_eq!(difference(&cells(), &other), expected, "{number}");
        }
    }
}
