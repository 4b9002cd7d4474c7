//! The array into which rows are imported.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use tiledb::{Context, Datatype};

use crate::model::{Array, ArrayWriter, Error, Field, Moments, Result, Value, extend_enumeration};

use super::arrow_reader::contain;
use super::batch_scan::stored_bytes;
use super::dictionary::each_value;

/// Bytes of cells that become a fragment.
pub(super) const FRAGMENT: usize = 64 << 20;

/// An array, and the position of the next row.
pub(crate) struct ImportTarget<'c> {
    ctx: &'c Context,
    uri: String,
    /// Its fields that rows have cells of.
    pub fields: Vec<Field>,
    /// Members of enumerations, by attribute.
    members: HashMap<String, HashSet<Vec<u8>>>,
    /// The next row of a dense array, and the cells of its tiles.
    next: Option<(i64, u64)>,
    /// Rows that were written.
    pub stored: u64,
    /// Fragments that they are in.
    pub fragments: u64,
}

impl<'c> ImportTarget<'c> {
    /// An array for rows with these columns.
    pub(crate) fn new(ctx: &'c Context, uri: &str, columns: &[String]) -> Result<Self> {
        let array = Array::open(ctx, uri, Moments::default())?;
        let is_dense = array.schema().is_dense();
        let next = if is_dense { Some(next_row(&array, columns)?) } else { None };
        let fields: Vec<Field> = array.schema().fields().into_iter().skip(usize::from(is_dense)).collect();
        let known: HashSet<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        let more = columns.iter().find(|name| !known.contains(name.as_str()));
        if let Some(name) = more {
            return Err(Error::failed(format!(
                "{uri}: the array has no field {name:?}, which is a column of the file"
            )));
        }
        let given: HashSet<&str> = columns.iter().map(String::as_str).collect();
        let lacks = fields.iter().find(|field| !given.contains(field.name.as_str()));
        if let Some(field) = lacks {
            return Err(Error::failed(format!("{uri}: the file has no column {:?}", field.name)));
        }
        let members = fields.iter().filter_map(|field| Some((field.name.clone(), members(field)?))).collect();
        Ok(Self { ctx, uri: uri.to_owned(), fields, members, next, stored: 0, fragments: 0 })
    }

    /// The number of rows that end with a whole tile of a dense array; all of a sparse one.
    pub(crate) fn whole(&self, rows: u64) -> u64 {
        match self.next {
            Some((next, tile)) => {
                let begun = next as u64 % tile;
                ((begun + rows) / tile * tile).saturating_sub(begun)
            }
            None => rows,
        }
    }

    /// Bytes of the cells of a batch.
    pub(crate) fn bytes(&self, batch: &RecordBatch) -> Result<usize> {
        contain(|| Ok(stored_bytes(batch, |name| self.members.contains_key(name))))
    }

    /// Extends enumerations by the values of dictionaries that they do not have yet.
    pub(crate) fn extend_enumerations(&mut self, batches: &[RecordBatch]) -> Result<()> {
        for (name, members) in &mut self.members {
            let (mut data, mut offsets) = (Vec::new(), Vec::new());
            let mut add = |value: &[u8]| {
                if members.insert(value.to_vec()) {
                    offsets.push(data.len() as u64);
                    data.extend_from_slice(value);
                }
            };
            contain(|| {
                for column in batches.iter().filter_map(|batch| batch.column_by_name(name)) {
                    if let Some(dictionary) = column.as_any_dictionary_opt() {
                        each_value(dictionary.values(), &mut add);
                    }
                }
                Ok(())
            })?;
            if offsets.is_empty() {
                continue;
            }
            let field = self.fields.iter().find(|field| field.name == *name);
            let enumeration = field.and_then(|field| field.enumeration.as_ref());
            let is_var = enumeration.is_some_and(|one| one.is_var());
            // Schemas of the same millisecond have no order.
            std::thread::sleep(Duration::from_millis(2));
            let offsets = if is_var { offsets } else { Vec::new() };
            extend_enumeration(self.ctx, &self.uri, name, &data, &offsets)?;
        }
        Ok(())
    }

    /// Writes rows with `write`, which gets the array and the position of the rows in a dense one.
    pub(crate) fn write(
        &mut self,
        rows: u64,
        write: impl FnOnce(&ArrayWriter, Option<[i64; 2]>) -> Result<()>,
    ) -> Result<()> {
        if rows == 0 {
            return Ok(());
        }
        let array = ArrayWriter::open(self.ctx, &self.uri)?;
        write(&array, self.next.map(|(next, _)| [next, next + rows as i64 - 1]))?;
        if let Some((next, _)) = &mut self.next {
            *next += rows as i64;
        }
        self.stored += rows;
        self.fragments += 1;
        Ok(())
    }
}

/// The bytes of the members of a field's enumeration.
fn members(field: &Field) -> Option<HashSet<Vec<u8>>> {
    Some(field.enumeration.as_ref()?.members.iter().cloned().collect())
}

/// The first row of a dense array that holds nothing, and the cells of its tiles.
fn next_row(array: &Array, columns: &[String]) -> Result<(i64, u64)> {
    let schema = array.schema();
    let [dimension] = schema.dimensions.as_slice() else {
        let count = schema.dimensions.len();
        return Err(Error::failed(format!("rows cannot be put into a dense array of {count} dimensions")));
    };
    let name = &dimension.name;
    let number = |value: &Value| if let Value::Int(number) = value { *number } else { 0 };
    let first = dimension.domain.as_ref().map_or(-1, |(low, _)| number(low));
    if columns.contains(name) || dimension.datatype != Datatype::Int64 || first != 0 {
        return Err(Error::failed(format!("dimension {name:?} of the dense array does not number rows from 0 on")));
    }
    let stored = array.non_empty_domain()?;
    let next = stored.as_ref().and_then(|bounds| bounds.first()).map_or(first, |(_, high)| number(high) + 1);
    let tile = dimension.extent.as_ref().map_or(1, number).max(1);
    Ok((next, tile as u64))
}
