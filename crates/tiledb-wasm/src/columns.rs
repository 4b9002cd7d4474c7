//! Columns of results, described by the addresses of their memory.

use serde_json::{Value as Json, json};
use tiledb::{Batch, CellValNum, Enumeration, Field, Result};

/// Where the values, offsets and validity of a field of a batch are: address and length in bytes.
///
/// # Errors
/// If the batch has no such field.
pub fn column_json(batch: &Batch, field: &Field) -> Result<Json> {
    let name = field.name();
    let data = place(batch.bytes(name)?);
    let offsets = batch.offsets(name)?.map(place_of_offsets);
    let validity = batch.validity(name)?.map(place);
    Ok(json!({"data": data, "offsets": offsets, "validity": validity}))
}

/// The values of an enumeration, as a column.
pub struct EnumerationColumn {
    data: Vec<u8>,
    /// Where the values begin in bytes, and where the last one ends.
    offsets: Vec<u64>,
}

impl EnumerationColumn {
    pub fn new(enumeration: &Enumeration) -> EnumerationColumn {
        let (mut data, mut offsets) = (Vec::new(), vec![0]);
        for index in 0..enumeration.len() {
            data.extend_from_slice(enumeration.bytes(index).unwrap_or_default());
            offsets.push(data.len() as u64);
        }
        EnumerationColumn { data, offsets }
    }

    /// What JavaScript needs to copy it.
    pub fn json(&self, enumeration: &Enumeration) -> Json {
        let (cell_values, offsets) = match enumeration.cell_val_num() {
            CellValNum::Fixed(number) => (Some(number), None),
            CellValNum::Var => (None, Some(place_of_offsets(&self.offsets))),
        };
        let datatype = enumeration.datatype();
        json!({
            "type": datatype.to_string(), "size": datatype.size(), "valuesPerCell": cell_values,
            "ordered": enumeration.is_ordered(),
            "column": {"data": place(&self.data), "offsets": offsets, "validity": Json::Null},
        })
    }
}

fn place(bytes: &[u8]) -> Json {
    json!([bytes.as_ptr().addr(), bytes.len()])
}

fn place_of_offsets(offsets: &[u64]) -> Json {
    json!([offsets.as_ptr().addr(), size_of_val(offsets)])
}
