//! Bytes of the cells of a tile, borrowed from the user's buffer if they are contiguous there.

use std::ops::Deref;

use crate::columns::box_rows::BoxRows;
use crate::columns::input::InputSlice;
use tiledb_core::error::Result;
use tiledb_core::memory;
use tiledb_core::pool::{Scratch, scratch};
use tiledb_core::types::Datatype;

/// Bytes of gathered cells.
pub(crate) enum GatheredBytes<'a> {
    /// The user's.
    Borrowed(&'a [u8]),
    /// Fixed cells.
    Owned(Scratch),
    /// Variable cells, one after the other.
    Joined(Vec<u8>),
}

impl<'a> GatheredBytes<'a> {
    /// These bytes, at an address that suits every type of cell.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub(crate) fn aligned(bytes: &'a [u8]) -> Result<GatheredBytes<'a>> {
        GatheredBytes::aligned_to(ALIGNMENT, bytes)
    }

    /// Variable cells of a type that follow one another: their values, and where each begins.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub(crate) fn run_of(datatype: Datatype, cells: &InputSlice<'a>) -> Result<(GatheredBytes<'a>, Vec<u64>)> {
        let starts = cells.starts.unwrap_or_default().iter().map(|start| start - cells.origin);
        let starts = memory::collect("offsets", starts)?;
        Ok((GatheredBytes::aligned_to(datatype.size().clamp(1, ALIGNMENT), cells.data)?, starts))
    }

    fn aligned_to(alignment: usize, bytes: &'a [u8]) -> Result<GatheredBytes<'a>> {
        if bytes.as_ptr().align_offset(alignment) == 0 {
            return Ok(GatheredBytes::Borrowed(bytes));
        }
        let mut own = scratch(bytes.len())?;
        own.copy_from_slice(bytes);
        Ok(GatheredBytes::Owned(own))
    }

    /// Where the user has them.
    pub(crate) fn rows(&self) -> Option<BoxRows<'a>> {
        match self {
            GatheredBytes::Borrowed(bytes) => Some(BoxRows::whole(bytes)),
            _ => None,
        }
    }
}

/// That of every type of cell.
const ALIGNMENT: usize = 8;

impl Deref for GatheredBytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            GatheredBytes::Borrowed(bytes) => bytes,
            GatheredBytes::Owned(bytes) => bytes,
            GatheredBytes::Joined(bytes) => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::input::InputColumn;
    use crate::write::testing::column;

    #[test]
    fn strings_stay_where_they_are_and_numbers_move_to_their_places() {
        let bytes = bytemuck::cast_slice::<u64, u8>(&[1, 2, 3, 4]);
        for (datatype, unit, stays) in [(Datatype::StringAscii, 1, true), (Datatype::Uint64, 8, false)] {
            let starts = Some(vec![0, unit, 2 * unit].into());
            let column = InputColumn { starts, ..column("a", &bytes[3..27]) };
            let (data, starts) = GatheredBytes::run_of(datatype, &column.slice(1, 1, 2)).unwrap();
            assert_eq!((&data[..], &starts[..]), (&bytes[3 + unit as usize..27], &[0, unit][..]));
            assert_eq!(matches!(data, GatheredBytes::Borrowed(_)), stays);
        }
    }
}
