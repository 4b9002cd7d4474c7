//! Input and output of the string codecs, and their numbers: big-endian, 1, 2, 4 or 8 bytes wide.

use std::ops::Range;

use tiledb_core::budget::MemoryUsage;
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::memory;

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

/// Destination of decoded strings.
pub enum StringTarget<'a> {
    /// The values of all cells, which must fill this exactly.
    Values(&'a mut [u8]),
    /// The starts of as many cells as there are, in values of this many bytes.
    Starts(&'a mut [u64], usize),
    /// Both.
    Cells(&'a mut [u8], &'a mut [u64]),
    /// For each of as many cells as there are the index of its word; the values of all cells would have this many bytes.
    Encoded(&'a mut [u32], &'a mut StringWords, usize),
}

impl StringTarget<'_> {
    /// Bytes of all values.
    pub(crate) fn size(&self) -> usize {
        match self {
            StringTarget::Values(out) | StringTarget::Cells(out, _) => out.len(),
            StringTarget::Starts(_, size) | StringTarget::Encoded(_, _, size) => *size,
        }
    }

    /// Number of cells, if that is known.
    fn cells(&self) -> Option<usize> {
        match self {
            StringTarget::Values(_) => None,
            StringTarget::Starts(starts, _) | StringTarget::Cells(_, starts) => Some(starts.len()),
            StringTarget::Encoded(codes, ..) => Some(codes.len()),
        }
    }

    /// There must be as many strings as the target has cells.
    pub(super) fn check_cells(&self, count: usize) -> Result<()> {
        match self.cells() {
            Some(cells) if cells != count => bail!(Corrupt, "A tile of {cells} cells has {count} encoded strings"),
            _ => Ok(()),
        }
    }

    /// The strings of a tile without data.
    ///
    /// # Errors
    /// If there should be data.
    pub(crate) fn fill_empty(self) -> Result<()> {
        match self {
            StringTarget::Values([]) => {}
            StringTarget::Starts(starts, 0) | StringTarget::Cells([], starts) => starts.fill(0),
            StringTarget::Encoded(codes, words, 0) => {
                words.clear();
                words.push(&[])?;
                codes.fill(0);
            }
            _ => bail!(Corrupt, "A tile of {} bytes has no data", self.size()),
        }
        Ok(())
    }
}

/// The distinct strings of encoded cells, or the strings of their runs.
#[derive(Default)]
pub struct StringWords {
    /// The words one after the other, then [`PADDING`] bytes.
    bytes: Vec<u8>,
    /// Where each word begins, and where the last one ends.
    starts: Vec<u64>,
}

/// Short words are copied with these many bytes, whatever their length.
const PADDING: usize = 16;

impl MemoryUsage for StringWords {
    fn memory_usage(&self) -> u64 {
        self.bytes.memory_usage() + self.starts.memory_usage()
    }
}

impl StringWords {
    /// The maximum memory for the words of `cells` cells whose values have `size` bytes, if each word is used.
    pub fn most_memory(cells: usize, size: usize) -> u64 {
        // Vectors double their capacity.
        let bytes = (size as u64).saturating_add(PADDING as u64).saturating_mul(2);
        (cells as u64).saturating_add(4).saturating_mul(2 * size_of::<u64>() as u64).saturating_add(bytes)
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where each word begins, and the words one after the other.
    pub fn parts(&self) -> (&[u64], &[u8]) {
        let end = self.starts.last().map_or(0, |end| *end as usize);
        (&self.starts[..self.len()], &self.bytes[..end])
    }

    /// The length of a word in bytes.
    #[inline]
    pub fn length(&self, code: u32) -> usize {
        let code = code as usize;
        self.starts.get(code..).and_then(|starts| starts.first_chunk()).map_or(0, |[start, end]| (end - start) as usize)
    }

    /// Writes a word to a position, and returns its end; bytes after it, up to [`PADDING`] from its start, are undefined.
    ///
    /// # Errors
    /// If the word does not fit.
    #[inline]
    pub fn put(&self, code: u32, out: &mut [u8], at: usize) -> Result<usize> {
        let Some([start, end]) = self.starts.get(code as usize..).and_then(|starts| starts.first_chunk()) else {
            return Err(too_long(out.len()));
        };
        let (start, end) = (*start as usize, *end as usize);
        let len = end - start;
        if len <= PADDING
            && let Some(to) = out.get_mut(at..).and_then(<[u8]>::first_chunk_mut::<PADDING>)
            && let Some(word) = self.bytes.get(start..).and_then(<[u8]>::first_chunk)
        {
            *to = *word;
            return Ok(at + len);
        }
        match (out.get_mut(at..at.saturating_add(len)), self.bytes.get(start..end)) {
            (Some(out), Some(word)) => out.copy_from_slice(word),
            _ => return Err(too_long(out.len())),
        }
        Ok(at + len)
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.starts.clear();
    }

    /// Adds a word.
    pub(super) fn push(&mut self, word: &[u8]) -> Result<()> {
        let start = self.starts.last().map_or(0, |end| *end as usize);
        let need = (word.len() + PADDING).saturating_sub(self.bytes.len() - start);
        memory::reserve("words", &mut self.bytes, need)?;
        memory::reserve("words", &mut self.starts, 2)?;
        self.bytes.truncate(start);
        self.bytes.extend_from_slice(word);
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        self.starts.push(self.bytes.len() as u64);
        self.bytes.extend_from_slice(&[0; PADDING]);
        Ok(())
    }
}

#[cold]
fn too_long(size: usize) -> Error {
    Error::corrupt(format!("Encoded strings have more than {size} bytes"))
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
    pub(super) fn new(mut target: StringTarget<'a>, cells: usize) -> Result<StringSink<'a>> {
        target.check_cells(cells)?;
        if let StringTarget::Encoded(_, words, _) = &mut target {
            words.clear();
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
        let cells = self.cell - count..self.cell;
        if let StringTarget::Encoded(codes, words, _) = &mut self.target {
            codes[cells].fill(u32::try_from(words.len()).unwrap_or(u32::MAX));
            return words.push(text);
        }
        if let StringTarget::Starts(starts, _) | StringTarget::Cells(_, starts) = &mut self.target {
            for (index, start) in starts[cells].iter_mut().enumerate() {
                *start = (range.start + index * text.len()) as u64;
            }
        }
        if let StringTarget::Values(out) | StringTarget::Cells(out, _) = &mut self.target {
            for place in out[range].chunks_exact_mut(text.len().max(1)) {
                place.copy_from_slice(text);
            }
        }
        Ok(())
    }

    /// Reserves cells; returns the range of their bytes.
    #[inline]
    fn claim(&mut self, len: usize, count: usize) -> Result<Range<usize>> {
        let end = len.checked_mul(count).and_then(|len| self.place.checked_add(len));
        let size = self.target.size();
        match end {
            Some(end) if end <= size && count <= self.cells_left() => {
                let range = self.place..end;
                (self.place, self.cell) = (end, self.cell + count);
                Ok(range)
            }
            _ => bail!(Corrupt, "Encoded strings have more than {} cells or {size} bytes", self.cells),
        }
    }

    /// All must have been written.
    pub(super) fn finish(self) -> Result<()> {
        let size = self.target.size();
        if self.cell != self.cells || self.place != size {
            bail!(
                Corrupt,
                "Encoded strings have {} cells of {} bytes instead of {} of {size}",
                self.cell,
                self.place,
                self.cells
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
            let decode = |target: StringTarget<'_>, is_rle: bool| match is_rle {
                true => string_rle::decompress(rle, &runs, count, target),
                false => string_dictionary::decompress(dictionary, &words, &numbers, count, target),
            };
            for is_rle in [true, false] {
                values.fill(9);
                places.fill(9);
                decode(StringTarget::Cells(&mut values, &mut places), is_rle).unwrap();
                prop_assert!(values == data && places == starts);
                // As words.
                let (mut codes, mut own) = (vec![9; count], StringWords::default());
                own.push(b"of another tile").unwrap();
                decode(StringTarget::Encoded(&mut codes, &mut own, data.len()), is_rle).unwrap();
                let mut end = 0;
                for (code, text) in codes.iter().zip(&texts) {
                    prop_assert_eq!(own.length(*code), text.len());
                    end = own.put(*code, &mut values, end).unwrap();
                    prop_assert_eq!(&values[end - text.len()..end], text.as_slice());
                }
                prop_assert!(end == data.len() && values == data);
                prop_assert!(own.put(own.len() as u32, &mut values, 0).is_err());
                let (starts, bytes) = own.parts();
                prop_assert!(starts.len() == own.len() && starts.is_sorted() && bytes.len() <= data.len());
                // With other numbers of cells and bytes.
                codes.push(0);
                places.push(0);
                values.push(0);
                prop_assert!(decode(StringTarget::Encoded(&mut codes, &mut own, data.len()), is_rle).is_err());
                codes.pop();
                for other in [data.len() + 1, data.len().saturating_sub(1)] {
                    let is_same = other == data.len();
                    prop_assert_eq!(decode(StringTarget::Encoded(&mut codes, &mut own, other), is_rle).is_ok(), is_same);
                }
                prop_assert!(decode(StringTarget::Cells(&mut values[..data.len()], &mut places), is_rle).is_err());
                places.pop();
                prop_assert!(decode(StringTarget::Cells(&mut values, &mut places), is_rle).is_err());
                prop_assert!(decode(StringTarget::Values(&mut values), is_rle).is_err());
                prop_assert!(decode(StringTarget::Starts(&mut places, data.len() + 1), is_rle).is_err());
                if let Some(less) = data.len().checked_sub(1) {
                    prop_assert!(decode(StringTarget::Values(&mut values[..less]), is_rle).is_err());
                    prop_assert!(decode(StringTarget::Starts(&mut places, less), is_rle).is_err());
                }
                values.pop();
            }
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
            let (mut codes, mut own) = ([0; 20], StringWords::default());
            _ = string_rle::decompress(widths, &noise, 20, StringTarget::Encoded(&mut codes, &mut own, 300));
            if string_dictionary::decompress(widths, &words, &noise, 20, StringTarget::Encoded(&mut codes, &mut own, 300)).is_ok() {
                prop_assert!(codes.iter().all(|code| (*code as usize) < own.len()));
            }
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
