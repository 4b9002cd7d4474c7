//! Dictionary-encoded columns: indexes, and the values that they stand for.

use std::borrow::Cow;

use super::cells::{ColumnCells, RowRange, validity};
use super::conversion::ColumnConversion;
use super::import::ImportedArray;
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::{Cell, PhysicalType, dispatch};

/// Values of a dictionary for each row from which on only those are converted that the rows refer to: converting one value alone takes
/// as long as this many of a whole dictionary.
const VALUES_PER_ROW: usize = 16;

/// Whether so few rows refer to a dictionary that its values are converted one by one. Without that, a file of small batches that share a
/// large dictionary would take the product of their numbers.
pub(crate) fn is_sparse(dictionary: &ImportedArray, rows: RowRange<'_>) -> bool {
    rows.count.saturating_mul(VALUES_PER_ROW) < dictionary.length
}

/// The dictionary of a column.
///
/// # Errors
/// If it has none.
pub(crate) fn dictionary_of<'a>(values: &'a ImportedArray, rows: RowRange<'_>) -> Result<&'a ImportedArray> {
    match &values.dictionary {
        Some(dictionary) => Ok(dictionary),
        None => bail!("Arrow: column '{}' has lost its dictionary", rows.name),
    }
}

/// Decodes the values of a dictionary.
pub(crate) fn dictionary<'a>(
    values: &'a ImportedArray,
    conversion: &ColumnConversion,
    rows: RowRange<'_>,
) -> Result<ColumnCells<'a>> {
    let dictionary = dictionary_of(values, rows)?;
    conversion.cells(dictionary, RowRange { first: dictionary.offset, count: dictionary.length, ..rows })
}

/// The indexes of rows, and their validity: a row is null if its index or its value is.
pub(crate) fn indexes(
    values: &ImportedArray,
    index: PhysicalType,
    rows: RowRange<'_>,
    dictionary: Option<&ColumnCells<'_>>,
) -> Result<(Vec<u64>, Option<Vec<u8>>)> {
    let count = dictionary_of(values, rows)?.length as u64;
    let size = index.size();
    let bytes = values.buffer(1, rows.first.saturating_mul(size), rows.count.saturating_mul(size))?;
    let mut indexes = memory::with_capacity("Arrow indexes", rows.count)?;
    dispatch!(index, T => {
        // Integers below zero become the greatest.
        let zero = T::default().to_key();
        indexes.extend(bytes.chunks_exact(size).map(|cell| <T as Cell>::from_le(cell).to_key().wrapping_sub(zero)));
    });
    let mut valid = validity(values, rows.first, rows.count)?;
    let is_valid = |valid: &Option<Vec<u8>>, at: usize| valid.as_ref().is_none_or(|valid| valid[at] != 0);
    if let Some(at) = indexes.iter().enumerate().position(|(at, &index)| index >= count && is_valid(&valid, at)) {
        bail!(
            "Arrow: row {} of column '{}' has index {} of a dictionary of {count} values",
            rows.number(at),
            rows.name,
            indexes[at] as i64
        );
    }
    if let Some(dictionary) = dictionary.filter(|dictionary| dictionary.validity.is_some()) {
        let mut all = match valid {
            Some(valid) => valid,
            None => memory::filled("Arrow validity", 1, rows.count)?,
        };
        for (byte, &index) in all.iter_mut().zip(&indexes) {
            *byte &= u8::from(usize::try_from(index).is_ok_and(|index| dictionary.is_valid(index)));
        }
        valid = Some(all).filter(|valid| valid.contains(&0));
    }
    Ok((indexes, valid))
}

/// Decodes the cells of rows.
///
/// # Errors
/// If an index has no value, or a value is none of the field.
pub(crate) fn decoded<'a>(
    values: &'a ImportedArray,
    conversion: &ColumnConversion,
    index: PhysicalType,
    rows: RowRange<'_>,
) -> Result<ColumnCells<'a>> {
    if is_sparse(dictionary_of(values, rows)?, rows) {
        return each_decoded(values, conversion, index, rows);
    }
    let dictionary = dictionary(values, conversion, rows)?;
    let chosen = indexes(values, index, rows, Some(&dictionary))?;
    all_decoded(&dictionary, conversion, &chosen, rows)
}

/// Decodes the cells of few rows, value by value.
fn each_decoded<'a>(
    values: &'a ImportedArray,
    conversion: &ColumnConversion,
    index: PhysicalType,
    rows: RowRange<'_>,
) -> Result<ColumnCells<'a>> {
    let dictionary = dictionary_of(values, rows)?;
    let (chosen, mut valid) = indexes(values, index, rows, None)?;
    let mut data = Vec::new();
    let mut starts = memory::with_capacity("Arrow offsets", rows.count + 1)?;
    starts.push(0);
    for (at, &index) in chosen.iter().enumerate() {
        if valid.as_ref().is_none_or(|valid| valid[at] != 0) {
            // Indexes of valid rows are those of values.
            let first = dictionary.offset.saturating_add(usize::try_from(index).unwrap_or(usize::MAX));
            let one = RowRange { first, count: 1, first_row: rows.number(at), ..rows };
            conversion.check_offsets(dictionary, one)?;
            let cells = conversion.cells(dictionary, one)?;
            if cells.is_valid(0) {
                let cell = cells.cell(0, conversion.cell);
                memory::reserve("Arrow values", &mut data, cell.len())?;
                data.extend_from_slice(cell);
            } else {
                match &mut valid {
                    Some(valid) => valid[at] = 0,
                    None => valid.insert(memory::filled("Arrow validity", 1, rows.count)?)[at] = 0,
                }
            }
        }
        match conversion.cell {
            Some(size) => data.resize((at + 1) * size, 0),
            None => starts.push(data.len() as u64),
        }
    }
    let starts = conversion.cell.is_none().then_some(Cow::Owned(starts));
    Ok(ColumnCells { data: Cow::Owned(data), starts, validity: valid.filter(|valid| valid.contains(&0)) })
}

/// Decodes dictionary indexes.
fn all_decoded<'a>(
    dictionary: &ColumnCells<'_>,
    conversion: &ColumnConversion,
    (chosen, valid): &(Vec<u64>, Option<Vec<u8>>),
    rows: RowRange<'_>,
) -> Result<ColumnCells<'a>> {
    let is_valid = |at: usize| valid.as_ref().is_none_or(|valid| valid.get(at).is_some_and(|&byte| byte != 0));
    let cell = |at: usize, index: u64| match is_valid(at) {
        true => dictionary.cell(usize::try_from(index).unwrap_or(usize::MAX), conversion.cell),
        false => &[],
    };
    let total = chosen.iter().enumerate().map(|(at, &index)| cell(at, index).len()).fold(0, usize::saturating_add);
    let mut data =
        memory::with_capacity("Arrow values", conversion.cell.map_or(total, |cell| cell.saturating_mul(rows.count)))?;
    let mut starts = memory::with_capacity("Arrow offsets", rows.count + 1)?;
    starts.push(0);
    for (at, &index) in chosen.iter().enumerate() {
        data.extend_from_slice(cell(at, index));
        match conversion.cell {
            Some(size) => data.resize((at + 1) * size, 0),
            None => starts.push(data.len() as u64),
        }
    }
    let starts = conversion.cell.is_none().then_some(Cow::Owned(starts));
    Ok(ColumnCells { data: Cow::Owned(data), starts, validity: valid.clone() })
}
