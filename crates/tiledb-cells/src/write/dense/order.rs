//! Validates the order of the values of an attribute with an ordering, as in the arrays of dimension labels.

use crate::columns::input::InputColumn;
use tiledb_array::schema::Attribute;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{Cell, DataOrder, dispatch};

/// Checks that values increase, or decrease, from each to the next.
///
/// # Errors
/// Naming the attribute, if they do not.
pub(crate) fn check(attribute: &Attribute, column: &InputColumn<'_>) -> Result<()> {
    let is_ordered = match (attribute.order(), &column.starts) {
        (DataOrder::Unordered, _) => true,
        (order, Some(starts)) => texts_ordered(column.data, starts, order),
        (order, None) => dispatch!(attribute.datatype().physical(), T => ordered::<T>(column.data, order)),
    };
    if !is_ordered {
        bail!("WriterBase: The data for attribute '{}' is not in the expected order.", attribute.name());
    }
    Ok(())
}

/// Values that cannot be compared are in any order.
fn ordered<T: Cell>(data: &[u8], order: DataOrder) -> bool {
    let cells = || data.chunks_exact(size_of::<T>()).map(<T as Cell>::from_le);
    match order {
        DataOrder::Decreasing => !cells().zip(cells().skip(1)).any(|(cell, next)| cell <= next),
        _ => !cells().zip(cells().skip(1)).any(|(cell, next)| cell >= next),
    }
}

fn texts_ordered(data: &[u8], starts: &[u64], order: DataOrder) -> bool {
    let cell = |number: usize| {
        let end = starts.get(number + 1).map_or(data.len(), |&end| end as usize);
        data.get(starts[number] as usize..end).unwrap_or_default()
    };
    let mut pairs = (1..starts.len()).map(|number| (cell(number - 1), cell(number)));
    match order {
        DataOrder::Decreasing => pairs.all(|(cell, next)| cell > next),
        _ => pairs.all(|(cell, next)| cell < next),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_neighbours_are_out_of_order() {
        let bytes = |cells: [i16; 3]| cells.map(i16::to_le_bytes).concat();
        assert!(ordered::<i16>(&bytes([-1, 0, 7]), DataOrder::Increasing));
        assert!(!ordered::<i16>(&bytes([-1, 0, 0]), DataOrder::Increasing));
        assert!(ordered::<i16>(&bytes([3, 0, -7]), DataOrder::Decreasing));
        assert!(!ordered::<i16>(&bytes([3, 3, -7]), DataOrder::Decreasing));
        assert!(ordered::<u8>(&[], DataOrder::Decreasing) && ordered::<u8>(&[1], DataOrder::Increasing));
        assert!(texts_ordered(b"aab", &[0, 0, 1], DataOrder::Increasing));
        assert!(!texts_ordered(b"aab", &[0, 1, 2], DataOrder::Increasing));
        assert!(texts_ordered(b"baa", &[0, 1, 3], DataOrder::Decreasing));
    }
}
