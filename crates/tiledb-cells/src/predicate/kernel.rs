//! Comparison kernels: from cells to a selection mask, block by block.

use std::cmp::Ordering;
use std::ops::Range;

use super::steps::CombineMode;
use crate::columns::text_head::text_head;
use tiledb_array::condition::ComparisonOperator;
use tiledb_core::error::Result;
use tiledb_core::limits::selection::CELLS_PER_CONDITION_BLOCK;
use tiledb_core::types::{Cell, cells_of};

/// Cells that the mask on the stack holds: the value of [`CELLS_PER_CONDITION_BLOCK`].
const BLOCK: usize = 2048;

/// Combines a mask, computed block by block, with another one. Null cells are not marked.
pub(crate) fn meet(
    marks: &mut [u8],
    validity: Option<&[u8]>,
    mode: CombineMode,
    mut block: impl FnMut(Range<usize>, &mut [u8]),
) {
    let mut block_marks = [0u8; BLOCK];
    let count = marks.len();
    let most = CELLS_PER_CONDITION_BLOCK.count().min(BLOCK);
    for (first, marks) in (0..count).step_by(most).zip(marks.chunks_mut(most)) {
        let block_marks = &mut block_marks[..marks.len()];
        let cells = first..first + marks.len();
        block(cells.clone(), block_marks);
        if let Some(validity) = validity.and_then(|validity| validity.get(cells)) {
            block_marks.iter_mut().zip(validity).for_each(|(mark, valid)| *mark &= u8::from(*valid != 0));
        }
        merge(marks, block_marks, mode);
    }
}

/// Combines the same mark with all marks of another mask.
pub(crate) fn all(marks: &mut [u8], mode: CombineMode, mark: bool) {
    meet(marks, None, mode, |_, block| block.fill(u8::from(mark)));
}

/// Combines two masks.
pub(crate) fn merge(marks: &mut [u8], other: &[u8], mode: CombineMode) {
    match mode {
        CombineMode::Start => marks.copy_from_slice(other),
        CombineMode::And => marks.iter_mut().zip(other).for_each(|(mark, other)| *mark &= other),
        CombineMode::Or => marks.iter_mut().zip(other).for_each(|(mark, other)| *mark |= other),
    }
}

/// Compares numbers with one.
///
/// # Errors
/// If the bytes are not cells of `T`.
pub(crate) fn numbers<T: Cell>(
    bytes: &[u8],
    operator: ComparisonOperator,
    value: &[u8],
    (marks, validity, mode): (&mut [u8], Option<&[u8]>, CombineMode),
) -> Result<()> {
    let (cells, value) = (cells_of::<T>(bytes)?, T::from_le(value));
    match operator {
        ComparisonOperator::Less => numbers_by(cells, |cell| cell < value, marks, validity, mode),
        ComparisonOperator::LessOrEqual => numbers_by(cells, |cell| cell <= value, marks, validity, mode),
        ComparisonOperator::Greater => numbers_by(cells, |cell| cell > value, marks, validity, mode),
        ComparisonOperator::GreaterOrEqual => numbers_by(cells, |cell| cell >= value, marks, validity, mode),
        ComparisonOperator::Equal => numbers_by(cells, |cell| cell == value, marks, validity, mode),
        _ => numbers_by(cells, |cell| cell != value, marks, validity, mode),
    }
    Ok(())
}

fn numbers_by<T: Cell>(
    cells: &[T],
    meets: impl Fn(T) -> bool,
    marks: &mut [u8],
    validity: Option<&[u8]>,
    mode: CombineMode,
) {
    meet(marks, validity, mode, |range, block| {
        let cells = cells.get(range).unwrap_or_default();
        block.iter_mut().zip(cells).for_each(|(mark, cell)| *mark = u8::from(meets(*cell)));
    });
}

/// Compares texts with one: by the first eight bytes as words, and where these are equal by all.
pub(crate) fn texts(
    (starts, data): (&[u64], &[u8]),
    operator: ComparisonOperator,
    value: &[u8],
    (marks, validity, mode): (&mut [u8], Option<&[u8]>, CombineMode),
) {
    let word = text_head(value, value.len());
    let (below, above) = (holds(operator, Ordering::Less), holds(operator, Ordering::Greater));
    meet(marks, validity, mode, |cells, block| {
        for (mark, cell) in block.iter_mut().zip(cells) {
            let start = starts[cell] as usize;
            let end = starts.get(cell + 1).map_or(data.len(), |end| *end as usize);
            let own = text_head(&data[start..], end - start);
            let mut meets = (own < word) & below | (own > word) & above;
            if own == word {
                meets = holds(operator, data[start..end].cmp(value));
            }
            *mark = u8::from(meets);
        }
    });
}

/// True if the operator holds for values that compare so.
pub(crate) fn holds(operator: ComparisonOperator, order: Ordering) -> bool {
    match operator {
        ComparisonOperator::Less => order.is_lt(),
        ComparisonOperator::LessOrEqual => order.is_le(),
        ComparisonOperator::Greater => order.is_gt(),
        ComparisonOperator::GreaterOrEqual => order.is_ge(),
        ComparisonOperator::Equal => order.is_eq(),
        _ => order.is_ne(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(prop::sample::select(vec![0, 1, b'a', 0xff]), 0..11)
    }

    proptest! {
        #[test]
        fn texts_are_compared_by_all_their_bytes(
            cells in prop::collection::vec(text(), 0..20),
            value in text(),
            operator in 0u32..6,
        ) {
            let operator = ComparisonOperator::from_number(operator);
            let data = cells.concat();
            let starts = cells.iter().scan(0, |end, cell| Some(std::mem::replace(end, *end + cell.len() as u64)));
            let starts: Vec<u64> = starts.collect();
            let mut marks = vec![7; cells.len()];
            texts((&starts, &data), operator, &value, (&mut marks, None, CombineMode::Start));
            let expected: Vec<u8> = cells.iter().map(|cell| u8::from(holds(operator, cell.cmp(&value)))).collect();
            prop_assert_eq!(marks, expected);
        }
    }
}
