//! Input and output of the string codecs, and their numbers: big-endian, 1, 2, 4 or 8 bytes wide.

use std::ops::Range;

use tiledb_core::error::{Error, Result, bail};

/// The widths of the two numbers of a string codec. RLE: of run lengths and of string lengths;
/// dictionaries: of the cells' numbers and of string lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberWidths {
    /// Bytes of a run length, or of a number in the dictionary.
    pub first: u8,
    /// Bytes of a string length.
    pub length: u8,
}

impl NumberWidths {
    /// The widths as sizes.
    ///
    /// # Errors
    /// If one is not 1, 2, 4 or 8.
    pub(super) fn sizes(self) -> Result<(usize, usize)> {
        match (self.first, self.length) {
            (1 | 2 | 4 | 8, 1 | 2 | 4 | 8) => Ok((usize::from(self.first), usize::from(self.length))),
            (first, length) => bail!(Corrupt, "Encoded strings have numbers of {first} and {length} bytes"),
        }
    }
}

/// The least sufficient width of a number.
pub(super) fn width_of(number: u64) -> u8 {
    match number {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xffff_ffff => 4,
        _ => 8,
    }
}

/// Appends a number in `width` bytes.
#[inline]
pub(super) fn put(number: u64, width: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&number.to_be_bytes()[8 - width..]);
}

/// A number of at most 8 bytes.
#[inline]
pub(super) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Splits `len` bytes off the front.
#[inline]
pub(super) fn take<'a>(bytes: &mut &'a [u8], len: usize) -> Result<&'a [u8]> {
    match bytes.split_at_checked(len) {
        Some((front, rest)) => {
            *bytes = rest;
            Ok(front)
        }
        None => bail!(Corrupt, "Encoded strings end {len} bytes too early"),
    }
}

/// The cells that start at `starts` in `data`.
pub(super) fn cells<'a>(data: &'a [u8], starts: &'a [u64]) -> impl Iterator<Item = Result<&'a [u8]>> + Clone {
    starts.iter().enumerate().map(move |(index, &start)| {
        let end = starts.get(index + 1).map_or(data.len(), |&next| usize::try_from(next).unwrap_or(usize::MAX));
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        match data.get(start..end) {
            Some(cell) if index > 0 || start == 0 => Ok(cell),
            _ => Err(Error::invalid("Cell offsets do not ascend from 0 within the data of their tile")),
        }
    })
}

/// Destination of decoded strings: the values, or only their starts.
pub enum StringTarget<'a> {
    /// The values of all cells, which must fill this exactly.
    Values(&'a mut [u8]),
    /// The starts of as many cells as there are, in values of this many bytes.
    Starts(&'a mut [u64], usize),
}

impl StringTarget<'_> {
    /// Bytes of all values.
    pub(super) fn size(&self) -> usize {
        match self {
            StringTarget::Values(out) => out.len(),
            StringTarget::Starts(_, size) => *size,
        }
    }
}

/// Writes strings to a target one after the other.
pub(super) struct StringSink<'a> {
    target: StringTarget<'a>,
    cells: usize,
    /// Number of cells and bytes written.
    cell: usize,
    place: usize,
}

impl<'a> StringSink<'a> {
    /// A sink for `cells` cells.
    pub(super) fn new(target: StringTarget<'a>, cells: usize) -> Result<StringSink<'a>> {
        if let StringTarget::Starts(starts, _) = &target
            && starts.len() != cells
        {
            bail!(Corrupt, "A tile of {} cells has {cells} encoded strings", starts.len());
        }
        Ok(StringSink { target, cells, cell: 0, place: 0 })
    }

    /// Cells not written yet.
    pub(super) fn cells_left(&self) -> usize {
        self.cells - self.cell
    }

    /// Writes `text` as the next `count` cells.
    #[inline]
    pub(super) fn push(&mut self, text: &[u8], count: usize) -> Result<()> {
        let range = self.claim(text.len(), count)?;
        match &mut self.target {
            StringTarget::Values(out) => {
                for place in out[range].chunks_exact_mut(text.len().max(1)) {
                    place.copy_from_slice(text);
                }
            }
            StringTarget::Starts(starts, _) => {
                for (index, start) in starts[self.cell - count..self.cell].iter_mut().enumerate() {
                    *start = (range.start + index * text.len()) as u64;
                }
            }
        }
        Ok(())
    }

    /// Reserves cells; returns the range of their bytes.
    #[inline]
    fn claim(&mut self, len: usize, count: usize) -> Result<Range<usize>> {
        let end = len.checked_mul(count).and_then(|len| self.place.checked_add(len));
        match end {
            Some(end) if end <= self.target.size() && count <= self.cells_left() => {
                let range = self.place..end;
                (self.place, self.cell) = (end, self.cell + count);
                Ok(range)
            }
            _ => bail!(Corrupt, "Encoded strings have more than {} cells or {} bytes", self.cells, self.target.size()),
        }
    }

    /// All must have been written.
    pub(super) fn finish(self) -> Result<()> {
        if self.cell != self.cells || self.place != self.target.size() {
            bail!(
                Corrupt,
                "Encoded strings have {} cells of {} bytes instead of {} of {}",
                self.cell,
                self.place,
                self.cells,
                self.target.size()
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::codec::{string_dictionary, string_rle};

    fn texts() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let text = prop_oneof![
            6 => prop::collection::vec(b'a'..b'c', 0..3),
            1 => (0usize..70000).prop_map(|len| vec![b'x'; len]),
        ];
        prop::collection::vec((text, 1usize..400), 0..12).prop_map(|runs| {
            runs.into_iter()
                .flat_map(|(text, count)| {
                    let count = if text.len() > 100 { 1 } else { count };
                    std::iter::repeat_n(text, count)
                })
                .collect()
        })
    }

    fn tile(texts: &[Vec<u8>]) -> (Vec<u8>, Vec<u64>) {
        let mut end = 0;
        let starts = texts.iter().map(|text| {
            let start = end;
            end += text.len() as u64;
            start
        });
        (texts.concat(), starts.collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn strings_come_back(texts in texts()) {
            let (data, starts) = tile(&texts);
            let (mut runs, mut numbers, mut words) = (Vec::new(), Vec::new(), Vec::new());
            let rle = string_rle::compress(&data, &starts, &mut runs).unwrap();
            let dictionary = string_dictionary::compress(&data, &starts, &mut words, &mut numbers).unwrap();
            let (mut values, mut places) = (vec![9; data.len()], vec![9; starts.len()]);
            let count = starts.len();
            string_rle::decompress(rle, &runs, count, StringTarget::Values(&mut values)).unwrap();
            string_rle::decompress(rle, &runs, count, StringTarget::Starts(&mut places, data.len())).unwrap();
            prop_assert!(values == data && places == starts);
            values.fill(9);
            places.fill(9);
            string_dictionary::decompress(dictionary, &words, &numbers, count, StringTarget::Values(&mut values)).unwrap();
            string_dictionary::decompress(dictionary, &words, &numbers, count, StringTarget::Starts(&mut places, data.len())).unwrap();
            prop_assert!(values == data && places == starts);
        }

        #[test]
        fn noise_is_an_error_or_strings(
            noise in prop::collection::vec(any::<u8>(), 0..200),
            words in prop::collection::vec(any::<u8>(), 0..50),
            first in 0u8..10,
            length in 0u8..10,
            count in 0usize..50,
        ) {
            let widths = NumberWidths { first, length };
            let mut values = [0; 300];
            let mut places = [0; 20];
            _ = string_rle::decompress(widths, &noise, count, StringTarget::Values(&mut values));
            _ = string_rle::decompress(widths, &noise, 20, StringTarget::Starts(&mut places, 300));
            _ = string_dictionary::decompress(widths, &words, &noise, count, StringTarget::Values(&mut values));
            _ = string_dictionary::decompress(widths, &words, &noise, 20, StringTarget::Starts(&mut places, 300));
        }
    }

    #[test]
    fn offsets_out_of_order_are_refused() {
        for starts in [&[1, 2][..], &[0, 9], &[0, 3, 2]] {
            assert!(string_rle::compress(b"abcd", starts, &mut Vec::new()).is_err());
            assert!(string_dictionary::compress(b"abcd", starts, &mut Vec::new(), &mut Vec::new()).is_err());
        }
    }
}
