//! Writing labels, with cells or without. Nothing is written unless all that was given is right.

use super::{at_start, at_work};
use crate::error::{Result, bail};
use crate::query::columns::buffers::FieldBuffers;
use crate::query::columns::zipped::{COORDS, Zip};
use crate::query::space::grid::Grid;
use crate::query::space::subarray::Subarray;
use crate::query::state::Query;
use crate::query::state::{Machine, Status};
use crate::schema::DimensionLabel;
use crate::types::CellRange;

impl Query {
    /// Writes the labels and the cells given.
    pub(in crate::query) fn submit_write_with_labels(&mut self) -> Result<()> {
        self.check_labels()?;
        if !self.labels.buffers.is_empty() && self.subarray.chosen_labels().next().is_some() {
            bail!(
                "DimensionLabelQuery: Failed to add dimension label queries. Cannot set both label buffer and label range \
                 on a write query."
            );
        }
        self.find_indexes()?;
        let mut queries = self.label_writes()?;
        let fields = || self.labels.buffers.fields.iter();
        let labels = fields().map(|buffers| self.array.schema().existing_label(&buffers.name).cloned());
        let labels = labels.collect::<Result<Vec<_>>>()?;
        let only_labels = self.gives_only_labels();
        for (query, label) in queries.iter_mut().zip(&labels) {
            query.check_write().map_err(|error| at_work(error, label))?;
        }
        if !only_labels {
            self.check_write()?;
        }
        for (query, label) in queries.iter_mut().zip(&labels) {
            query.submit().map_err(|error| at_work(error, label))?;
        }
        if only_labels {
            self.status = Status::Completed;
            self.machine = Machine::Written;
            return Ok(());
        }
        self.submit_write()
    }

    /// True if no attribute was given a buffer; in sparse arrays the buffers of dimensions say which indexes are
    /// labelled.
    fn gives_only_labels(&self) -> bool {
        let schema = self.array.schema();
        let is_dimension = |buffers: &FieldBuffers| {
            buffers.name.as_str() == COORDS || schema.domain().dimension(&buffers.name).is_some()
        };
        match schema.attributes().is_empty() {
            true => self.buffers.is_empty(),
            false => self.buffers.fields.iter().all(is_dimension),
        }
    }

    /// A query for each label that has buffers.
    fn label_writes(&self) -> Result<Vec<Query>> {
        let write = |buffers: &FieldBuffers| {
            let (label, query) = self.label_query(buffers)?;
            let mut query = query.map_err(|error| at_start(error, label))?;
            let mut subarray = Subarray::new(query.array().schema());
            let dimension = label.dimension_index as usize;
            if self.array.schema().is_dense() {
                if self.subarray.sets().get(dimension).is_none_or(|set| set.ranges().len() != 1) {
                    let text = "DimensionLabelQuery: Dimension label writes can only be set for a single range.";
                    return Err(at_start(crate::error::Error::invalid(text), label));
                }
                subarray.copy_ranges(0, &self.subarray, dimension);
            } else if let Some(range) = self.labelled_indexes(label, &query)? {
                subarray.set_nd_range(&[range]);
            }
            query.set_subarray(&subarray)?;
            Ok(query)
        };
        self.labels.buffers.fields.iter().map(write).collect()
    }

    /// The indexes that labels of a sparse array are written for: the coordinates given, one behind the other.
    fn labelled_indexes(&self, label: &DimensionLabel, query: &Query) -> Result<Option<CellRange>> {
        let dimension = self.array.schema().domain().dimensions().get(label.dimension_index as usize);
        let zip = Zip::new(self.array.schema());
        let unzipped = self.buffers.unzipped(&zip)?;
        let inputs = self.buffers.inputs(self.offsets, (&zip, &unzipped), |_| 1)?;
        let Some(column) = dimension.and_then(|dimension| inputs.column(dimension.name())) else {
            bail!("[TileDB::Query] Error: Sparse array writes expect the coordinates of the cells to be written");
        };
        let grid = Grid::new(query.array().schema())?;
        let Some(axis) = grid.axes().first() else { return Ok(None) };
        let size = axis.datatype.size();
        let indexes = axis.distances(column.data);
        if indexes.windows(2).any(|pair| pair[0].checked_add(1) != Some(pair[1])) {
            let text = "DimensionLabelQuery: The dimension data must contain consecutive points when writing to a \
                        dimension label.";
            return Err(at_start(crate::error::Error::invalid(text), label));
        }
        let ends = (column.data.get(..size), column.data.chunks_exact(size).next_back());
        match ends {
            (Some(low), Some(high)) if indexes.iter().all(|&index| index <= axis.last) => {
                Ok(Some(CellRange::fixed(low, high)?))
            }
            _ => bail!("DimensionLabelQuery: The labels of '{}' are written for no index of its dimension", label.name),
        }
    }
}
