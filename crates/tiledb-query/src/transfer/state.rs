//! A transfer of cells between an array and buffers.

use std::sync::Arc;

use super::aggregates::Aggregates;
use super::fields::{Fields, Stage};
use super::filter::Filter;
use super::request::Request;
use super::run::{Machine, Run};
use tiledb_array::array::OpenArray;
use tiledb_core::error::Result;
use tiledb_core::types::{Layout, QueryType};

/// A read or write of cells, without labels.
pub struct Transfer {
    /// What was asked for.
    pub request: Request,
    /// The buffers of fields.
    pub fields: Fields,
    /// What cells must meet.
    pub filter: Filter,
    /// What is computed of the cells that are read.
    pub aggregates: Aggregates,
    /// How far it has come.
    pub run: Run,
}

impl Transfer {
    /// A transfer of a kind, with an array opened for it.
    ///
    /// # Errors
    /// If the array was opened for something else.
    pub fn new(array: &Arc<OpenArray>, kind: QueryType) -> Result<Transfer> {
        Ok(Transfer {
            request: Request::new(array, kind)?,
            fields: Fields::default(),
            filter: Filter::default(),
            aggregates: Aggregates::default(),
            run: Run::default(),
        })
    }

    /// How far the transfer of a field has come.
    pub fn stage(&self, name: &str) -> Stage {
        let written = match &self.run.machine {
            Machine::Writing(writer) => writer.has_written(name),
            Machine::Written => self.request.layout == Layout::Unordered && self.fields.buffers.get(name).is_some(),
            _ => false,
        };
        Stage { begun: self.run.is_initialized(), written }
    }
}
