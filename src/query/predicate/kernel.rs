//! The comparisons themselves: from cells to marks, block by block.

use std::cmp::Ordering;
use std::ops::Range;

use super::steps::Mode;
use crate::condition::Operator;
use crate::error::Result;
use crate::types::{Cell, cells_of};

/// Cells that are compared together; their marks stay in the processor's nearest cache.
const BLOCK: usize = 2048;

/// Lets the marks of cells, found block by block, meet others. Null cells are not marked.
pub fn meet(marks: &mut [u8], validity: Option<&[u8]>, mode: Mode, mut block: impl FnMut(Range<usize>, &mut [u8])) {
    let mut found = [0u8; BLOCK];
    let count = marks.len();
    for (first, marks) in (0..count).step_by(BLOCK).zip(marks.chunks_mut(BLOCK)) {
        let found = &mut found[..marks.len()];
        let cells = first..first + marks.len();
        block(cells.clone(), found);
        if let Some(validity) = validity.and_then(|validity| validity.get(cells)) {
            found.iter_mut().zip(validity).for_each(|(found, valid)| *found &= u8::from(*valid != 0));
        }
        merge(marks, found, mode);
    }
}

/// Lets the same mark meet all others.
pub fn all(marks: &mut [u8], mode: Mode, mark: bool) {
    meet(marks, None, mode, |_, found| found.fill(u8::from(mark)));
}

/// Lets marks meet others.
pub fn merge(marks: &mut [u8], found: &[u8], mode: Mode) {
    match mode {
        Mode::Start => marks.copy_from_slice(found),
        Mode::And => marks.iter_mut().zip(found).for_each(|(mark, found)| *mark &= found),
        Mode::Or => marks.iter_mut().zip(found).for_each(|(mark, found)| *mark |= found),
    }
}

/// Compares numbers with one.
///
/// # Errors
/// If the bytes are not cells of `T`.
pub fn numbers<T: Cell>(
    bytes: &[u8],
    operator: Operator,
    value: &[u8],
    (marks, validity, mode): (&mut [u8], Option<&[u8]>, Mode),
) -> Result<()> {
    let (cells, value) = (cells_of::<T>(bytes)?, T::from_le(value));
    match operator {
        Operator::Less => numbers_by(cells, |cell| cell < value, marks, validity, mode),
        Operator::LessOrEqual => numbers_by(cells, |cell| cell <= value, marks, validity, mode),
        Operator::Greater => numbers_by(cells, |cell| cell > value, marks, validity, mode),
        Operator::GreaterOrEqual => numbers_by(cells, |cell| cell >= value, marks, validity, mode),
        Operator::Equal => numbers_by(cells, |cell| cell == value, marks, validity, mode),
        _ => numbers_by(cells, |cell| cell != value, marks, validity, mode),
    }
    Ok(())
}

fn numbers_by<T: Cell>(cells: &[T], meets: impl Fn(T) -> bool, marks: &mut [u8], validity: Option<&[u8]>, mode: Mode) {
    meet(marks, validity, mode, |range, found| {
        let cells = cells.get(range).unwrap_or_default();
        found.iter_mut().zip(cells).for_each(|(found, cell)| *found = u8::from(meets(*cell)));
    });
}

/// True if a value stands so to another one that the operator holds.
pub fn holds(operator: Operator, order: Ordering) -> bool {
    match operator {
        Operator::Less => order.is_lt(),
        Operator::LessOrEqual => order.is_le(),
        Operator::Greater => order.is_gt(),
        Operator::GreaterOrEqual => order.is_ge(),
        Operator::Equal => order.is_eq(),
        _ => order.is_ne(),
    }
}
