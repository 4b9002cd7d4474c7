//! What the stored minimum and maximum of a tile's strings imply.
//!
//! They are cells of the tile, selected in the order of C's `strncmp`: by the bytes before the first NUL, then by length.
//! Aggregates compare all bytes. Both orders agree on the bytes before the first NUL, so that the minimum and maximum by
//! all bytes have the same ones as the stored cells, and only cells with a NUL inside can differ from these.

/// True if no cell of the tile is less than `min`, the stored minimum: of the cells with the same bytes before the first NUL it is
/// a shortest one, and no string of its length or longer with these bytes and a NUL precedes one that ends with NULs only.
pub fn is_minimum(min: &[u8]) -> bool {
    min.iter().skip_while(|&&byte| byte != 0).all(|&byte| byte == 0)
}

/// True if no cell of the tile is greater than `max`, the stored maximum: of the cells with the same bytes before the first NUL it
/// is a longest one, and all that are as long differ after the NUL.
pub fn is_maximum(max: &[u8]) -> bool {
    head(max).len() + 1 >= max.len()
}

/// True if every cell of a tile whose stored minimum is `min` is at least `least`.
pub fn is_at_least(min: &[u8], least: &[u8]) -> bool {
    // All cells are at least these bytes.
    let bound = if is_minimum(min) { min } else { head_with_nul(min) };
    least <= bound
}

/// True if every cell of a tile whose stored maximum is `max` is at most `greatest`.
pub fn is_at_most(max: &[u8], greatest: &[u8]) -> bool {
    max <= greatest && (is_maximum(max) || !greatest.starts_with(head_with_nul(max)))
}

/// The bytes before the first NUL.
fn head(text: &[u8]) -> &[u8] {
    text.split(|&byte| byte == 0).next().unwrap_or_default()
}

/// The bytes up to the first NUL, which is included.
fn head_with_nul(text: &[u8]) -> &[u8] {
    text.split_inclusive(|&byte| byte == 0).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tiledb_core::types::{CellValNum, Datatype};
    use tiledb_filters::tile::{StatsOptions, TileStats, stats_kind, tile_stats};

    /// The statistics of a tile with these cells.
    fn stats_of(cells: &[Vec<u8>], values: CellValNum) -> TileStats {
        let mut starts = Vec::new();
        cells.iter().fold(0, |at, cell| {
            starts.push(at);
            at + cell.len() as u64
        });
        let starts = values.is_var().then_some(&starts[..]);
        let kind = stats_kind(Datatype::StringAscii, values, false, false);
        tile_stats(Datatype::StringAscii, values, &cells.concat(), starts, None, StatsOptions::WHOLE, kind).unwrap()
    }

    /// Checks all statements about the statistics of cells against the cells.
    fn check(cells: &[Vec<u8>], values: CellValNum, others: &[Vec<u8>]) {
        let TileStats { min, max, .. } = stats_of(cells, values);
        let (least, greatest) = (cells.iter().min().unwrap(), cells.iter().max().unwrap());
        assert!(cells.contains(&min) && cells.contains(&max));
        assert!(!is_minimum(&min) || min == *least, "{min:?} {cells:?}");
        assert!(!is_maximum(&max) || max == *greatest, "{max:?} {cells:?}");
        for other in others.iter().chain(cells) {
            assert!(!is_at_least(&min, other) || other <= least, "{min:?} {other:?} {cells:?}");
            assert!(!is_at_most(&max, other) || other >= greatest, "{max:?} {other:?} {cells:?}");
        }
    }

    proptest! {
        #[test]
        fn statements_hold_for_all_cells(
            var in prop::collection::vec(prop::collection::vec(0u8..3, 0..5), 1..6),
            fixed in prop::collection::vec(prop::collection::vec(0u8..3, 3), 1..6),
            others in prop::collection::vec(prop::collection::vec(0u8..3, 0..5), 0..6),
        ) {
            check(&var, CellValNum::VAR, &others);
            check(&fixed, CellValNum::from_number(3).unwrap(), &others);
        }
    }

    #[test]
    fn strings_without_nul_are_exact() {
        for text in [&b""[..], b"a", b"abc", b"\xff"] {
            assert!(is_minimum(text) && is_maximum(text), "{text:?}");
        }
        assert!(is_minimum(b"ab\0\0") && is_maximum(b"ab\0"));
        assert!(!is_minimum(b"ab\0c") && !is_maximum(b"ab\0\0") && !is_maximum(b"ab\0c"));
    }

    #[test]
    fn tiles_are_excluded_by_the_bytes_before_a_nul() {
        assert!(is_at_least(b"b\0x", b"a") && is_at_least(b"b\0x", b"b\0") && !is_at_least(b"b\0x", b"b\0a"));
        assert!(is_at_most(b"b\0x", b"ba") && is_at_most(b"b\0x", b"c"));
        assert!(!is_at_most(b"b\0x", b"b\0z") && !is_at_most(b"b\0x", b"a"));
        assert!(is_at_least(b"b", b"b") && is_at_most(b"b", b"b"));
    }
}
