//! Estimates of result sizes, and which fields have one.

use crate::read::estimate::sum::ResultSize;
use crate::read::estimate::total::{self, EstimateTarget};
use crate::transfer::request::{QueryRequest, closest_fields};
use tiledb_array::fragment::{DELETE_CONDITIONS, DELETE_TIMESTAMPS, TIMESTAMPS};
use tiledb_array::schema::{ArraySchema, Field};
use tiledb_cells::columns::zipped::COORDS;
use tiledb_core::error::{Result, bail};
use tiledb_core::stats::Timer;
use tiledb_core::types::QueryType;

/// Estimates the bytes of a field's results. Special fields have none.
///
/// # Errors
/// For writes, unknown fields, and fields that are not as `var` and `nullable` say.
pub(crate) fn estimate(request: &QueryRequest, name: &str, var: bool, nullable: bool) -> Result<ResultSize> {
    let schema = request.array.schema();
    let field = schema.field(name);
    if field.is_none() && !is_special(name) {
        let names = closest_fields(schema, name);
        bail!("Query: query estimated result size: '{name}' is not an array field{names}");
    }
    let is_nullable = field.is_some_and(|field| field.nullable);
    match (field.is_some_and(Field::is_var), var, is_nullable, nullable) {
        (true, false, ..) => bail!("Query: query estimated result size: '{name}' is not fixed-sized"),
        (false, true, ..) => bail!("Query: query estimated result size: '{name}' is not variable-sized"),
        (_, _, true, false) => {
            bail!("Query: query estimated result size: field '{name}' is not a nonnull array field")
        }
        (_, _, false, true) if field.is_none_or(|field| field.is_dimension) => {
            bail!("Query: query estimated result size: '{name}' is not the name of an attribute")
        }
        (_, _, false, true) => {
            bail!("Query: query estimated result size: attribute '{name}' is not nullable")
        }
        _ => (),
    }
    if name == COORDS {
        check_zipped(schema)?;
    }
    if request.kind != QueryType::Read {
        bail!(
            "Query: query estimated result size: operation currently supported only for read queries: '{name}' belongs to one of \
             type {}",
            request.kind.name()
        );
    }
    let target = match field {
        Some(field) => EstimateTarget::Field(field),
        None if name == COORDS => EstimateTarget::Coordinates,
        None => return Ok(ResultSize::default()),
    };
    let _timer = request.stats.timer(Timer::Estimate);
    total::estimate(&request.array, &request.subarray, request.layout, target)
}

fn is_special(name: &str) -> bool {
    [COORDS, TIMESTAMPS, DELETE_TIMESTAMPS, DELETE_CONDITIONS].contains(&name)
}

/// Coordinates go together only where they are of one type.
fn check_zipped(schema: &ArraySchema) -> Result<()> {
    let dimensions = schema.domain().dimensions();
    if dimensions.iter().any(|dimension| dimension.datatype() != dimensions[0].datatype()) {
        bail!(
            "Query: query estimated result size: not applicable to zipped coordinates in arrays with heterogeneous domain"
        );
    }
    if dimensions.iter().any(|dimension| dimension.is_var()) {
        bail!(
            "Query: query estimated result size: not applicable to zipped coordinates in arrays with domains with \
             variable-sized dimensions"
        );
    }
    Ok(())
}
