//! Copies boxes of cells between memory with different strides.
#![expect(unsafe_code, reason = "cells are moved by address, after one check of the whole box")]

use super::memory::{OutMem, outside};
use tiledb_core::error::Result;

/// One dimension of a box copy: the number of cells, and the stride between consecutive cells in source and
/// destination, in cells when a box is described, in bytes when it is copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stride {
    /// Number of cells along this dimension.
    pub count: usize,
    /// From one cell to the next in the source.
    pub from: usize,
    /// From one cell to the next in the result.
    pub to: usize,
}

/// Maximum number of dimensions whose strides are copied without an allocation.
const INLINE: usize = 4;

/// A modifiable copy of strides.
pub(super) struct Strides {
    few: [Stride; INLINE],
    count: usize,
    many: Vec<Stride>,
}

impl Strides {
    #[inline(always)]
    pub(super) fn of(steps: &[Stride]) -> Strides {
        let (mut few, mut many) = ([Stride::default(); INLINE], Vec::new());
        match few.get_mut(..steps.len()) {
            Some(few) => few.copy_from_slice(steps),
            None => many = steps.to_vec(),
        }
        Strides { few, count: steps.len(), many }
    }

    #[inline(always)]
    pub(super) fn all(&mut self) -> &mut [Stride] {
        self.few.get_mut(..self.count).unwrap_or(&mut self.many)
    }
}

/// Copies a box of cells of `cell` bytes from `source` (its first is cell `source_at`) to `out` (cell `out_at`).
///
/// # Errors
/// If the box exceeds either memory.
#[inline]
pub fn copy_box(
    out: &mut OutMem<'_>,
    out_at: usize,
    source: &[u8],
    source_at: usize,
    steps: &[Stride],
    cell: usize,
) -> Result<()> {
    copy_scaled((out, out_at, cell), (source, source_at, cell), steps, cell)
}

/// Fills a box in `out`, whose first is cell `out_at`, with one cell.
///
/// # Errors
/// If the box exceeds the memory.
#[inline]
pub fn fill_box(out: &mut OutMem<'_>, out_at: usize, value: &[u8], steps: &[Stride]) -> Result<()> {
    copy_scaled((out, out_at, value.len()), (value, 0, 0), steps, value.len())
}

/// Copies between memory with a first position each, in the unit of the strides.
fn copy_scaled(
    (out, out_at, out_unit): (&mut OutMem<'_>, usize, usize),
    (source, source_at, source_unit): (&[u8], usize, usize),
    steps: &[Stride],
    cell: usize,
) -> Result<()> {
    let (out_at, source_at) = (out_at.saturating_mul(out_unit), source_at.saturating_mul(source_unit));
    let mut steps = Strides::of(steps);
    let steps = steps.all();
    for step in &mut *steps {
        (step.from, step.to) = (step.from.saturating_mul(source_unit), step.to.saturating_mul(out_unit));
    }
    if cell == 0 || steps.iter().any(|step| step.count == 0) {
        return Ok(());
    }
    check_reach(out.len(), out_at, steps.iter().map(|step| (step.count, step.to)), cell)?;
    check_reach(source.len(), source_at, steps.iter().map(|step| (step.count, step.from)), cell)?;
    let steps = simplify(steps);
    // SAFETY: check_reach proved that every cell of the box is inside both memories.
    unsafe { move_box(out.start.add(out_at), source.as_ptr().add(source_at), steps, cell) };
    Ok(())
}

/// How many cells the box has, if they are one run on both sides.
pub fn run_of(steps: &[Stride]) -> Option<usize> {
    match *simplify(Strides::of(steps).all()) {
        [] => Some(1),
        [step] if step.from == 1 && step.to == 1 => Some(step.count),
        _ => None,
    }
}

/// How many cells are contiguous on both sides, and the steps from one such run to the next, outermost first; `None` if
/// the order of the sides differs.
pub(crate) fn runs_of(steps: &[Stride]) -> Option<(usize, Vec<Stride>)> {
    let mut steps = steps.to_vec();
    let steps = simplify(&mut steps);
    match steps.split_last() {
        None => Some((1, Vec::new())),
        Some((run, steps)) => (run.from == 1 && run.to == 1).then(|| (run.count, steps.to_vec())),
    }
}

fn check_reach(len: usize, at: usize, strides: impl Iterator<Item = (usize, usize)>, cell: usize) -> Result<()> {
    let mut end = at.checked_add(cell);
    for (count, stride) in strides {
        end = end.and_then(|end| end.checked_add((count - 1).checked_mul(stride)?));
    }
    match end {
        Some(end) if end <= len => Ok(()),
        _ => Err(outside(len, at..end.unwrap_or(usize::MAX))),
    }
}

/// Drops dimensions of one cell, orders by the result's strides, outermost first, and joins
/// dimensions that follow one another without a gap on both sides.
fn simplify(steps: &mut [Stride]) -> &mut [Stride] {
    let mut len = 0;
    for index in 0..steps.len() {
        if steps[index].count != 1 {
            steps[len] = steps[index];
            len += 1;
        }
    }
    let steps = &mut steps[..len];
    steps.sort_unstable_by_key(|step| std::cmp::Reverse(step.to));
    let mut last = 0;
    for index in 1..len {
        let (outer, inner) = (steps[last], steps[index]);
        let joins = inner.from.checked_mul(inner.count) == Some(outer.from)
            && inner.to.checked_mul(inner.count) == Some(outer.to);
        if joins {
            steps[last] = Stride { count: outer.count * inner.count, ..inner };
        } else {
            last += 1;
            steps[last] = inner;
        }
    }
    let len = if len == 0 { 0 } else { last + 1 };
    &mut steps[..len]
}

/// # Safety
/// Every cell of the box must lie inside memory valid for writing (`to`) and reading (`from`).
unsafe fn move_box(to: *mut u8, from: *const u8, steps: &[Stride], cell: usize) {
    // SAFETY: the callers' promise covers every cell reached below; offsets are sums of steps within the box.
    unsafe {
        match *steps {
            [] => std::ptr::copy_nonoverlapping(from, to, cell),
            [step] => move_line(to, from, step, cell),
            [outer, inner] if inner.from != cell || inner.to != cell => move_plane(to, from, outer, inner, cell),
            [outer, ref inner @ ..] => {
                for index in 0..outer.count {
                    move_box(to.add(index * outer.to), from.add(index * outer.from), inner, cell);
                }
            }
        }
    }
}

/// # Safety
/// As [`move_box`].
unsafe fn move_line(to: *mut u8, from: *const u8, step: Stride, cell: usize) {
    // SAFETY: as move_box.
    unsafe {
        if step.from == cell && step.to == cell {
            return std::ptr::copy_nonoverlapping(from, to, step.count * cell);
        }
        match cell {
            1 => move_cells::<u8>(to, from, step),
            2 => move_cells::<u16>(to, from, step),
            4 => move_cells::<u32>(to, from, step),
            8 => move_cells::<u64>(to, from, step),
            _ => {
                for index in 0..step.count {
                    std::ptr::copy_nonoverlapping(from.add(index * step.from), to.add(index * step.to), cell);
                }
            }
        }
    }
}

/// # Safety
/// As [`move_box`]; no alignment is needed.
unsafe fn move_cells<T: Copy>(to: *mut u8, from: *const u8, step: Stride) {
    // SAFETY: as move_box.
    unsafe {
        if step.from == 0 && step.to == size_of::<T>() {
            let value = from.cast::<T>().read_unaligned();
            for index in 0..step.count {
                to.cast::<T>().add(index).write_unaligned(value);
            }
            return;
        }
        for index in 0..step.count {
            let value = from.add(index * step.from).cast::<T>().read_unaligned();
            to.add(index * step.to).cast::<T>().write_unaligned(value);
        }
    }
}

/// Side length, in cells, of the squares in which two dimensions are transposed.
const SQUARE: usize = 32;

/// Two dimensions of which none is contiguous on both sides: in squares, so that both sides stay in cache.
///
/// # Safety
/// As [`move_box`].
unsafe fn move_plane(to: *mut u8, from: *const u8, outer: Stride, inner: Stride, cell: usize) {
    for first in (0..outer.count).step_by(SQUARE) {
        let rows = SQUARE.min(outer.count - first);
        for start in (0..inner.count).step_by(SQUARE) {
            let line = Stride { count: SQUARE.min(inner.count - start), ..inner };
            for row in first..first + rows {
                // SAFETY: as move_box.
                unsafe {
                    let to = to.add(row * outer.to + start * inner.to);
                    let from = from.add(row * outer.from + start * inner.from);
                    move_line(to, from, line, cell);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The plain definition, for comparison.
    fn by_definition(out: &mut [u8], out_at: usize, source: &[u8], source_at: usize, steps: &[Stride], cell: usize) {
        match steps {
            [] => out[out_at * cell..(out_at + 1) * cell]
                .copy_from_slice(&source[source_at * cell..(source_at + 1) * cell]),
            [step, rest @ ..] => {
                for index in 0..step.count {
                    by_definition(out, out_at + index * step.to, source, source_at + index * step.from, rest, cell);
                }
            }
        }
    }

    #[test]
    fn boxes_arrive_where_the_definition_puts_them() {
        let source: Vec<u8> = (0..40_000u32).map(|value| (value * 7 + value / 256) as u8).collect();
        for cell in [1usize, 2, 3, 4, 8, 12] {
            let (a, b, c) = (5, 40, 33);
            // From row-major to row-major, to column-major, repeated cells, and a part of a larger box.
            let row = [b * c, c, 1];
            let col = [1, a, a * b];
            for (from, to) in [(row, row), (row, col), (col, row), ([0, 0, 0], row), ([0, 1, 0], col)] {
                let steps: Vec<Stride> =
                    (0..3).map(|d| Stride { count: [a, b, c][d], from: from[d], to: to[d] }).collect();
                let size = a * b * c * cell;
                let need = size.min(source.len());
                if from[0] != 0 && size > source.len() {
                    continue;
                }
                let (mut got, mut want) = (vec![0; size + 7 * cell], vec![0; size + 7 * cell]);
                copy_box(&mut OutMem::new(&mut got), 7, &source[..need], 0, &steps, cell).unwrap();
                by_definition(&mut want, 7, &source, 0, &steps, cell);
                if from == [0; 3] {
                    fill_box(&mut OutMem::new(&mut got), 7, &source[..cell], &steps).unwrap();
                }
                assert!(got == want, "cell {cell}, {from:?} to {to:?}");
            }
        }
    }

    #[test]
    fn a_box_beyond_either_side_is_refused() {
        let mut out = [0; 16];
        let steps = [Stride { count: 4, from: 1, to: 1 }];
        assert!(copy_box(&mut OutMem::new(&mut out), 1, &[0; 16], 0, &steps, 4).is_err());
        assert!(copy_box(&mut OutMem::new(&mut out), 0, &[0; 15], 0, &steps, 4).is_err());
        assert!(fill_box(&mut OutMem::new(&mut out), 1, &[0; 4], &steps).is_err());
        let huge = [Stride { count: usize::MAX, from: 1, to: 1 }];
        assert!(copy_box(&mut OutMem::new(&mut out), 0, &[0; 16], 0, &huge, 4).is_err());
        assert!(OutMem::new(&mut out).put(15, &[1, 2]).is_err());
    }

    #[test]
    fn runs_are_recognised() {
        let run = [Stride { count: 3, from: 4, to: 4 }, Stride { count: 4, from: 1, to: 1 }];
        assert_eq!(run_of(&run), Some(12));
        let gap = [Stride { count: 3, from: 5, to: 4 }, Stride { count: 4, from: 1, to: 1 }];
        assert_eq!(run_of(&gap), None);
        assert_eq!(run_of(&[Stride { count: 1, from: 5, to: 1 }]), Some(1));
    }
}
