//! A transfer of cells between an array and buffers.

use std::sync::Arc;

use super::aggregates::Aggregates;
use super::fields::{FieldStage, Fields};
use super::filter::QueryFilter;
use super::progress::{QueryProgress, QueryState};
use super::request::QueryRequest;
use tiledb_array::array::OpenArray;
use tiledb_core::error::Result;
use tiledb_core::types::{Layout, QueryType};

/// A read or write of cells, without labels.
pub struct Transfer {
    pub request: QueryRequest,
    /// The buffers of fields.
    pub fields: Fields,
    /// The query condition.
    pub filter: QueryFilter,
    pub aggregates: Aggregates,
    pub run: QueryProgress,
}

impl Transfer {
    /// A transfer of a kind, with an array opened for it.
    ///
    /// # Errors
    /// If the array was opened for something else.
    pub fn new(array: &Arc<OpenArray>, kind: QueryType) -> Result<Transfer> {
        Ok(Transfer {
            request: QueryRequest::new(array, kind)?,
            fields: Fields::default(),
            filter: QueryFilter::default(),
            aggregates: Aggregates::default(),
            run: QueryProgress::default(),
        })
    }

    /// Progress of the transfer of a field.
    pub fn stage(&self, name: &str) -> FieldStage {
        let written = match &self.run.machine {
            QueryState::Writing(writer) => writer.has_written(name),
            QueryState::Written => self.request.layout == Layout::Unordered && self.fields.buffers.get(name).is_some(),
            _ => false,
        };
        FieldStage { begun: self.run.is_initialized(), written }
    }
}
