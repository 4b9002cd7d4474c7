//! The label arrays of an open array.

use std::sync::{Arc, PoisonError};

use super::OpenArray;
use crate::fragment::read_time;
use crate::schema::{ArraySchema, DimensionLabel};
use tiledb_core::error::{Result, bail};
use tiledb_core::types::QueryType;

impl OpenArray {
    /// The array of a label in the time window of this array; opened on first use.
    ///
    /// # Errors
    /// If it cannot be opened, or does not number the cells of the labelled dimension.
    pub fn label_for_reading(&self, label: &DimensionLabel) -> Result<Arc<OpenArray>> {
        let opened = || self.opened.labels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = opened().get(&label.name) {
            return Ok(known.clone());
        }
        let array = Arc::new(self.open_label(label, QueryType::Read)?);
        opened().push((label.name.clone(), array.clone()));
        Ok(array)
    }

    /// The array of a label, opened for writing at the time of this one.
    ///
    /// # Errors
    /// As [`OpenArray::label_for_reading`].
    pub fn label_for_writing(&self, label: &DimensionLabel) -> Result<Arc<OpenArray>> {
        Ok(Arc::new(self.open_label(label, QueryType::Write)?))
    }

    fn open_label(&self, label: &DimensionLabel, query_type: QueryType) -> Result<OpenArray> {
        let uri = label.array_uri(self.uri())?;
        if !label.is_relative {
            self.resources().vfs().check_links(self.uri(), [uri.as_str()])?;
        }
        let window = match (self.timestamps(), query_type) {
            ((start, 0), QueryType::Read) => (start, read_time()),
            (window, _) => window,
        };
        let array = OpenArray::open(self.resources(), &uri, query_type, window, self.key())?;
        if !labels_dimension(array.schema(), self.schema(), label) {
            bail!(
                Corrupt,
                "The array '{uri}' does not label dimension {} as '{}' says",
                label.dimension_index,
                label.name
            );
        }
        Ok(array)
    }
}

/// True if the first schema is of an array that labels a dimension of the second.
fn labels_dimension(array: &ArraySchema, labelled: &ArraySchema, label: &DimensionLabel) -> bool {
    let attribute = array.attribute(&label.attribute).is_some_and(|attribute| {
        attribute.datatype() == label.datatype
            && attribute.cell_val_num() == label.cell_val_num
            && !attribute.nullable()
    });
    let dimension = labelled.domain().dimensions().get(label.dimension_index as usize);
    let indexes = match (array.domain().dimensions(), dimension) {
        ([index], Some(dimension)) => index.datatype() == dimension.datatype(),
        _ => false,
    };
    array.is_dense() && attribute && indexes
}
