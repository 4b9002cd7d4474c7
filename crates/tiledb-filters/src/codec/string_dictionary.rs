//! Dictionary encoding of strings: each string is replaced by its number in a dictionary, which lists the length and the bytes
//! of each distinct string, in the order of first appearance. The width of the numbers depends on the number of cells.

use std::collections::HashMap;

use super::strings::{NumberWidths, StringTarget, StringWords, cells, number, put, take, width_of};
use tiledb_core::error::{Result, bail};
use tiledb_core::pool::scratch;

/// Appends the strings that start at `starts` in `data`: each different one to `dictionary`, the numbers
/// of all to `out`; returns the widths of both kinds of number.
///
/// # Errors
/// If the starts do not ascend from 0 within the data.
pub fn compress(data: &[u8], starts: &[u64], dictionary: &mut Vec<u8>, out: &mut Vec<u8>) -> Result<NumberWidths> {
    let mut numbers: HashMap<&[u8], u64> = HashMap::new();
    let mut words: Vec<&[u8]> = Vec::new();
    let mut longest = 0;
    let first = width_of(starts.len() as u64);
    let mut before: Option<(&[u8], u64)> = None;
    for cell in cells(data, starts) {
        let cell = cell?;
        let number = match before {
            Some((text, number)) if text == cell => number,
            _ => *numbers.entry(cell).or_insert_with(|| {
                longest = longest.max(cell.len() as u64);
                words.push(cell);
                words.len() as u64 - 1
            }),
        };
        before = Some((cell, number));
        put(number, usize::from(first), out);
    }
    let widths = NumberWidths { first, length: width_of(longest) };
    let (_, length) = widths.sizes()?;
    for word in words {
        put(word.len() as u64, length, dictionary);
        dictionary.extend_from_slice(word);
    }
    Ok(widths)
}

/// Looks the numbers of `count` strings up.
///
/// # Errors
/// If a number is not in the dictionary, or there are more or fewer strings or bytes than the target
/// holds.
pub fn decompress(
    widths: NumberWidths,
    dictionary: &[u8],
    src: &[u8],
    count: usize,
    target: StringTarget<'_>,
) -> Result<()> {
    target.check_cells(count)?;
    let (encoded, size) = (Encoded { widths, dictionary, src }, target.size());
    if let StringTarget::Encoded(codes, words, _) = target {
        encoded.decode(codes, words)?;
        let end = codes.iter().fold(0usize, |end, code| end.saturating_add(words.length(*code)));
        return check_size(end, size);
    }
    let width = usize::from(widths.first);
    if count.checked_mul(width) != Some(src.len()) {
        bail!(Corrupt, "{} bytes are not {count} numbers of {width} bytes", src.len());
    }
    let (mut codes, mut words) = (scratch(count * size_of::<u32>())?, StringWords::default());
    let codes = codes.cast_mut::<u32>();
    encoded.decode(codes, &mut words)?;
    let mut end = 0;
    match target {
        StringTarget::Values(values) => {
            for code in codes {
                end = words.put(*code, values, end)?;
            }
        }
        StringTarget::Starts(starts, _) => {
            for (code, start) in codes.iter().zip(starts) {
                *start = end as u64;
                end = end.saturating_add(words.length(*code));
            }
        }
        StringTarget::Cells(values, starts) => {
            for (code, start) in codes.iter().zip(starts) {
                *start = end as u64;
                end = words.put(*code, values, end)?;
            }
        }
        StringTarget::Encoded(..) => {}
    }
    check_size(end, size)
}

fn check_size(end: usize, size: usize) -> Result<()> {
    if end != size {
        bail!(Corrupt, "Encoded strings have {end} bytes instead of {size}");
    }
    Ok(())
}

/// A dictionary, and the numbers of the cells.
struct Encoded<'a> {
    widths: NumberWidths,
    dictionary: &'a [u8],
    src: &'a [u8],
}

impl Encoded<'_> {
    /// The codes of as many cells as there are, and their words.
    fn decode(&self, codes: &mut [u32], words: &mut StringWords) -> Result<()> {
        let (width, length) = self.widths.sizes()?;
        words.clear();
        let mut rest = self.dictionary;
        while !rest.is_empty() {
            let len = usize::try_from(number(take(&mut rest, length)?)).unwrap_or(usize::MAX);
            words.push(take(&mut rest, len)?)?;
        }
        if codes.len().checked_mul(width) != Some(self.src.len()) {
            bail!(Corrupt, "{} bytes are not {} numbers of {width} bytes", self.src.len(), codes.len());
        }
        let greatest = match width {
            1 => put_codes(self.src.as_chunks::<1>().0, codes, |code| u32::from(code[0])),
            2 => put_codes(self.src.as_chunks::<2>().0, codes, |code| u16::from_be_bytes(code).into()),
            4 => put_codes(self.src.as_chunks::<4>().0, codes, u32::from_be_bytes),
            _ => put_codes(self.src.as_chunks::<8>().0, codes, |code| {
                u32::try_from(u64::from_be_bytes(code)).unwrap_or(u32::MAX)
            }),
        };
        match greatest {
            Some(code) if code as usize >= words.len() => {
                bail!(Corrupt, "Word {code} is not in a dictionary of {} words", words.len())
            }
            _ => Ok(()),
        }
    }
}

/// Converts codes; returns the greatest.
fn put_codes<const W: usize>(stored: &[[u8; W]], codes: &mut [u32], of: impl Fn([u8; W]) -> u32) -> Option<u32> {
    codes.iter_mut().zip(stored).for_each(|(code, stored)| *code = of(*stored));
    codes.iter().copied().max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lie_as_the_format_says() {
        let (mut words, mut out) = (Vec::new(), Vec::new());
        let widths = compress(b"abba", &[0, 1, 1, 3], &mut words, &mut out).unwrap();
        assert_eq!(widths, NumberWidths { first: 1, length: 1 });
        assert_eq!(words, [1, b'a', 0, 2, b'b', b'b']);
        assert_eq!(out, [0, 1, 2, 0]);
    }

    #[test]
    fn numbers_are_as_wide_as_the_count_of_cells() {
        let mut out = Vec::new();
        let widths = compress(b"", &[0; 256], &mut Vec::new(), &mut out).unwrap();
        assert_eq!((widths.first, out.len()), (2, 512));
    }
}
