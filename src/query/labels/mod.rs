//! Dimension labels in queries: ranges of them become ranges of indexes, and they are read and written by queries of
//! their own on the arrays behind them.

mod read;
mod search;
mod write;

use super::state::Query;
use crate::error::{Error, Result, bail};
use crate::query::columns::buffers::{Buffers, FieldBuffers};
use crate::query::columns::user::UserBuffer;
use crate::query::space::label_ranges::LabelRanges;
use crate::schema::DimensionLabel;
use crate::types::{Layout, QueryType};

/// The labels of a query.
#[derive(Default)]
pub struct Labels {
    /// The buffers of labels, by their names.
    pub buffers: Buffers,
    /// The queries that read them, in the order of their buffers, once reading has begun.
    queries: Vec<Query>,
    /// True once all cells were read; labels may be left.
    cells_are_read: bool,
}

impl Query {
    /// True if labels are read or written, or choose the cells.
    pub fn uses_labels(&self) -> bool {
        !self.labels.buffers.is_empty() || self.subarray.chosen_labels().next().is_some()
    }

    /// Records the data buffer of a label; false if there is no such label.
    ///
    /// # Errors
    /// For queries that neither read nor write, and for a new label after the first submit.
    pub fn set_label_data(&mut self, name: &str, buffer: UserBuffer) -> Result<bool> {
        if self.array.schema().label(name).is_none() {
            return Ok(false);
        }
        if !matches!(self.kind, QueryType::Read | QueryType::Write) {
            bail!("Query: [set_data_buffer] Unsupported query type.");
        }
        self.label_entry(name, "set_data_buffer")?.data = Some(buffer);
        Ok(true)
    }

    /// Records the offsets buffer of a label; false if there is no such label.
    ///
    /// # Errors
    /// For labels of fixed size, and for a new label after the first submit.
    pub fn set_label_offsets(&mut self, name: &str, buffer: UserBuffer) -> Result<bool> {
        let Some(label) = self.array.schema().label(name) else { return Ok(false) };
        if !label.cell_val_num.is_var() {
            bail!("Query: [set_offsets_buffer] Input dimension label '{name}' is fixed-sized");
        }
        self.label_entry(name, "set_offsets_buffer")?.offsets = Some(buffer);
        Ok(true)
    }

    fn label_entry(&mut self, name: &str, function: &str) -> Result<&mut FieldBuffers> {
        if self.is_initialized() && self.labels.buffers.get(name).is_none() {
            bail!("Query: [{function}] Cannot set buffer for new dimension label '{name}' after initialization");
        }
        Ok(self.labels.buffers.entry(name))
    }

    /// What labels do not go together with.
    fn check_labels(&self) -> Result<()> {
        if self.layout == Layout::GlobalOrder {
            bail!("Query: Cannot init query; The global order layout is not supported when querying dimension labels");
        }
        if self.condition.is_some() {
            bail!("Query: Cannot init query; Using query conditions and dimension labels together is not supported.");
        }
        Ok(())
    }

    /// Replaces ranges of labels by the ranges of indexes that bear them.
    fn find_indexes(&mut self) -> Result<()> {
        let wanted: Vec<(usize, LabelRanges)> = self.subarray.unresolved_labels().collect();
        for (dimension, chosen) in wanted {
            let label = self.array.schema().existing_label(chosen.name())?;
            let found = search::find(&self.array, label, chosen.ranges())
                .map_err(|error| of_label(error, "process and update index ranges for", label))?;
            self.subarray.resolve_labels(dimension, &found)?;
        }
        Ok(())
    }

    /// A query on the array of a label, with the buffers of the label, about the indexes of its dimension.
    fn label_query(&self, buffers: &FieldBuffers) -> Result<(&DimensionLabel, Result<Query>)> {
        let label = self.array.schema().existing_label(&buffers.name)?;
        let make = || {
            if buffers.data.is_none() || (label.cell_val_num.is_var() && buffers.offsets.is_none()) {
                bail!("[TileDB::Query] Error: Cannot set buffer; {} buffer is null", label.attribute);
            }
            let array = match self.kind {
                QueryType::Read => self.array.label_for_reading(label)?,
                _ => self.array.label_for_writing(label)?,
            };
            let mut query = Query::new(&array, self.kind)?;
            query.set_config(&self.config)?;
            query.buffers.fields = vec![FieldBuffers { name: label.attribute.clone(), ..buffers.clone() }];
            Ok(query)
        };
        Ok((label, make()))
    }
}

fn of_label(error: Error, what: &str, label: &DimensionLabel) -> Error {
    error.prefixed(&format!("DimensionLabelQuery: Failed to {what} label '{}'. ", label.name))
}

/// An error of beginning to read or write labels.
fn at_start(error: Error, label: &DimensionLabel) -> Error {
    of_label(error, "initialize the data query for", label)
}

/// An error of reading or writing labels.
fn at_work(error: Error, label: &DimensionLabel) -> Error {
    of_label(error, "process data query for", label)
}
