//! Bounds of the coordinates of a tile: the range around them and, in formats that store them, the first and the last ones.

use crate::columns::coords::Coords;
use tiledb_array::fragment::CoordinateBounds;
use tiledb_array::schema::Field;
use tiledb_core::types::{Cell, CellRange, dispatch};

/// The bounds of the coordinates of a tile in a dimension; `with_ends` if the format stores the first and the last ones.
pub(crate) fn bounds_of(field: &Field, data: &[u8], starts: Option<&[u64]>, with_ends: bool) -> CoordinateBounds {
    let Some(starts) = starts else {
        let size = field.cell_size().min(data.len());
        let ends = with_ends.then(|| [data[..size].into(), data[data.len() - size..].into()]);
        return CoordinateBounds { range: range_of(field, data, None), ends };
    };
    let coords = Coords::Var { starts, data };
    bounds_of_texts((0..starts.len()).map(|cell| coords.text(cell)), with_ends)
}

/// As [`bounds_of`], of strings.
pub(crate) fn bounds_of_texts<'a>(
    mut texts: impl DoubleEndedIterator<Item = &'a [u8]> + Clone,
    with_ends: bool,
) -> CoordinateBounds {
    let range = range_of_texts(texts.clone());
    let ends = with_ends.then(|| {
        let first = texts.next().unwrap_or_default();
        [first.into(), texts.next_back().unwrap_or(first).into()]
    });
    CoordinateBounds { range, ends }
}

/// The range around texts.
fn range_of_texts<'a>(texts: impl Iterator<Item = &'a [u8]> + Clone) -> CellRange {
    CellRange::var(texts.clone().min().unwrap_or_default(), texts.max().unwrap_or_default())
}

/// The range around the coordinates of a tile.
pub fn range_of(field: &Field, data: &[u8], starts: Option<&[u64]>) -> CellRange {
    let Some(starts) = starts else {
        return dispatch!(field.datatype.physical(), T => {
            let (low, high) = extremes::<T>(data);
            CellRange::of(low, high)
        });
    };
    let coords = Coords::Var { starts, data };
    range_of_texts((0..starts.len()).map(|cell| coords.text(cell)))
}

/// NaNs only count if there are no other values.
fn extremes<T: Cell>(bytes: &[u8]) -> (T, T) {
    let values = || bytes.chunks_exact(size_of::<T>()).map(T::from_le);
    let is_number = |value: &T| value.partial_cmp(value).is_some();
    let first = values().find(is_number).or_else(|| values().next()).unwrap_or_default();
    values().fold((first, first), |(low, high), value| {
        (if value < low { value } else { low }, if value > high { value } else { high })
    })
}
