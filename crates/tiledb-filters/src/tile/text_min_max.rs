//! Minimum and maximum of cells of text, as C's `strncmp` orders them.

use std::cmp::Ordering;

/// Compares as `strncmp` over the shorter length, which stops at the first NUL, then by length.
pub(super) fn compare(a: &[u8], b: &[u8]) -> Ordering {
    for (x, y) in a.iter().zip(b) {
        match x.cmp(y) {
            Ordering::Equal if *x == 0 => break,
            Ordering::Equal => {}
            unequal => return unequal,
        }
    }
    a.len().cmp(&b.len())
}

/// The minimum and the maximum cell; `None` if there are no cells.
pub(super) type MinMax<'a> = Option<(&'a [u8], &'a [u8])>;

/// Running minimum and maximum; the first of equal cells wins.
#[derive(Clone, Copy)]
pub(super) struct TextMinMax<'a> {
    ends: MinMax<'a>,
    /// Prefixes of both: a cell strictly between them needs no comparison. Empty range before the first cell.
    between: (u64, u64),
}

impl<'a> TextMinMax<'a> {
    /// Starts with a previous minimum and maximum.
    pub(super) fn new(known: MinMax<'a>) -> TextMinMax<'a> {
        let between = known.map_or((u64::MAX, 0), |(min, max)| (prefix(min), prefix(max)));
        TextMinMax { ends: known, between }
    }

    /// The least and the greatest.
    pub(super) fn ends(&self) -> MinMax<'a> {
        self.ends
    }

    /// Adds a cell.
    pub(super) fn add(&mut self, cell: &'a [u8]) {
        self.add_prefixed(cell, prefix(cell));
    }

    /// Adds a cell whose first bytes are known.
    #[inline]
    fn add_prefixed(&mut self, cell: &'a [u8], prefix: u64) {
        let is_between = self.between.0 < prefix && prefix < self.between.1;
        // Bytes after a NUL are ignored.
        if !is_between || has_nul(cell.len(), prefix) {
            self.compare(cell);
        }
    }

    /// Adds the cell at these bytes of `data`; false if they are not there.
    #[inline]
    pub(super) fn add_at(&mut self, data: &'a [u8], start: u64, end: u64) -> bool {
        let Some(cell) = data.get(start as usize..end as usize) else { return false };
        let word = match data[start as usize..].first_chunk::<8>() {
            Some(eight) => u64::from_be_bytes(*eight) & !bits_after(cell.len()),
            None => prefix(cell),
        };
        self.add_prefixed(cell, word);
        true
    }

    fn compare(&mut self, cell: &'a [u8]) {
        let ends = match self.ends {
            None => (cell, cell),
            Some((min, max)) => (
                if compare(cell, min) == Ordering::Less { cell } else { min },
                if compare(cell, max) == Ordering::Greater { cell } else { max },
            ),
        };
        *self = TextMinMax::new(Some(ends));
    }
}

/// The first eight bytes of a text as a number, padded with zeros.
pub fn prefix(text: &[u8]) -> u64 {
    if let Some(bytes) = text.first_chunk::<8>() {
        return u64::from_be_bytes(*bytes);
    }
    let mut bytes = [0; 8];
    bytes[..text.len()].copy_from_slice(text);
    u64::from_be_bytes(bytes)
}

/// Mask of the prefix bits after a text of `len` bytes.
#[inline]
fn bits_after(len: usize) -> u64 {
    u64::MAX.checked_shr(8 * len.min(8) as u32).unwrap_or(0)
}

/// True if a text of `len` bytes has a NUL among those of its prefix.
#[inline]
fn has_nul(len: usize, prefix: u64) -> bool {
    let bytes = prefix | bits_after(len);
    bytes.wrapping_sub(0x0101_0101_0101_0101) & !bytes & 0x8080_8080_8080_8080 != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_nul_ends_the_comparison() {
        let mut extremes = TextMinMax::new(None);
        for cell in [&b"b\0m"[..], b"b\0a", b"b\0z"] {
            extremes.add(cell);
        }
        assert_eq!(extremes.ends(), Some((&b"b\0m"[..], &b"b\0m"[..])));
        assert_eq!(compare(b"ab", b"abc"), Ordering::Less);
        assert_eq!(compare(b"b", b"abc"), Ordering::Greater);
        assert_eq!(compare(b"\xff", b"a"), Ordering::Greater);
    }

    proptest! {
        #[test]
        fn what_need_not_be_compared_is_between(
            texts in prop::collection::vec("[\\x00ab\\x7f]{0,3}(aaaaaaa)?[\\x00ab]{0,3}", 1..40),
        ) {
            let (mut starts, mut data) = (vec![0], Vec::new());
            for text in &texts {
                data.extend_from_slice(text.as_bytes());
                starts.push(data.len() as u64);
            }
            let mut min = texts[0].as_bytes();
            let mut max = min;
            let (mut alone, mut side_by_side) = (TextMinMax::new(None), TextMinMax::new(None));
            for (text, place) in texts.iter().zip(starts.windows(2)) {
                let text = text.as_bytes();
                min = if compare(text, min).is_lt() { text } else { min };
                max = if compare(text, max).is_gt() { text } else { max };
                alone.add(text);
                prop_assert!(side_by_side.add_at(&data, place[0], place[1]));
                prop_assert_eq!(alone.ends(), Some((min, max)));
                prop_assert_eq!(side_by_side.ends(), Some((min, max)));
            }
            prop_assert!(!side_by_side.add_at(&data, 0, data.len() as u64 + 1));
        }
    }
}
