//! Conditions of the command line.

use tiledb::{CellCondition, Condition};

use super::array::Array;
use super::error::{Error, Result};
use super::query::ResultColumn;

/// A condition that was checked with the fields of an array.
pub(crate) struct CheckedCondition {
    condition: Condition,
    cells: CellCondition,
}

impl CheckedCondition {
    /// Reads a condition on the fields of an array.
    pub(crate) fn parse(text: &str, array: &Array) -> Result<Self> {
        let of_option = |error: tiledb::Error| {
            let message = error.message();
            Error::usage(format!("--where: {}", message.strip_prefix("Condition: ").unwrap_or(message)))
        };
        let condition: Condition = text.parse().map_err(of_option)?;
        let fields = array.schema().fields();
        let is_unknown = |name: &&str| !fields.iter().any(|field| field.name == **name);
        if let Some(name) = condition.fields().into_iter().find(is_unknown) {
            let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            let names = names.join(", ");
            return Err(Error::usage(format!("--where: there is no field {name:?}; there are {names}")));
        }
        let cells = condition.for_cells(&array.array.schema()).map_err(of_option)?;
        Ok(Self { condition, cells })
    }

    /// As the library takes it.
    pub(crate) fn condition(&self) -> &Condition {
        &self.condition
    }

    /// Whether it has a field of this name.
    pub(crate) fn has_field(&self, name: &str) -> bool {
        self.condition.fields().contains(name)
    }

    /// Whether it holds for a cell, whose columns are found by name.
    pub(crate) fn holds<'c>(&self, column: impl Fn(&str) -> Option<&'c ResultColumn<'c>>, at: usize) -> bool {
        self.cells.matches(|name| column(name).and_then(|column| column.value(at).plain()))
    }
}
