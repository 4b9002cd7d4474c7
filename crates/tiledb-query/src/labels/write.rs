//! Writes labels, with or without cells. Nothing is written unless all input is valid.

use super::set::{Labels, at_start, at_work, check, find_indexes, transfer};
use crate::transfer::progress::{QueryState, Status};
use crate::transfer::request::QueryRequest;
use crate::transfer::state::Transfer;
use tiledb_array::schema::{ArraySchema, DimensionLabel};
use tiledb_cells::columns::buffers::{Buffers, FieldBuffers};
use tiledb_cells::columns::zipped::{COORDS, Zip};
use tiledb_cells::space::grid::Grid;
use tiledb_cells::space::subarray::Subarray;
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::types::CellRange;

impl Labels {
    /// Writes the supplied labels and cells.
    ///
    /// # Errors
    /// If labels and cells cannot be combined, are not what the array requires, or storage fails.
    pub(crate) fn submit_write(&self, cells: &mut Transfer) -> Result<()> {
        check(cells)?;
        if !self.buffers.is_empty() && cells.request.subarray.chosen_labels().next().is_some() {
            bail!(
                "DimensionLabelQuery: Failed to add dimension label queries. Cannot set both label buffer and label range \
                 on a write query."
            );
        }
        find_indexes(&mut cells.request)?;
        let mut writes = self.begin_writes(cells)?;
        let schema = cells.request.array.schema().clone();
        let only_labels = are_alone(&schema, &cells.fields.buffers);
        for (label, write) in &mut writes {
            write.check_write().map_err(|error| at_work(error, label))?;
        }
        if !only_labels {
            cells.check_write()?;
        }
        for (label, write) in &mut writes {
            write.submit_write().map_err(|error| at_work(error, label))?;
        }
        if only_labels {
            cells.run.status = Status::Completed;
            cells.run.machine = QueryState::Written;
            return Ok(());
        }
        cells.submit_write()
    }

    /// A transfer for each label that has buffers.
    fn begin_writes(&self, cells: &Transfer) -> Result<Vec<(DimensionLabel, Transfer)>> {
        let request = &cells.request;
        let write = |buffers: &FieldBuffers| {
            let (label, write) = transfer(request, buffers)?;
            let mut write = write.map_err(|error| at_start(error, label))?;
            let mut subarray = Subarray::new(write.request.array.schema());
            let dimension = label.dimension_index as usize;
            if request.array.schema().is_dense() {
                if request.subarray.sets().get(dimension).is_none_or(|set| set.ranges().len() != 1) {
                    let text = "DimensionLabelQuery: Dimension label writes can only be set for a single range.";
                    return Err(at_start(Error::invalid(text), label));
                }
                subarray.copy_ranges(0, &request.subarray, dimension);
            } else if let Some(range) = labelled_indexes(cells, label, &write.request)? {
                subarray.set_nd_range(&[range]);
            }
            write.request.set_subarray(false, &subarray)?;
            Ok((label.clone(), write))
        };
        self.buffers.fields.iter().map(write).collect()
    }
}

/// True if no attribute has a buffer; in sparse arrays the buffers of dimensions specify the labelled indexes.
fn are_alone(schema: &ArraySchema, cells: &Buffers) -> bool {
    let is_dimension =
        |buffers: &FieldBuffers| buffers.name.as_str() == COORDS || schema.domain().dimension(&buffers.name).is_some();
    match schema.attributes().is_empty() {
        true => cells.is_empty(),
        false => cells.fields.iter().all(is_dimension),
    }
}

/// The indexes for which labels of a sparse array are written: the supplied coordinates, one after the other.
fn labelled_indexes(cells: &Transfer, label: &DimensionLabel, write: &QueryRequest) -> Result<Option<CellRange>> {
    let schema = cells.request.array.schema();
    let buffers = &cells.fields.buffers;
    let dimension = schema.domain().dimensions().get(label.dimension_index as usize);
    let zip = Zip::new(schema);
    let unzipped = buffers.unzipped(&zip)?;
    let inputs = buffers.inputs((cells.request.offsets, None), (&zip, &unzipped), |_| 1)?;
    let Some(column) = dimension.and_then(|dimension| inputs.column(dimension.name())) else {
        bail!("[TileDB::Query] Error: Sparse array writes expect the coordinates of the cells to be written");
    };
    let grid = Grid::new(write.array.schema())?;
    let Some(axis) = grid.axes().first() else { return Ok(None) };
    let size = axis.datatype.size();
    let indexes = axis.distances(column.data);
    if indexes.windows(2).any(|pair| pair[0].checked_add(1) != Some(pair[1])) {
        let text = "DimensionLabelQuery: The dimension data must contain consecutive points when writing to a \
                    dimension label.";
        return Err(at_start(Error::invalid(text), label));
    }
    let ends = (column.data.get(..size), column.data.chunks_exact(size).next_back());
    match ends {
        (Some(low), Some(high)) if indexes.iter().all(|&index| index <= axis.last) => {
            Ok(Some(CellRange::fixed(low, high)?))
        }
        _ => bail!("DimensionLabelQuery: The labels of '{}' are written for no index of its dimension", label.name),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::Query;
    use tiledb_array::array::{ArrayDirectory, OpenArray, create};
    use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
    use tiledb_cells::columns::user_buffer::UserPtr;
    use tiledb_cells::space::subarray::Subarray;
    use tiledb_core::config::Config;
    use tiledb_core::types::{ArrayType, DataOrder, Datatype, QueryType};
    use tiledb_filters::crypto::EncryptionKey;
    use tiledb_storage::resources::Resources;
    use tiledb_storage::vfs::Uri;

    /// Labels of two dimensions and cells are written together, or none of them.
    #[test]
    fn nothing_is_written_unless_labels_and_cells_are_valid() {
        let resources = Resources::new(Config::new()).unwrap();
        let uri = Uri::parse("mem://labels/checked").unwrap();
        let mut domain = Domain::new();
        for name in ["x", "y"] {
            let ends = [1i32, 3].map(i32::to_le_bytes).concat();
            let dimension = Dimension::new(name, Datatype::Int32, Some(&ends), Some(&3i32.to_le_bytes()));
            domain.add(Arc::new(dimension.unwrap()));
        }
        let mut schema = ArraySchema::new(ArrayType::Dense);
        schema.set_domain(Arc::new(domain)).unwrap();
        schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int8))).unwrap();
        for (dimension, name) in (0..).zip(["l", "m"]) {
            schema.add_label(dimension, name, DataOrder::Increasing, Datatype::Int64, false).unwrap();
        }
        create(&resources, &uri, &schema, &EncryptionKey::None).unwrap();
        let open = |kind| Arc::new(OpenArray::open(&resources, &uri, kind, (0, 1), &EncryptionKey::None).unwrap());
        let labels = open(QueryType::Read).schema().labels().to_vec();
        let fragments = || {
            let arrays = [uri.clone(), labels[0].array_uri(&uri).unwrap(), labels[1].array_uri(&uri).unwrap()];
            arrays.map(|array| ArrayDirectory::load(resources.vfs(), &array).unwrap().fragments().len())
        };
        let write = |mut numbers: [i64; 3], mut others: [i64; 3], cells: usize| {
            let array = open(QueryType::Write);
            let mut query = Query::new(&array, QueryType::Write).unwrap();
            let mut subarray = Subarray::new(array.schema());
            for dimension in 0..2 {
                subarray.add_range(dimension, &1i32.to_le_bytes(), &3i32.to_le_bytes()).unwrap();
            }
            query.set_subarray(&subarray).unwrap();
            let mut values = vec![7u8; cells];
            let mut sizes = [24, 24, cells as u64];
            let starts = [numbers.as_mut_ptr().cast(), others.as_mut_ptr().cast(), values.as_mut_ptr()];
            for ((name, start), size) in ["l", "m", "a"].into_iter().zip(starts).zip(&mut sizes) {
                query.set_data_buffer(name, UserPtr::in_test(start), UserPtr::in_test(size)).unwrap();
            }
            query.submit().is_ok()
        };
        let valid = [10, 20, 30];
        for (numbers, others, cells) in [([10, 30, 20], valid, 9), (valid, [3, 2, 1], 9), (valid, valid, 8)] {
            assert!(!write(numbers, others, cells));
            assert_eq!(fragments(), [0; 3], "{numbers:?} {others:?}, {cells} cells");
        }
        assert!(write(valid, valid, 9));
        assert_eq!(fragments(), [1; 3]);
    }
}
