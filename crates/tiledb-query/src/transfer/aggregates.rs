//! The aggregates of a query: those applied to its channel, their result buffers, and the results.

use crate::read::aggregate::results;
use crate::read::spec::ReadSpec;
use tiledb_cells::aggregate::operation::{Aggregate, AggregateOutput};
use tiledb_cells::aggregate::result::AggregateResult;
use tiledb_cells::columns::buffers::Buffers;
use tiledb_cells::columns::user_buffer::UserBuffer;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{Name, NamedList};

/// Aggregates by the names of their results.
#[derive(Default)]
pub struct Aggregates {
    applied: NamedList<(Name, Aggregate)>,
    pub buffers: Buffers,
    /// The results, once they are known.
    results: Option<Vec<AggregateResult>>,
}

impl Aggregates {
    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.applied.is_empty()
    }

    /// Those that were added.
    pub fn applied(&self) -> &[(Name, Aggregate)] {
        &self.applied
    }

    /// Adds an aggregate.
    ///
    /// # Errors
    /// If there is another of this name.
    pub fn apply(&mut self, name: &str, aggregate: &Aggregate) -> Result<()> {
        if self.output(name).is_some() {
            bail!("C API: An aggregate operation for output field: {name} already exists.");
        }
        self.applied.push((Name::new(name), aggregate.clone()));
        Ok(())
    }

    /// The field that an aggregate delivers.
    pub fn output(&self, name: &str) -> Option<AggregateOutput> {
        self.applied.get(name).map(|(_, aggregate)| aggregate.output())
    }

    /// Records the data buffer of a result; false if no aggregate has this name.
    pub fn set_data(&mut self, name: &str, buffer: UserBuffer) -> bool {
        let is_known = self.output(name).is_some();
        if is_known {
            self.buffers.entry(name).data = Some(buffer);
        }
        is_known
    }

    /// Records the offsets buffer of a result; false if no aggregate has this name.
    pub fn set_offsets(&mut self, name: &str, buffer: UserBuffer) -> Result<bool> {
        let Some(output) = self.output(name) else { return Ok(false) };
        if !output.shape.cell_val_num.is_var() {
            bail!("[TileDB::Query] Error: Cannot set buffer; Input attribute '{name}' is not var sized");
        }
        self.buffers.entry(name).offsets = Some(buffer);
        Ok(true)
    }

    /// Records the validity buffer of a result; false if no aggregate has this name.
    pub fn set_validity(&mut self, name: &str, buffer: UserBuffer) -> Result<bool> {
        let Some((_, aggregate)) = self.applied.get(name) else { return Ok(false) };
        if !aggregate.takes_validity() {
            bail!("[TileDB::Query] Error: Cannot set buffer; Input attribute '{name}' is not nullable");
        }
        self.buffers.entry(name).validity = Some(buffer);
        Ok(true)
    }

    /// Computes the results unless they are known, and checks that they fit into their buffers.
    ///
    /// # Errors
    /// For buffers that are missing or too small, and as the read.
    pub fn compute(&mut self, spec: impl FnOnce() -> Result<ReadSpec>) -> Result<()> {
        for (name, aggregate) in &self.applied {
            aggregate.check_buffers(self.buffers.get(name))?;
        }
        let results = match self.results.take() {
            Some(results) => results,
            None => {
                let aggregates: Vec<&Aggregate> = self.applied.iter().map(|(_, aggregate)| aggregate).collect();
                results::aggregate(&spec()?, &aggregates)?
            }
        };
        let results = self.results.insert(results);
        for ((name, aggregate), result) in self.applied.iter().zip(results) {
            if let Some(buffers) = self.buffers.get(name) {
                aggregate.check_fits(result, buffers)?;
            }
        }
        Ok(())
    }

    /// Writes the results to their buffers.
    ///
    /// # Errors
    /// If one does not fit.
    pub fn deliver(&mut self) -> Result<()> {
        for ((name, _), result) in self.applied.iter().zip(self.results.iter().flatten()) {
            if let Some(buffers) = self.buffers.get_mut(name) {
                buffers.put_one(&result.value, result.valid)?;
            }
        }
        Ok(())
    }
}
