//! Run length encoding of cells: each run is one cell and a 16-bit count, **big-endian**.

use super::simd::{self, Kernel};
use tiledb_core::error::{Result, bail};
use tiledb_core::limits::filter::COMPARED_RUN_BYTES;

/// Bytes of the count after each cell.
const COUNT_SIZE: usize = 2;
/// The longest run.
const LONGEST: usize = u16::MAX as usize;
/// Cells whose neighbours are compared at a time.
const GROUP: usize = 64;
/// The widest cells that are numbers.
const MOST_WIDTH: usize = 8;
/// Bytes written at a time where runs of such cells are expanded.
const STRIDE: usize = 32;

/// Appends the runs of `src`, whose cells have `cell_size` bytes.
///
/// # Errors
/// If `src` is not whole cells.
pub fn compress(cell_size: usize, src: &[u8], out: &mut Vec<u8>) -> Result<()> {
    if cell_size == 0 || !src.len().is_multiple_of(cell_size) {
        bail!("RLE cannot compress {} bytes as cells of {cell_size} bytes", src.len());
    }
    match cell_size {
        1 => simd::run(Compress { cells: src.as_chunks().0, load: u8::from_le_bytes, out }),
        2 => simd::run(Compress { cells: src.as_chunks().0, load: u16::from_le_bytes, out }),
        4 => simd::run(Compress { cells: src.as_chunks().0, load: u32::from_le_bytes, out }),
        8 => simd::run(Compress { cells: src.as_chunks().0, load: u64::from_le_bytes, out }),
        _ => compress_cells(cell_size, src, out),
    }
    Ok(())
}

/// Run-length encoding of cells as wide as numbers: compares a group of neighbours at once, then visits only the ends
/// of runs.
struct Compress<'a, const W: usize, F> {
    cells: &'a [[u8; W]],
    load: F,
    out: &'a mut Vec<u8>,
}

impl<const W: usize, T: PartialEq, F: Fn([u8; W]) -> T> Kernel for Compress<'_, W, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Compress { cells, load, out } = self;
        let Some((last, before)) = cells.split_last() else { return };
        let (groups, rest) = before.as_chunks::<GROUP>();
        let mut runs = [0; GROUP * (MOST_WIDTH + COUNT_SIZE)];
        let mut start = 0;
        for (number, (group, next)) in groups.iter().zip(cells[1..].as_chunks().0).enumerate() {
            let mut ends = unequal(group, next, &load);
            let mut at = 0;
            while ends != 0 {
                let end = ends.trailing_zeros() as usize;
                ends &= ends - 1;
                let length = number * GROUP + end + 1 - start;
                start += length;
                if length > LONGEST {
                    // The run began in an earlier group, so no other run is pending.
                    put(&group[end], length, out);
                } else if let Some(place) = runs.get_mut(at..at + W + COUNT_SIZE) {
                    place[..W].copy_from_slice(&group[end]);
                    place[W..].copy_from_slice(&(length as u16).to_be_bytes());
                    at += W + COUNT_SIZE;
                }
            }
            out.extend_from_slice(&runs[..at]);
        }
        let first = before.len() - rest.len();
        for (index, pair) in cells[first..].windows(2).enumerate() {
            if pair[0] != pair[1] {
                let end = first + index + 1;
                put(&pair[0], end - start, out);
                start = end;
            }
        }
        put(last, cells.len() - start, out);
    }
}

/// A bit for each cell that differs from the one at its place in the other group.
#[inline(always)]
fn unequal<const W: usize, T: PartialEq>(
    a: &[[u8; W]; GROUP],
    b: &[[u8; W]; GROUP],
    load: impl Fn([u8; W]) -> T,
) -> u64 {
    let mut flags = [0u8; GROUP];
    for ((flag, a), b) in flags.iter_mut().zip(a).zip(b) {
        *flag = u8::from(load(*a) != load(*b));
    }
    // The product brings the lowest bit of byte `i` to bit 56 + `i`.
    let bits = |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    flags.as_chunks().0.iter().rev().fold(0, |mask, eight| mask << 8 | bits(eight))
}

/// Appends a run of any length.
fn put(cell: &[u8], length: usize, out: &mut Vec<u8>) {
    let mut left = length;
    while left > 0 {
        let count = left.min(LONGEST);
        out.extend_from_slice(cell);
        out.extend_from_slice(&(count as u16).to_be_bytes());
        left -= count;
    }
}

/// Cells of other widths.
fn compress_cells(cell_size: usize, src: &[u8], out: &mut Vec<u8>) {
    let piece_bytes = COMPARED_RUN_BYTES.count();
    let mut rest = src;
    while let Some(cell) = rest.get(..cell_size).filter(|cell| !cell.is_empty()) {
        // A run equals itself shifted by one cell, which is compared in large pieces.
        let shifted = &rest[cell_size..];
        let equal =
            match shifted.chunks(piece_bytes).zip(rest.chunks(piece_bytes)).position(|(a, b)| a != &b[..a.len()]) {
                Some(piece) => {
                    let start = piece * piece_bytes;
                    start + shifted[start..].iter().zip(&rest[start..]).take_while(|(a, b)| a == b).count()
                }
                None => shifted.len(),
            };
        let run = 1 + equal / cell_size;
        put(cell, run, out);
        rest = &rest[run * cell_size..];
    }
}

/// Expands runs, which must fill `dst` exactly.
///
/// # Errors
/// If they do not, or are cut short.
pub fn decompress(cell_size: usize, src: &[u8], dst: &mut [u8]) -> Result<()> {
    if cell_size == 0 || !src.len().is_multiple_of(cell_size.saturating_add(COUNT_SIZE)) {
        bail!(Corrupt, "{} bytes are not runs of cells of {cell_size} bytes", src.len());
    }
    let len = dst.len();
    let filled = match cell_size {
        1 => simd::run(Expand::<1> { src, dst }),
        2 => simd::run(Expand::<2> { src, dst }),
        4 => simd::run(Expand::<4> { src, dst }),
        8 => simd::run(Expand::<8> { src, dst }),
        _ => expand_cells(cell_size, src, dst),
    };
    match filled {
        Some(filled) if filled == len => Ok(()),
        Some(filled) => bail!(Corrupt, "the runs have {filled} bytes instead of {len}"),
        None => bail!(Corrupt, "the runs have more than {len} bytes"),
    }
}

/// Cells as wide as numbers.
struct Expand<'a, const W: usize> {
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl<const W: usize> Kernel for Expand<'_, W> {
    /// Number of bytes written; `None` if the runs are too long.
    type Output = Option<usize>;

    #[inline(always)]
    fn run(self) -> Option<usize> {
        let Expand { src, dst } = self;
        let mut at = 0;
        for run in src.chunks_exact(W + COUNT_SIZE) {
            let (cell, count) = (run.first_chunk::<W>()?, run.last_chunk()?);
            let len = usize::from(u16::from_be_bytes(*count)) * W;
            let mut stride = [0; STRIDE];
            stride.as_chunks_mut().0.fill(*cell);
            // Bytes written beyond the end of the run are overwritten by the next ones.
            match dst
                .get_mut(at..at + len.max(1).next_multiple_of(STRIDE))
                .and_then(|place| place.split_first_chunk_mut())
            {
                Some((place, rest)) => {
                    *place = stride;
                    rest.as_chunks_mut().0.fill(stride);
                }
                None => dst.get_mut(at..at + len)?.as_chunks_mut().0.fill(*cell),
            }
            at += len;
        }
        Some(at)
    }
}

/// Expands cells of other widths: the written part of a run is doubled until the run is complete.
fn expand_cells(cell_size: usize, src: &[u8], dst: &mut [u8]) -> Option<usize> {
    let mut at = 0usize;
    for run in src.chunks_exact(cell_size.saturating_add(COUNT_SIZE)) {
        let (cell, count) = run.split_last_chunk()?;
        let len = usize::from(u16::from_be_bytes(*count)).checked_mul(cell_size)?;
        let place = dst.get_mut(at..at.checked_add(len)?)?;
        at += len;
        let Some(first) = place.get_mut(..cell_size) else { continue };
        first.copy_from_slice(cell);
        let mut done = cell_size;
        while done < len {
            let more = done.min(len - done);
            place.copy_within(..more, done);
            done += more;
        }
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn runs_are_big_endian_and_capped() {
        let mut out = Vec::new();
        compress(1, &[5; 65537], &mut out).unwrap();
        assert_eq!(out, [5, 255, 255, 5, 0, 2]);
        let mut back = vec![0; 65537];
        decompress(1, &out, &mut back).unwrap();
        assert!(back.iter().all(|&b| b == 5));
        assert!(decompress(1, &out, &mut back[1..]).is_err());
        assert!(compress(3, &[1; 4], &mut out).is_err());
    }

    #[test]
    fn long_runs_end_anywhere() {
        for width in [1, 2, 4, 8, 12] {
            for length in [63, 64, 65, 128, 65534, 65535, 65536, 65599, 65600, 131070, 131071] {
                let cells = [vec![1; length * width], vec![2; width], vec![3; 3 * width]].concat();
                let mut packed = Vec::new();
                compress(width, &cells, &mut packed).unwrap();
                let runs: Vec<(u8, u16)> = packed
                    .chunks(width + 2)
                    .map(|run| (run[0], u16::from_be_bytes([run[width], run[width + 1]])))
                    .collect();
                let long = (0..length.div_ceil(LONGEST)).map(|run| (1, (length - run * LONGEST).min(LONGEST) as u16));
                assert!(runs.into_iter().eq(long.chain([(2, 1), (3, 3)])), "{length} cells of {width} bytes");
                let mut back = vec![9; cells.len()];
                decompress(width, &packed, &mut back).unwrap();
                assert!(back == cells);
                assert!(decompress(width, &packed, &mut back[width..]).is_err());
                assert!(decompress(width, &packed, &mut vec![0; cells.len() + width]).is_err());
            }
        }
    }

    #[test]
    fn cells_of_any_stated_size_are_refused_or_borne() {
        for size in [0, usize::MAX - 2, usize::MAX - 1, usize::MAX] {
            assert!(decompress(size, &[1, 2, 3, 4], &mut [0; 4]).is_err());
            assert!(compress(size, &[1, 2, 3, 4], &mut Vec::new()).is_err());
            // No runs are whole ones of any cell.
            assert_eq!(decompress(size, &[], &mut []).is_ok(), size > 0);
        }
    }

    proptest! {
        #[test]
        fn cells_come_back(size in 1usize..13, runs in proptest::collection::vec((0u8..3, 1usize..700), 0..12)) {
            let data: Vec<u8> = runs.iter().flat_map(|&(v, n)| std::iter::repeat_n(v, n * size)).collect();
            let mut packed = Vec::new();
            compress(size, &data, &mut packed).unwrap();
            let cells: Vec<&[u8]> = data.chunks(size).collect();
            let changes = cells.windows(2).filter(|w| w[0] != w[1]).count();
            prop_assert_eq!(packed.len(), if cells.is_empty() { 0 } else { (changes + 1) * (size + 2) });
            let mut back = vec![9; data.len()];
            decompress(size, &packed, &mut back).unwrap();
            prop_assert_eq!(back, data);
        }
    }
}
