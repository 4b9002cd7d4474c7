//! Selects filters for cells in another layout than that of the array.

use std::sync::Arc;

use super::filters::Advisor;
use super::layout::{LayoutProblem, scaled};
use tiledb_array::array::OpenArray;
use tiledb_array::schema::ArraySchema;
use tiledb_core::error::Result;
use tiledb_filters::crypto::EncryptionKey;

/// Filters that were selected for a sample.
pub(super) struct Refiltered {
    pub(super) schema: ArraySchema,
    /// Modeled time to decode all cells of the array with them, in nanoseconds.
    pub(super) decode: u64,
}

/// Selects the filters for a sample of `cells` cells that was written to memory, and puts them into a schema.
///
/// # Errors
/// If memory does not suffice.
pub(super) fn refiltered(
    problem: &LayoutProblem<'_>,
    sample: &Arc<OpenArray>,
    cells: u64,
    schema: &ArraySchema,
) -> Result<Refiltered> {
    let advisor = Advisor::new(problem.resources, sample, &EncryptionKey::None, problem.version, problem.objective)?;
    let (selected, parts) = advisor.filters()?;
    let decode = parts.iter().fold(0u64, |sum, part| sum.saturating_add(part.recommended_cost.decode));
    let schema = with_filters_of(schema, &selected)?;
    Ok(Refiltered { schema, decode: scaled(decode, problem.cells, cells) })
}

/// A schema with the filters of another one that has the same fields.
///
/// # Errors
/// If a field does not admit the filters.
pub(super) fn with_filters_of(schema: &ArraySchema, source: &ArraySchema) -> Result<ArraySchema> {
    schema.with_filters(
        &|field| source.field(field.name.as_str()).map(|field| field.filters.clone()),
        [source.offsets_filters(), source.validity_filters()],
    )
}
