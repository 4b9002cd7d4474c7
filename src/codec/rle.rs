//! Run length encoding of cells: each run is one cell and a 16-bit count, **big-endian**.

use crate::error::{Result, bail};

/// Bytes of the count behind each cell.
const COUNT_SIZE: usize = 2;
/// The longest run.
const LONGEST: usize = u16::MAX as usize;
/// Runs up to this length are found cell by cell.
const SHORT: usize = 16;

/// Appends the runs of `src`, whose cells have `cell_size` bytes.
///
/// # Errors
/// If `src` is not whole cells.
pub fn compress(cell_size: usize, src: &[u8], out: &mut Vec<u8>) -> Result<()> {
    if cell_size == 0 || !src.len().is_multiple_of(cell_size) {
        bail!("RLE cannot compress {} bytes as cells of {cell_size} bytes", src.len());
    }
    match cell_size {
        1 => compress_words(src.as_chunks::<1>().0, u8::from_le_bytes, out),
        2 => compress_words(src.as_chunks::<2>().0, u16::from_le_bytes, out),
        4 => compress_words(src.as_chunks::<4>().0, u32::from_le_bytes, out),
        8 => compress_words(src.as_chunks::<8>().0, u64::from_le_bytes, out),
        _ => compress_cells(cell_size, src, out),
    }
    Ok(())
}

/// Cells that are compared as numbers.
#[inline(always)]
fn compress_words<const W: usize, T: PartialEq>(cells: &[[u8; W]], load: impl Fn([u8; W]) -> T, out: &mut Vec<u8>) {
    let mut rest = cells;
    while let Some(cell) = rest.first() {
        let value = load(*cell);
        let short = &rest[..rest.len().min(SHORT)];
        let mut run = short.iter().take_while(|other| load(**other) == value).count();
        if run == SHORT {
            run = run_length(cell, rest.as_flattened()).min(LONGEST);
        }
        out.extend_from_slice(cell);
        out.extend_from_slice(&(run as u16).to_be_bytes());
        rest = &rest[run..];
    }
}

fn compress_cells(cell_size: usize, src: &[u8], out: &mut Vec<u8>) {
    let mut rest = src;
    while let Some(cell) = rest.get(..cell_size).filter(|cell| !cell.is_empty()) {
        let run = run_length(cell, rest).min(LONGEST);
        out.extend_from_slice(cell);
        out.extend_from_slice(&(run as u16).to_be_bytes());
        rest = &rest[run * cell_size..];
    }
}

/// How many cells at the start of `bytes` equal `cell`, the first one. Most runs are short; those that
/// are not are compared in large pieces: a run equals itself shifted by one cell.
fn run_length(cell: &[u8], bytes: &[u8]) -> usize {
    let size = cell.len();
    let short = match bytes.split_at_checked(SHORT * size) {
        Some((short, _)) => short,
        None => bytes,
    };
    let equal = short.chunks_exact(size).take_while(|other| *other == cell).count();
    if equal < SHORT {
        return equal;
    }
    let bytes = &bytes[..bytes.len().min(LONGEST * size)];
    let shifted = &bytes[size..];
    let equal = match shifted.chunks(256).zip(bytes.chunks(256)).position(|(a, b)| a != &b[..a.len()]) {
        Some(piece) => {
            let start = piece * 256;
            start + shifted[start..].iter().zip(&bytes[start..]).take_while(|(a, b)| a == b).count()
        }
        None => shifted.len(),
    };
    1 + equal / size
}

/// Expands runs, which must fill `dst` exactly.
///
/// # Errors
/// If they do not, or are cut short.
pub fn decompress(cell_size: usize, src: &[u8], dst: &mut [u8]) -> Result<()> {
    let step = cell_size + COUNT_SIZE;
    if cell_size == 0 || !src.len().is_multiple_of(step) {
        bail!(Corrupt, "{} bytes are not runs of cells of {cell_size} bytes", src.len());
    }
    let len = dst.len();
    let mut rest = dst;
    for run in src.chunks_exact(step) {
        let (cell, count) = run.split_at(cell_size);
        let count = usize::from(u16::from_be_bytes([count[0], count[1]]));
        let Some((head, tail)) = rest.split_at_mut_checked(count * cell_size) else {
            bail!(Corrupt, "the runs have more than {len} bytes");
        };
        fill(head, cell);
        rest = tail;
    }
    if !rest.is_empty() {
        bail!(Corrupt, "the runs have {} bytes instead of {len}", len - rest.len());
    }
    Ok(())
}

/// Repeats `cell` over `dst`, doubling what is there where cells are no numbers.
#[inline]
fn fill(dst: &mut [u8], cell: &[u8]) {
    match cell.len() {
        1 => return fill_words::<1>(dst, cell),
        2 => return fill_words::<2>(dst, cell),
        4 => return fill_words::<4>(dst, cell),
        8 => return fill_words::<8>(dst, cell),
        _ => {}
    }
    let Some(head) = dst.get_mut(..cell.len()) else { return };
    head.copy_from_slice(cell);
    let mut done = cell.len();
    while done < dst.len() {
        let more = done.min(dst.len() - done);
        dst.copy_within(..more, done);
        done += more;
    }
}

#[inline(always)]
fn fill_words<const W: usize>(dst: &mut [u8], cell: &[u8]) {
    if let Some(cell) = cell.first_chunk::<W>() {
        dst.as_chunks_mut::<W>().0.fill(*cell);
    }
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
