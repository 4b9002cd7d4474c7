//! A field that is written from Arrow columns: conversion of cells, and buffering until the next submit.

use std::borrow::Cow;
use std::sync::Arc;

use super::cells::{ColumnCells, NOT_A_TIME, RowRange};
use super::column::{ColumnShape, shape_of};
use super::conversion::{ColumnConversion, ColumnLayout, index_of, refuse};
use super::dictionary::{decoded, dictionary, dictionary_of, indexes, is_sparse};
use super::import::{ImportedArray, ImportedType};
use tiledb_array::schema::{Enumeration, Field, number_text};
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::{Cell, PhysicalType, dispatch};
use tiledb_query::CellSlices;

/// Assumed size of a variable-length cell if counting would take as long as converting.
const GUESS: u64 = 32;

/// Maximum number of characters or numbers of a value in errors.
const MOST_SHOWN: usize = 100;

/// How a column maps to its field.
enum Kind {
    /// The cells.
    Plain(ColumnConversion),
    /// Dictionary-encoded values, which are decoded.
    Decoded(PhysicalType, ColumnConversion),
    /// Indexes of the enumeration's values.
    Indexes(ColumnConversion, Arc<Enumeration>),
    /// Values of the enumeration, dictionary-encoded or not, which are converted to enumeration indexes.
    Named(Option<PhysicalType>, ColumnConversion, Arc<Enumeration>),
}

/// A field and its buffered cells.
pub(crate) struct FieldSink {
    pub field: Field,
    kind: Kind,
    buffered: CellBuffer,
}

/// Copied cells of a field.
pub(crate) struct CellBuffer {
    data: Vec<u8>,
    /// For variable-length cells: 0, and the end of each.
    starts: Vec<u64>,
    validity: Vec<u8>,
}

impl FieldSink {
    /// A field, with its enumeration if it has one, to be filled from columns of a type.
    ///
    /// # Errors
    /// If the type is not that of the field.
    pub(crate) fn new(
        field: &Field,
        enumeration: Option<Arc<Enumeration>>,
        imported: &ImportedType,
    ) -> Result<FieldSink> {
        let name = field.name.as_str();
        let own = (field.datatype, field.cell_val_num);
        let is_single = shape_of(own.0, own.1.fixed()) == ColumnShape::Single;
        let names = enumeration.filter(|_| is_single);
        let plain = |imported: &ImportedType| ColumnConversion::of(own.0, own.1, imported);
        let index = imported.dictionary.as_ref().map(|_| index_of(&imported.format));
        let kind = match (names, imported.dictionary.as_deref(), index.flatten()) {
            (_, Some(_), None) => bail!(
                "Arrow: column '{name}' is a dictionary whose indexes have the format '{}'; whole numbers are taken",
                imported.format
            ),
            (Some(names), dictionary, index) => {
                let values = (names.datatype(), names.cell_val_num());
                match (ColumnConversion::of(values.0, values.1, dictionary.unwrap_or(imported)), dictionary) {
                    (Some(conversion), _) => Kind::Named(index, conversion, names),
                    (None, None) => match plain(imported) {
                        Some(conversion) => Kind::Indexes(conversion, names),
                        None => return refuse(name, values, imported),
                    },
                    (None, Some(dictionary)) => return refuse(name, values, dictionary),
                }
            }
            (None, Some(dictionary), Some(index)) => match plain(dictionary) {
                Some(conversion) => Kind::Decoded(index, conversion),
                None => return refuse(name, own, imported),
            },
            (None, None, _) => match plain(imported) {
                Some(conversion) => Kind::Plain(conversion),
                None => return refuse(name, own, imported),
            },
        };
        Ok(FieldSink { field: field.clone(), kind, buffered: CellBuffer::default() })
    }

    /// Approximate size of rows of a column.
    pub(crate) fn bytes(&self, values: &ImportedArray, rows: RowRange<'_>) -> u64 {
        let field = &self.field;
        let of_cells = match (&self.kind, field.is_var()) {
            (_, false) => (field.cell_size() as u64).saturating_mul(rows.count as u64),
            (Kind::Plain(conversion), true) => {
                conversion.var_bytes(values, rows).unwrap_or(GUESS.saturating_mul(rows.count as u64))
            }
            (_, true) => GUESS.saturating_mul(rows.count as u64),
        };
        let beside = u64::from(field.is_var()) * 8 + u64::from(field.nullable);
        of_cells.saturating_add(beside * rows.count as u64)
    }

    /// Validates the offsets of rows of a column, or of its dictionary, before anything is done with its data.
    ///
    /// # Errors
    /// As [`ColumnConversion::check_offsets`].
    pub(crate) fn check_offsets(&self, values: &ImportedArray, rows: RowRange<'_>) -> Result<()> {
        match &self.kind {
            Kind::Plain(conversion) | Kind::Indexes(conversion, _) | Kind::Named(None, conversion, _) => {
                conversion.check_offsets(values, rows)
            }
            // Its values are validated when they are decoded.
            Kind::Decoded(..) if is_sparse(dictionary_of(values, rows)?, rows) => Ok(()),
            Kind::Decoded(_, conversion) | Kind::Named(Some(_), conversion, _) => {
                let dictionary = dictionary_of(values, rows)?;
                let all = RowRange { first: dictionary.offset, count: dictionary.length, ..rows };
                conversion.check_offsets(dictionary, all)
            }
        }
    }

    /// Converts rows to cells.
    ///
    /// # Errors
    /// If they cannot be made, or are null where they must not be.
    pub(crate) fn cells<'a>(&self, values: &'a ImportedArray, rows: RowRange<'_>) -> Result<ColumnCells<'a>> {
        let mut cells = match &self.kind {
            Kind::Plain(conversion) => conversion.cells(values, rows)?,
            Kind::Indexes(conversion, names) => {
                let cells = conversion.cells(values, rows)?;
                self.check_indexes(names, &cells, rows)?;
                cells
            }
            Kind::Decoded(index, conversion) => decoded(values, conversion, *index, rows)?,
            Kind::Named(Some(index), conversion, names) => {
                let dictionary = dictionary(values, conversion, rows)?;
                let chosen = indexes(values, *index, rows, Some(&dictionary))?;
                let count = dictionary_of(values, rows)?.length;
                let known = |at| names.index_of(dictionary.cell(at, conversion.cell)).map(|index| index as u64);
                let known = memory::collect("Arrow dictionary", (0..count).map(known))?;
                let of_row = |at: usize| usize::try_from(chosen.0[at]).ok();
                let index = |at: usize| of_row(at).and_then(|value| known.get(value).copied().flatten());
                let shown = |at: usize| of_row(at).map_or(&[][..], |value| dictionary.cell(value, conversion.cell));
                self.named(names, rows, chosen.1.as_deref(), index, shown)?
            }
            Kind::Named(None, conversion, names) => {
                let converted = conversion.cells(values, rows)?;
                let index = |at| names.index_of(converted.cell(at, conversion.cell)).map(|index| index as u64);
                self.named(names, rows, converted.validity.as_deref(), index, |at| converted.cell(at, conversion.cell))?
            }
        };
        if self.field.nullable {
            if cells.validity.is_none() {
                cells.validity = Some(memory::filled("Arrow validity", 1, rows.count)?);
            }
        } else if let Some(valid) = cells.validity.take().filter(|valid| valid.contains(&0)) {
            if self.has_not_a_time() {
                let none = NOT_A_TIME.to_le_bytes();
                let times = cells.data.to_mut().chunks_exact_mut(none.len());
                times.zip(&valid).filter(|(_, valid)| **valid == 0).for_each(|(time, _)| time.copy_from_slice(&none));
                return Ok(cells);
            }
            let at = valid.iter().position(|&byte| byte == 0).unwrap_or_default();
            bail!(
                "Arrow: row {} of column '{}' is null, but the field is not nullable; fill it, or make the attribute nullable",
                rows.number(at),
                self.field.name
            );
        }
        Ok(cells)
    }

    /// Whether a null of the field, though it is not nullable, can be stored as a date that is none.
    fn has_not_a_time(&self) -> bool {
        let field = &self.field;
        let is_single = shape_of(field.datatype, field.cell_val_num.fixed()) == ColumnShape::Single;
        is_single && field.datatype.is_datetime() && field.attribute_index.is_some()
    }

    /// Checks that indexes are those of values, apart from the one that represents null.
    fn check_indexes(&self, names: &Enumeration, cells: &ColumnCells<'_>, rows: RowRange<'_>) -> Result<()> {
        let physical = self.field.datatype.physical();
        let absent = self.absent(names);
        let count = names.len() as u64;
        let unknown = dispatch!(physical, T => {
            let zero = T::default().to_key();
            let index = |cell: &[u8]| <T as Cell>::from_le(cell).to_key().wrapping_sub(zero);
            let all = cells.data.chunks_exact(physical.size()).map(index).enumerate();
            all.filter(|&(_, index)| index >= count && Some(index) != absent).find(|&(at, _)| cells.is_valid(at))
        });
        match unknown {
            None => Ok(()),
            Some((at, index)) => bail!(
                "Arrow: row {} of column '{}' has index {} of enumeration '{}', which has {count} values; write the values, or add to them \
                 by a schema evolution",
                rows.number(at),
                self.field.name,
                index as i64,
                names.name()
            ),
        }
    }

    /// Converts values to enumeration indexes.
    fn named<'a, 'b>(
        &self,
        names: &Enumeration,
        rows: RowRange<'_>,
        valid: Option<&[u8]>,
        index: impl Fn(usize) -> Option<u64>,
        shown: impl Fn(usize) -> &'b [u8],
    ) -> Result<ColumnCells<'a>> {
        let size = self.field.datatype.size();
        let absent = self.absent(names);
        let mut data = memory::with_capacity("Arrow indexes", rows.count.saturating_mul(size))?;
        for at in 0..rows.count {
            let is_valid = valid.is_none_or(|valid| valid.get(at).is_some_and(|&byte| byte != 0));
            let index = match index(at) {
                _ if !is_valid => absent.unwrap_or(0),
                Some(index) => index,
                None => bail!(
                    "Arrow: row {} of column '{}' is {}, which enumeration '{}' does not have; add it to the enumeration by a \
                     schema evolution",
                    rows.number(at),
                    self.field.name,
                    shown_value(names, shown(at)),
                    names.name()
                ),
            };
            data.extend_from_slice(&index.to_le_bytes()[..size]);
        }
        let validity = if absent.is_some() { None } else { valid.map(<[u8]>::to_vec) };
        Ok(ColumnCells { data: Cow::Owned(data), starts: None, validity })
    }

    /// The index for null in a non-nullable field: the fill value, if it is out of the enumeration's range.
    fn absent(&self, names: &Enumeration) -> Option<u64> {
        let field = &self.field;
        dispatch!(field.datatype.physical(), T => {
            let index = <T as Cell>::from_le(&field.fill).to_key().wrapping_sub(T::default().to_key());
            Some(index).filter(|&index| !field.nullable && index >= names.len() as u64)
        })
    }

    /// Buffers cells.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub(crate) fn buffer(&mut self, cells: &ColumnCells<'_>) -> Result<()> {
        self.buffered.add(cells)
    }

    /// Buffers cells of another buffer.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub(crate) fn join(&mut self, cells: &CellBuffer) -> Result<()> {
        self.buffered.join(cells)
    }

    /// The buffered cells.
    pub(crate) fn buffered(&self) -> CellSlices<'_> {
        CellSlices {
            name: &self.field.name,
            data: &self.buffered.data,
            starts: self.field.is_var().then_some(&self.buffered.starts),
            validity: self.field.nullable.then_some(&self.buffered.validity),
        }
    }

    /// Cells by reference, not buffered.
    pub(crate) fn borrowed<'a>(&'a self, cells: &'a ColumnCells<'_>) -> CellSlices<'a> {
        CellSlices {
            name: &self.field.name,
            data: &cells.data,
            starts: cells.starts.as_deref(),
            validity: cells.validity.as_deref(),
        }
    }

    /// Clears the buffer; its memory is reused.
    pub(crate) fn clear(&mut self) {
        self.buffered.data.clear();
        self.buffered.starts.truncate(1);
        self.buffered.validity.clear();
    }
}

impl Default for CellBuffer {
    fn default() -> Self {
        CellBuffer { data: Vec::new(), starts: vec![0], validity: Vec::new() }
    }
}

impl CellBuffer {
    /// Appends cells.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub(crate) fn add(&mut self, cells: &ColumnCells<'_>) -> Result<()> {
        let starts = cells.starts.as_deref().map(|starts| starts.get(1..).unwrap_or_default());
        self.append(&cells.data, starts.unwrap_or_default(), cells.validity.as_deref().unwrap_or_default())
    }

    /// Appends the cells of another buffer.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub(crate) fn join(&mut self, other: &CellBuffer) -> Result<()> {
        self.append(&other.data, other.starts.get(1..).unwrap_or_default(), &other.validity)
    }

    fn append(&mut self, data: &[u8], ends: &[u64], validity: &[u8]) -> Result<()> {
        let origin = self.data.len() as u64;
        memory::reserve("Arrow values", &mut self.data, data.len())?;
        self.data.extend_from_slice(data);
        memory::reserve("Arrow offsets", &mut self.starts, ends.len())?;
        self.starts.extend(ends.iter().map(|end| end + origin));
        memory::reserve("Arrow validity", &mut self.validity, validity.len())?;
        self.validity.extend_from_slice(validity);
        Ok(())
    }

    /// The memory of the cells in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.data.len() + 8 * (self.starts.len() - 1) + self.validity.len()
    }

    /// Removes all cells but the first ones, of which each has `size` bytes or a variable number.
    pub(crate) fn truncate(&mut self, cells: usize, size: Option<usize>) {
        self.starts.truncate(cells.saturating_add(1));
        let end = size.map_or(self.starts.last().map_or(0, |&end| end as usize), |size| cells.saturating_mul(size));
        self.data.truncate(end);
        self.validity.truncate(cells);
    }
}

impl ColumnConversion {
    /// Size of variable-length cells, if it can be computed quickly.
    fn var_bytes(&self, values: &ImportedArray, rows: RowRange<'_>) -> Option<u64> {
        let (wide, size) = match self.layout {
            ColumnLayout::Text { wide } => (wide, 1),
            ColumnLayout::Lists { wide, .. } => (wide, self.size as u64),
            ColumnLayout::Bytes(size) => return Some((size as u64).saturating_mul(rows.count as u64)),
            ColumnLayout::Fixed(count, _) => {
                return Some((count.saturating_mul(self.size) as u64).saturating_mul(rows.count as u64));
            }
            ColumnLayout::Values(_) | ColumnLayout::Views => return None,
        };
        let start = |at: usize| {
            let width = if wide { 8 } else { 4 };
            let bytes = values.buffer(1, at.checked_mul(width)?, width).ok()?;
            Some(if wide { <u64 as Cell>::from_le(bytes) } else { u64::from(<u32 as Cell>::from_le(bytes)) })
        };
        Some(start(rows.first + rows.count)?.saturating_sub(start(rows.first)?).saturating_mul(size))
    }
}

/// A value of an enumeration for an error message.
fn shown_value(names: &Enumeration, value: &[u8]) -> String {
    let datatype = names.datatype();
    if datatype.is_arrow_bytes() {
        let text: String = String::from_utf8_lossy(value).chars().take(MOST_SHOWN).collect();
        return format!("'{text}'");
    }
    let values = value.chunks_exact(datatype.size()).take(MOST_SHOWN).map(|value| number_text(datatype, value));
    values.collect::<Vec<_>>().join(", ")
}
