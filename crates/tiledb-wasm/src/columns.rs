//! Columns of results, described by the addresses of their memory.

use serde_json::{Value as Json, json};
use tiledb::{Batch, Field, Result};

/// Where the values, offsets and validity of a field of a batch are: address and length in bytes.
///
/// # Errors
/// If the batch has no such field.
pub fn column_json(batch: &Batch, field: &Field) -> Result<Json> {
    let place = |bytes: &[u8]| json!([bytes.as_ptr().addr(), bytes.len()]);
    let name = field.name();
    let data = place(batch.bytes(name)?);
    let offsets = batch.offsets(name)?.map(|offsets| json!([offsets.as_ptr().addr(), size_of_val(offsets)]));
    let validity = batch.validity(name)?.map(place);
    Ok(json!({"data": data, "offsets": offsets, "validity": validity}))
}
