//! Coordinates of cells as an in-memory column.

use super::text_head::text_head;

/// The coordinates of some cells in one dimension.
#[derive(Clone, Copy, Debug)]
pub enum Coords<'a> {
    /// Values of the dimension's datatype, one after the other.
    Fixed(&'a [u8]),
    /// Strings: where each begins in the bytes; the last one ends with them.
    Var {
        /// Starts in bytes, ascending and inside the bytes.
        starts: &'a [u64],
        /// The strings, one after the other.
        data: &'a [u8],
    },
}

impl<'a> Coords<'a> {
    /// The string of a cell; nothing for other coordinates or positions beyond the end.
    #[inline]
    pub fn text(&self, cell: usize) -> &'a [u8] {
        let Coords::Var { starts, data } = *self else { return &[] };
        let Some(&start) = starts.get(cell) else { return &[] };
        let end = starts.get(cell + 1).copied().unwrap_or(data.len() as u64);
        data.get(start as usize..end as usize).unwrap_or_default()
    }

    /// The [`text_head`] of the string of a cell.
    #[inline]
    pub(crate) fn text_head(&self, cell: usize) -> u64 {
        let Coords::Var { starts, data } = *self else { return 0 };
        let Some(&start) = starts.get(cell) else { return 0 };
        let end = starts.get(cell + 1).map_or(data.len(), |end| *end as usize);
        text_head(data.get(start as usize..).unwrap_or_default(), end.saturating_sub(start as usize))
    }

    /// The bytes of the coordinate of a cell; `size` is that of a fixed one.
    #[inline]
    pub fn value(&self, cell: usize, size: usize) -> &'a [u8] {
        match *self {
            Coords::Fixed(bytes) => bytes.get(cell * size..(cell + 1) * size).unwrap_or_default(),
            Coords::Var { .. } => self.text(cell),
        }
    }
}
