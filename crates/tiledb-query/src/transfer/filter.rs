//! The condition of a query.

use std::sync::Arc;

use super::request::{QueryRequest, closest_fields};
use tiledb_array::array::OpenArray;
use tiledb_array::condition::{Condition, Predicate};
use tiledb_array::fragment::{TIMESTAMPS, special_fields};
use tiledb_cells::predicate::program::Program;
use tiledb_core::error::{Result, bail};

/// The condition of cells to be read or deleted.
#[derive(Default)]
pub struct QueryFilter(Option<Predicate>);

impl QueryFilter {
    /// True if there is a condition.
    pub fn is_set(&self) -> bool {
        self.0.is_some()
    }

    /// The condition.
    pub fn predicate(&self) -> Option<&Predicate> {
        self.0.as_ref()
    }

    /// Sets the condition; `None` is an empty one.
    ///
    /// # Errors
    /// For writes, of queries that have begun, and without content.
    pub fn set(&mut self, request: &QueryRequest, begun: bool, condition: Option<Condition>) -> Result<()> {
        if request.writes() {
            bail!(
                "[TileDB::Query] Error: Cannot set query condition; Operation not applicable to write queries: set it for a \
                 TILEDB_READ or TILEDB_DELETE query"
            );
        }
        if begun {
            bail!(
                "[TileDB::Query] Error: Cannot set query condition; Setting a query condition on an alreadyinitialized \
                 query is not supported. Set it before the first tiledb_query_submit"
            );
        }
        match condition {
            Some(condition) => self.0 = Some(condition.predicate()?),
            None => bail!("TileDB internal: Query conditions must not be empty"),
        }
        Ok(())
    }

    /// The condition with values of enumerations replaced by their indexes.
    ///
    /// # Errors
    /// If an enumeration cannot be read.
    pub fn resolved(&self, request: &QueryRequest) -> Result<Option<Predicate>> {
        self.0.as_ref().map(|predicate| resolve(&request.array, predicate)).transpose()
    }

    /// The condition compiled for reading.
    ///
    /// # Errors
    /// If it does not fit the array.
    pub fn program(&self, request: &QueryRequest) -> Result<Option<Arc<Program>>> {
        self.0.as_ref().map(|predicate| program_of(&request.array, predicate)).transpose()
    }
}

/// A condition with values of enumerations replaced by their indexes.
fn resolve(array: &OpenArray, predicate: &Predicate) -> Result<Predicate> {
    let mut predicate = predicate.clone();
    predicate.resolve(array.schema(), |name| array.enumeration(name))?;
    Ok(predicate)
}

/// A condition compiled for reading an array.
///
/// # Errors
/// If it does not fit the array.
pub fn program_of(array: &OpenArray, predicate: &Predicate) -> Result<Arc<Program>> {
    let predicate = resolve(array, predicate)?;
    let schema = array.schema();
    let special = special_fields(schema, !schema.is_dense(), false);
    let field = |name: &str| match name {
        TIMESTAMPS => special.first(),
        name => schema.field(name),
    };
    let program = Program::new(&predicate, field).map_err(|error| {
        let unknown = predicate.leaves().find(|leaf| field(leaf.field()).is_none());
        match unknown {
            Some(leaf) => error.continued(&closest_fields(schema, leaf.field())),
            None => error,
        }
    })?;
    Ok(Arc::new(program))
}
