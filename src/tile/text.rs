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

/// The least and the greatest cell, where there is any.
pub(super) type Ends<'a> = Option<(&'a [u8], &'a [u8])>;

/// The least and the greatest cell seen so far; among equals the first one.
#[derive(Clone, Copy, Default)]
pub(super) struct Extremes<'a> {
    pub(super) ends: Ends<'a>,
    /// Cells that are not null.
    pub(super) valid: u64,
}

impl<'a> Extremes<'a> {
    /// Adds a cell.
    pub(super) fn add(&mut self, cell: &'a [u8]) {
        self.valid += 1;
        self.ends = match self.ends {
            None => Some((cell, cell)),
            Some((min, max)) => Some((
                if compare(cell, min) == Ordering::Less { cell } else { min },
                if compare(cell, max) == Ordering::Greater { cell } else { max },
            )),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nul_ends_the_comparison() {
        let mut extremes = Extremes::default();
        for cell in [&b"b\0m"[..], b"b\0a", b"b\0z"] {
            extremes.add(cell);
        }
        assert_eq!(extremes.ends, Some((&b"b\0m"[..], &b"b\0m"[..])));
        assert_eq!(compare(b"ab", b"abc"), Ordering::Less);
        assert_eq!(compare(b"b", b"abc"), Ordering::Greater);
        assert_eq!(compare(b"\xff", b"a"), Ordering::Greater);
    }
}
