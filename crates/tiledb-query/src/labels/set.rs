//! The labels of a query.

use super::search;
use crate::transfer::request::QueryRequest;
use crate::transfer::state::Transfer;
use tiledb_array::schema::DimensionLabel;
use tiledb_cells::columns::buffers::{Buffers, FieldBuffers};
use tiledb_cells::columns::user_buffer::UserBuffer;
use tiledb_cells::space::label_ranges::LabelRanges;
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::stats::Timer;
use tiledb_core::types::{Layout, QueryType};

/// The labels of a query.
#[derive(Default)]
pub(crate) struct Labels {
    /// The buffers of labels, by their names.
    pub buffers: Buffers,
    /// The transfers that read them, in the order of their buffers, once reading has begun.
    pub reads: Vec<Transfer>,
    /// True once all cells were read; labels may be left.
    pub cells_are_read: bool,
}

impl Labels {
    /// True if labels are read or written, or choose the cells.
    pub(crate) fn are_used(&self, request: &QueryRequest) -> bool {
        !self.buffers.is_empty() || request.subarray.chosen_labels().next().is_some()
    }

    /// Records the data buffer of a label; false if there is no such label.
    ///
    /// # Errors
    /// For queries that neither read nor write, and for a new label of a query that has begun.
    pub(crate) fn set_data(
        &mut self,
        request: &QueryRequest,
        begun: bool,
        name: &str,
        buffer: UserBuffer,
    ) -> Result<bool> {
        if request.array.schema().label(name).is_none() {
            return Ok(false);
        }
        if !matches!(request.kind, QueryType::Read | QueryType::Write) {
            bail!("Query: [set_data_buffer] Unsupported query type.");
        }
        self.entry(begun, name, "set_data_buffer")?.data = Some(buffer);
        Ok(true)
    }

    /// Records the offsets buffer of a label; false if there is no such label.
    ///
    /// # Errors
    /// For labels of fixed size, and for a new label of a query that has begun.
    pub(crate) fn set_offsets(
        &mut self,
        request: &QueryRequest,
        begun: bool,
        name: &str,
        buffer: UserBuffer,
    ) -> Result<bool> {
        let Some(label) = request.array.schema().label(name) else { return Ok(false) };
        if !label.cell_val_num.is_var() {
            bail!("Query: [set_offsets_buffer] Input dimension label '{name}' is fixed-sized");
        }
        self.entry(begun, name, "set_offsets_buffer")?.offsets = Some(buffer);
        Ok(true)
    }

    fn entry(&mut self, begun: bool, name: &str, function: &str) -> Result<&mut FieldBuffers> {
        if begun && self.buffers.get(name).is_none() {
            bail!("Query: [{function}] Cannot set buffer for new dimension label '{name}' after initialization");
        }
        Ok(self.buffers.entry(name))
    }
}

/// Rejects settings that cannot be combined with labels.
///
/// # Errors
/// For such a setting.
pub(crate) fn check(cells: &Transfer) -> Result<()> {
    if cells.request.layout == Layout::GlobalOrder {
        bail!(
            "Query: Cannot init query; The global order layout is not supported when querying dimension labels: use another layout"
        );
    }
    if cells.filter.is_set() {
        bail!("Query: Cannot init query; Using query conditions and dimension labels together is not supported.");
    }
    Ok(())
}

/// Replaces ranges of labels with the ranges of indexes that have these labels.
///
/// # Errors
/// If labels cannot be read, or a range contains no labels.
pub(crate) fn find_indexes(request: &mut QueryRequest) -> Result<()> {
    let unresolved: Vec<(usize, LabelRanges)> = request.subarray.unresolved_labels().collect();
    for (dimension, chosen) in unresolved {
        let _timer = request.stats.timer(Timer::ReadLabels);
        let label = request.array.schema().existing_label(chosen.name())?;
        let indexes = search::find(&request.array, label, chosen.ranges())
            .map_err(|error| of_label(error, "process and update index ranges for", label))?;
        request.subarray.resolve_labels(dimension, &indexes)?;
    }
    Ok(())
}

/// A transfer with the array of a label, with the buffers of the label, about the indexes of its dimension.
///
/// # Errors
/// If there is no such label; the inner error if the transfer cannot be made.
pub(crate) fn transfer<'r>(
    request: &'r QueryRequest,
    buffers: &FieldBuffers,
) -> Result<(&'r DimensionLabel, Result<Transfer>)> {
    let label = request.array.schema().existing_label(&buffers.name)?;
    let make = || {
        if buffers.data.is_none() || (label.cell_val_num.is_var() && buffers.offsets.is_none()) {
            bail!("[TileDB::Query] Error: Cannot set buffer; {} buffer is null", label.attribute);
        }
        let array = match request.kind {
            QueryType::Read => request.array.label_for_reading(label)?,
            _ => request.array.label_for_writing(label)?,
        };
        let mut transfer = Transfer::new(&array, request.kind)?;
        transfer.request.set_config(false, &request.config)?;
        // It may have been set for the query alone.
        transfer.request.offsets = request.offsets;
        transfer.fields.buffers.fields.push(FieldBuffers { name: label.attribute.clone(), ..buffers.clone() });
        Ok(transfer)
    };
    Ok((label, make()))
}

fn of_label(error: Error, what: &str, label: &DimensionLabel) -> Error {
    error.prefixed(&format!("DimensionLabelQuery: Failed to {what} label '{}'. ", label.name))
}

/// An error of beginning to read or write labels.
pub(crate) fn at_start(error: Error, label: &DimensionLabel) -> Error {
    of_label(error, "initialize the data query for", label)
}

/// An error of reading or writing labels.
pub(crate) fn at_work(error: Error, label: &DimensionLabel) -> Error {
    of_label(error, "process data query for", label)
}
