//! Minimum and maximum of strings, compared byte by byte.

use crate::columns::text_head::text_head;

/// The minimum and the maximum of the strings added so far.
#[derive(Default)]
pub(crate) struct TextExtremes<'a> {
    ends: Option<(&'a [u8], &'a [u8])>,
    /// The [`text_head`] of both.
    heads: (u64, u64),
}

impl<'a> TextExtremes<'a> {
    /// Both, if there was any text.
    pub(crate) fn ends(&self) -> Option<(&'a [u8], &'a [u8])> {
        self.ends
    }

    #[inline]
    fn add(&mut self, text: &'a [u8]) {
        let head = text_head(text, text.len());
        let Some((min, max)) = &mut self.ends else {
            (self.ends, self.heads) = (Some((text, text)), (head, head));
            return;
        };
        if head <= self.heads.0 && (head < self.heads.0 || text < *min) {
            (*min, self.heads.0) = (text, head);
        }
        if head >= self.heads.1 && (head > self.heads.1 || text > *max) {
            (*max, self.heads.1) = (text, head);
        }
    }

    /// Adds the cells of `size` bytes whose mark is not 0, or all.
    pub(crate) fn add_fixed(&mut self, data: &'a [u8], size: usize, marks: Option<&[u8]>) {
        for (cell, text) in data.chunks_exact(size.max(1)).enumerate() {
            if marks.is_none_or(|marks| marks.get(cell).is_some_and(|&mark| mark != 0)) {
                self.add(text);
            }
        }
    }

    /// Adds the variable cells with these starts and whose mask is not 0, or all.
    pub(crate) fn add_var(&mut self, data: &'a [u8], starts: &[u64], marks: Option<&[u8]>) {
        let ends = starts.iter().skip(1).copied().chain([data.len() as u64]);
        for (cell, (&start, end)) in starts.iter().zip(ends).enumerate() {
            if marks.is_none_or(|marks| marks.get(cell).is_some_and(|&mark| mark != 0)) {
                self.add(data.get(start as usize..end as usize).unwrap_or_default());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn as_slices_compare(texts in prop::collection::vec(prop::collection::vec(0u8..3, 0..12), 0..30), marks: [u8; 30]) {
            let expected = texts.iter().zip(&marks).filter(|(_, mark)| **mark != 0).map(|(text, _)| &text[..]);
            let (data, mut starts) = (texts.concat(), Vec::new());
            texts.iter().fold(0, |at, text| {
                starts.push(at);
                at + text.len() as u64
            });
            let mut extremes = TextExtremes::default();
            extremes.add_var(&data, &starts, Some(&marks));
            prop_assert_eq!(extremes.ends(), expected.clone().min().zip(expected.max()));
        }
    }
}
