//! Cells with several values.

use std::marker::PhantomData;

use super::column::Column;
use crate::element::Element;

/// The values of each cell of a column of a [`Batch`](crate::Batch), of attributes with several values per cell.
pub struct Lists<'a, T> {
    column: &'a Column,
    element: PhantomData<T>,
}

impl<'a, T: Element> Lists<'a, T> {
    pub(super) fn new(column: &'a Column) -> Lists<'a, T> {
        Lists { column, element: PhantomData }
    }

    /// The number of cells.
    pub fn len(&self) -> usize {
        self.column.rows
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.column.rows == 0
    }

    /// The values of a cell; `None` beyond the last one.
    pub fn get(&self, row: usize) -> Option<&'a [T]> {
        // Cells start at multiples of the size of a value, in words that are aligned.
        self.column.cell(row).and_then(|cell| bytemuck::try_cast_slice(cell).ok())
    }

    /// The values of all cells.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a [T]> {
        let column = self.column;
        (0..column.rows)
            .map(|row| column.cell(row).and_then(|cell| bytemuck::try_cast_slice(cell).ok()).unwrap_or_default())
    }

    /// The values of all cells, `None` for null cells.
    pub fn optional(&self) -> impl ExactSizeIterator<Item = Option<&'a [T]>> {
        let column = self.column;
        (0..column.rows).map(|row| {
            if column.is_null(row) {
                return None;
            }
            column.cell(row).and_then(|cell| bytemuck::try_cast_slice(cell).ok())
        })
    }
}
