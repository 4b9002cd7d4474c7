//! Run length encoding of strings: per run its length, the string's length, and the string.

use super::strings::{NumberWidths, StringSink, StringTarget, cells, number, put, take, width_of};
use tiledb_core::error::{Result, bail};

/// Appends the runs of the strings that start at `starts` in `data`; returns the widths of the numbers.
///
/// # Errors
/// If the starts do not ascend from 0 within the data.
pub fn compress(data: &[u8], starts: &[u64], out: &mut Vec<u8>) -> Result<NumberWidths> {
    let mut runs: Vec<(&[u8], u64)> = Vec::new();
    let (mut longest_run, mut longest) = (0, 0);
    for cell in cells(data, starts) {
        let cell = cell?;
        match runs.last_mut() {
            Some((text, count)) if *text == cell => *count += 1,
            _ => runs.push((cell, 1)),
        }
        longest_run = longest_run.max(runs.last().map_or(0, |run| run.1));
        longest = longest.max(cell.len() as u64);
    }
    let widths = NumberWidths { first: width_of(longest_run), length: width_of(longest) };
    let (first, length) = widths.sizes()?;
    for (text, count) in runs {
        put(count, first, out);
        put(text.len() as u64, length, out);
        out.extend_from_slice(text);
    }
    Ok(widths)
}

/// Expands runs to `count` strings.
///
/// libtiledb chooses the width of lengths without regard to the last string, and truncates the high bytes of its length
/// if they do not fit. The last string therefore extends to the end of the input, and only the stored bytes of its
/// length are compared.
///
/// # Errors
/// If there are more or fewer strings or bytes than the target holds.
pub fn decompress(widths: NumberWidths, src: &[u8], count: usize, target: StringTarget<'_>) -> Result<()> {
    let (first, length) = widths.sizes()?;
    let mut sink = StringSink::new(target, count)?;
    let mut rest = src;
    while !rest.is_empty() {
        let run = usize::try_from(number(take(&mut rest, first)?)).unwrap_or(usize::MAX);
        let mut len = usize::try_from(number(take(&mut rest, length)?)).unwrap_or(usize::MAX);
        if run == sink.cells_left() && rest.len() > len {
            if length < 8 && (rest.len() - len) & ((1 << (8 * length)) - 1) != 0 {
                bail!(Corrupt, "The last of the encoded strings has {len} bytes; {} are left", rest.len());
            }
            len = rest.len();
        }
        sink.push(take(&mut rest, len)?, run)?;
    }
    sink.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_lie_as_the_format_says() {
        let mut out = Vec::new();
        let widths = compress(b"aab", &[0, 1, 2], &mut out).unwrap();
        assert_eq!((widths, out), (NumberWidths { first: 1, length: 1 }, vec![2, 1, b'a', 1, 1, b'b']));
        let long = [b'y'; 300];
        let mut out = Vec::new();
        let widths = compress(&long, &[0], &mut out).unwrap();
        assert_eq!((widths.length, &out[..3]), (2, &[1, 1, 44][..]));
    }

    #[test]
    fn a_last_string_whose_length_was_cut_off_is_whole() {
        let mut stored = vec![1, 1, b'a', 1, 44];
        stored.extend_from_slice(&[b'b'; 300]);
        let mut values = [0; 301];
        let widths = NumberWidths { first: 1, length: 1 };
        decompress(widths, &stored, 2, StringTarget::Values(&mut values)).unwrap();
        assert_eq!((values[0], values[300]), (b'a', b'b'));
        let mut starts = [7; 2];
        decompress(widths, &stored, 2, StringTarget::Starts(&mut starts, 301)).unwrap();
        assert_eq!(starts, [0, 1]);
        stored.pop();
        assert!(decompress(widths, &stored, 2, StringTarget::Values(&mut values)).is_err());
    }
}
