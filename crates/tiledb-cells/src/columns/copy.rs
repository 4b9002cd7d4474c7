//! Copies boxes of cells between memory with different strides.
#![expect(unsafe_code, reason = "cells are moved by address, after one check of the whole box")]

use super::memory::{OutMem, outside};
use super::streaming;
use super::transpose::{Plane, transpose};
use tiledb_core::error::Result;
use tiledb_core::limits::columns::{MIN_STREAMED_BOX_BYTES, MIN_STREAMED_RUN_BYTES, SQUARE_SIDE};

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
    let steps = for_transposition(simplify(steps), cell);
    let size = steps.iter().fold(cell, |size, step| size.saturating_mul(step.count));
    let streams = out.is_large() && size >= MIN_STREAMED_BOX_BYTES.count();
    // SAFETY: check_reach proved that every cell of the box is inside both memories.
    unsafe { move_box(out.start.add(out_at), source.as_ptr().add(source_at), steps, Cells { cell, streams }) };
    if streams {
        streaming::fence();
    }
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

/// Puts the dimension along which the source is contiguous next to the one along which the result is: both form the
/// planes that are transposed.
fn for_transposition(steps: &mut [Stride], cell: usize) -> &mut [Stride] {
    if let Some((inner, outer)) = steps.split_last_mut()
        && is_scattered(*inner, cell)
        && let Some(contiguous) = outer.iter().position(|step| step.from == cell)
    {
        outer[contiguous..].rotate_left(1);
    }
    steps
}

/// Whether cells along this dimension are neither copied as they are nor one cell repeated.
fn is_scattered(step: Stride, cell: usize) -> bool {
    step.to != cell || step.from != cell && step.from != 0
}

/// How cells are moved.
#[derive(Clone, Copy)]
struct Cells {
    /// Bytes of a cell.
    cell: usize,
    /// The result is written with non-temporal stores.
    streams: bool,
}

/// # Safety
/// Every cell of the box must lie inside memory valid for writing (`to`) and reading (`from`).
unsafe fn move_box(to: *mut u8, from: *const u8, steps: &[Stride], cells: Cells) {
    let cell = cells.cell;
    // SAFETY: the callers' promise covers every cell reached below; offsets are sums of steps within the box.
    unsafe {
        match *steps {
            [] => std::ptr::copy_nonoverlapping(from, to, cell),
            [step] => move_line(to, from, step, cells),
            [outer, inner] if is_scattered(inner, cell) => match outer.from == cell && inner.to == cell {
                true => move_transposed(to, from, outer, inner, cells),
                false => move_plane(to, from, outer, inner, cells),
            },
            [outer, ref inner @ ..] => {
                for index in 0..outer.count {
                    move_box(to.add(index * outer.to), from.add(index * outer.from), inner, cells);
                }
            }
        }
    }
}

/// # Safety
/// As [`move_box`].
unsafe fn move_line(to: *mut u8, from: *const u8, step: Stride, cells: Cells) {
    let cell = cells.cell;
    // SAFETY: as move_box.
    unsafe {
        if step.from == cell && step.to == cell {
            let len = step.count * cell;
            return match cells.streams && len >= MIN_STREAMED_RUN_BYTES.count() {
                true => streaming::copy(to, from, len),
                false => std::ptr::copy_nonoverlapping(from, to, len),
            };
        }
        match cell {
            1 => move_cells::<u8>(to, from, step, cells),
            2 => move_cells::<u16>(to, from, step, cells),
            4 => move_cells::<u32>(to, from, step, cells),
            8 => move_cells::<u64>(to, from, step, cells),
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
unsafe fn move_cells<T: Copy>(to: *mut u8, from: *const u8, step: Stride, cells: Cells) {
    // SAFETY: as move_box.
    unsafe {
        if step.from == 0 && step.to == size_of::<T>() {
            let value = from.cast::<T>().read_unaligned();
            if cells.streams && step.count * cells.cell >= MIN_STREAMED_RUN_BYTES.count() {
                return streaming::fill(to, value, step.count);
            }
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

/// Two dimensions, of which the source is contiguous along the outer one, and the result along the inner one: whole
/// blocks with vectors, the cells beside them one by one.
///
/// # Safety
/// As [`move_box`].
unsafe fn move_transposed(to: *mut u8, from: *const u8, outer: Stride, inner: Stride, cells: Cells) {
    let plane = Plane { rows: inner.count, columns: outer.count, from: inner.from, to: outer.to };
    // SAFETY: as move_box; nothing is copied from or to an address beyond the box.
    unsafe {
        let (rows, columns) = transpose(to, from, plane, cells.cell);
        let (covered, beside) = (Stride { count: columns, ..outer }, Stride { count: outer.count - columns, ..outer });
        let below = Stride { count: inner.count - rows, ..inner };
        let (to_below, from_below) = (to.wrapping_add(rows * inner.to), from.wrapping_add(rows * inner.from));
        move_plane(to_below, from_below, covered, below, cells);
        let (to_beside, from_beside) = (to.wrapping_add(columns * outer.to), from.wrapping_add(columns * outer.from));
        move_plane(to_beside, from_beside, beside, inner, cells);
    }
}

/// Two dimensions of which none is contiguous on both sides: in squares, so that both sides stay in cache.
///
/// # Safety
/// As [`move_box`].
unsafe fn move_plane(to: *mut u8, from: *const u8, outer: Stride, inner: Stride, cells: Cells) {
    let side = SQUARE_SIDE.count();
    for first in (0..outer.count).step_by(side) {
        let rows = side.min(outer.count - first);
        for start in (0..inner.count).step_by(side) {
            let line = Stride { count: side.min(inner.count - start), ..inner };
            for row in first..first + rows {
                // SAFETY: as move_box.
                unsafe {
                    let to = to.add(row * outer.to + start * inner.to);
                    let from = from.add(row * outer.from + start * inner.from);
                    move_line(to, from, line, cells);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: u32 = if cfg!(miri) { 10_000 } else { 40_000 };

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
        let source: Vec<u8> = (0..SOURCE).map(|value| (value * 7 + value / 256) as u8).collect();
        let [a, b, c] = if cfg!(miri) { [2, 18, 17] } else { [5, 40, 33] };
        for cell in [1usize, 2, 3, 4, 8, 12] {
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
    fn planes_of_all_sizes_are_transposed() {
        let source: Vec<u8> = (0..SOURCE).map(|value| (value * 11 + value / 256) as u8).collect();
        let shapes: &[_] = match cfg!(miri) {
            true => &[(2, 2), (4, 9), (16, 33)],
            false => &[(1, 40), (2, 2), (3, 70), (4, 9), (8, 8), (15, 17), (16, 33), (40, 40), (41, 37)],
        };
        let gaps: &[_] = if cfg!(miri) { &[1] } else { &[0, 1, 5] };
        for cell in [1usize, 2, 4, 8, 16] {
            for &(rows, columns) in shapes {
                for &gap in gaps {
                    // Planes of a larger source and a larger result.
                    let steps = [
                        Stride { count: rows, from: columns + gap, to: 1 },
                        Stride { count: columns, from: 1, to: rows + gap },
                    ];
                    let size = (rows + gap) * (columns + gap) * cell + 3 * cell;
                    let (mut got, mut want) = (vec![0; size], vec![0; size]);
                    by_definition(&mut want, 3, &source, 2, &steps, cell);
                    copy_box(&mut OutMem::new(&mut got), 3, &source, 2, &steps, cell).unwrap();
                    assert!(got == want, "{rows} by {columns} cells of {cell} bytes, gap {gap}");
                }
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no non-temporal stores")]
    fn non_temporal_stores_write_the_same() {
        let source: Vec<u8> = (0..400_000u32).map(|value| (value * 13 + value / 256) as u8).collect();
        for cell in [1usize, 2, 4, 8, 12] {
            let (rows, columns) = (64, 400);
            for (from, at) in [([columns, 1], 0), ([columns, 1], 5), ([0, 0], 3), ([0, 1], 1), ([1, rows], 2)] {
                let to = [columns + 11, 1];
                let steps = [0, 1].map(|d| Stride { count: [rows, columns][d], from: from[d], to: to[d] });
                let size = (rows + 1) * to[0] * cell;
                let (mut got, mut want) = (vec![0; size], vec![0; size]);
                by_definition(&mut want, at, &source, 0, &steps, cell);
                let mut out =
                    OutMem::new(&mut got).of_result(tiledb_core::limits::columns::MIN_STREAMED_RESULT_BYTES.count());
                copy_box(&mut out, at, &source, 0, &steps, cell).unwrap();
                if from == [0, 0] {
                    fill_box(&mut out, at, &source[..cell], &steps).unwrap();
                }
                assert!(got == want, "cells of {cell} bytes, {from:?}");
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
