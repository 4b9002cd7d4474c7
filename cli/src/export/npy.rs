//! Cells of a block of a dense array as an NPY file of NumPy.
//!
//! Format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>, version 1.0.

use std::io::{BufWriter, Write};

use super::out::Out;
use crate::model::{Error, Field, Range, Reader, Result, Schema, Value};
use crate::npy_format::{descriptor, header};
use crate::progress::Progress;

/// The block of cells that becomes a file.
pub(crate) struct NpyBlock {
    pub field: Field,
    descriptor: String,
    shape: Vec<u64>,
}

impl NpyBlock {
    /// The block within these ranges; without ranges an empty one.
    ///
    /// # Errors
    /// If the cells are no block, or have no datatype of NumPy.
    pub(crate) fn new(schema: &Schema, mut fields: Vec<Field>, ranges: Option<&[Range]>) -> Result<Self> {
        if !schema.is_dense() {
            return Err(Error::usage(
                "NPY is for blocks of dense arrays: write a sparse array as Parquet, Arrow or CSV",
            ));
        }
        fields.retain(|field| !schema.dimensions.iter().any(|dimension| dimension.name == field.name));
        if fields.len() != 1 {
            let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            let names = names.join(", ");
            return Err(Error::usage(format!(
                "an NPY file has the values of one attribute: add --fields with one of {names}"
            )));
        }
        let field = fields.swap_remove(0);
        let name = &field.name;
        if field.is_nullable {
            return Err(Error::usage(format!(
                "{name:?} is nullable, and NPY has no nulls: write it as Parquet, Arrow or CSV"
            )));
        }
        let descriptor = descriptor(field.datatype).filter(|_| !field.is_var());
        let descriptor = descriptor.ok_or_else(|| {
            Error::usage(format!("NPY has no type for the cells of {name:?}: write them as Parquet, Arrow or CSV"))
        })?;
        let side = |dimension: &crate::model::Dimension| {
            let Some(ranges) = ranges else { return Ok(0) };
            let mut own = ranges.iter().filter(|range| range.dimension == dimension.name);
            match (own.next(), own.next()) {
                (Some(range), None) => {
                    let number = |bytes: &[u8]| match Value::of_bytes(dimension.datatype, bytes) {
                        Value::Int(number) | Value::Moment(_, number) => i128::from(number),
                        Value::Unsigned(number) => i128::from(number),
                        _ => 0,
                    };
                    Ok(u64::try_from(number(&range.high) - number(&range.low) + 1).unwrap_or(u64::MAX))
                }
                _ => Err(Error::usage(format!("an NPY file is one block: give one --range of {:?}", dimension.name))),
            }
        };
        let mut shape = schema.dimensions.iter().map(side).collect::<Result<Vec<u64>>>()?;
        if field.values != 1 {
            shape.push(field.values.into());
        }
        Ok(Self { field, descriptor, shape })
    }

    /// Number of values.
    fn values(&self) -> Option<u64> {
        self.shape.iter().try_fold(1_u64, |all, side| all.checked_mul(*side))
    }
}

/// Writes a block, of which the reader returns the cells row by row; returns their number.
pub(crate) fn write_npy(block: &NpyBlock, reader: Option<Reader>, out: Out, progress: &Progress) -> Result<u64> {
    let mut out = BufWriter::new(out);
    out.write_all(&header(&block.descriptor, &block.shape))?;
    let mut cells = 0;
    let mut bytes = 0;
    if let Some(mut reader) = reader {
        while let Some(batch) = reader.next()? {
            if progress.is_stopped() {
                return Err(Error::Stopped);
            }
            let columns = batch.columns()?;
            let data = columns.first().map_or(&[][..], |column| column.data());
            out.write_all(data)?;
            cells += batch.cells() as u64;
            bytes += data.len() as u64;
        }
    }
    let size = block.field.datatype.size() as u64;
    if Some(bytes) != block.values().and_then(|values| values.checked_mul(size)) {
        return Err(Error::failed(format!("the block has {:?} values, but {bytes} bytes were read", block.shape)));
    }
    out.into_inner().map_err(|error| error.into_error())?.finish()?;
    Ok(cells)
}
