//! Dictionary encoding of strings: each string is replaced by its number in a dictionary, which lists the length and the bytes
//! of each distinct string, in the order of first appearance. The width of the numbers depends on the number of cells.

use std::collections::HashMap;

use super::strings::{NumberWidths, StringSink, StringTarget, cells, number, put, take, width_of};
use tiledb_core::error::{Result, bail};

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
    let (first, length) = widths.sizes()?;
    let mut words = Vec::new();
    let mut rest = dictionary;
    while !rest.is_empty() {
        let len = usize::try_from(number(take(&mut rest, length)?)).unwrap_or(usize::MAX);
        words.push(take(&mut rest, len)?);
    }
    let mut sink = StringSink::new(target, count)?;
    let (numbers, tail) = src.split_at(src.len() / first * first);
    if !tail.is_empty() {
        bail!(Corrupt, "{} bytes are not numbers of {first} bytes", src.len());
    }
    for bytes in numbers.chunks_exact(first) {
        let number = number(bytes);
        match usize::try_from(number).ok().and_then(|number| words.get(number)) {
            Some(word) => sink.push(word, 1)?,
            None => bail!(Corrupt, "Word {number} is not in a dictionary of {} words", words.len()),
        }
    }
    sink.finish()
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
