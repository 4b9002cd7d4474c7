//! Splits a range in two. Programs may depend on the parts into which libtiledb divides a range, so that the parts are
//! the same.

use tiledb_core::types::{Cell, CellRange, Datatype, dispatch};

/// So often a range of strings is divided at most, as by libtiledb.
const DEEPEST: u8 = 7;

/// The halves of a range of numbers; `None` if it cannot be divided.
pub fn halves(datatype: Datatype, range: &CellRange) -> Option<(CellRange, CellRange)> {
    if range.is_var() {
        return None;
    }
    let middle = dispatch!(datatype.physical(), T => {
        let (low, high) = range.ends::<T>();
        bytemuck::bytes_of(&low.middle(high)).to_vec()
    });
    let next = next(datatype, &middle);
    let is_inside = CellRange::compare(datatype, range.low(), &middle).is_le()
        && CellRange::compare(datatype, &next, range.high()).is_le();
    if !is_inside {
        return None;
    }
    Some((CellRange::fixed(range.low(), &middle).ok()?, CellRange::fixed(&next, range.high()).ok()?))
}

/// The number above another one.
fn next(datatype: Datatype, number: &[u8]) -> Vec<u8> {
    dispatch!(datatype.physical(), T => bytemuck::bytes_of(&<T as Cell>::from_le(number).next()).to_vec())
}

/// The part of a range after a value. An empty range of strings is everything.
pub fn after(datatype: Datatype, range: &CellRange, value: &[u8]) -> Option<CellRange> {
    if range.is_var() {
        let low = [value, b"\0"].concat().max(range.low().to_vec());
        let high = if range.high().is_empty() { b"\xff" } else { range.high() };
        return (*low <= *high).then(|| CellRange::var(&low, high));
    }
    if CellRange::compare(datatype, value, range.low()).is_lt() {
        return Some(range.clone());
    }
    if CellRange::compare(datatype, value, range.high()).is_ge() {
        return None;
    }
    CellRange::fixed(&next(datatype, value), range.high()).ok()
}

/// Two parts of a range of strings that was divided `depth` times already, an empty range being everything. The character
/// in the middle between the first ones that differ ends the first part, the next one begins the second; strings of
/// other than ASCII characters may be in neither.
pub fn halves_of_text(range: &CellRange, depth: u8) -> Option<(CellRange, CellRange)> {
    let (low, high) = (range.low(), range.high());
    if depth >= DEEPEST || (low == high && !low.is_empty()) {
        return None;
    }
    let prefix = low.iter().zip(high).take_while(|(a, b)| a == b).count();
    let last = if high.is_empty() { 127 } else { *high.get(prefix)? };
    let first = low.get(prefix).copied().unwrap_or(0);
    let middle = first.checked_add(last.checked_sub(first)? / 2).filter(|_| last > 0)?;
    let end = [&low[..prefix], &[middle, 127]].concat();
    let start = [&low[..prefix], &[middle.checked_add(1)?]].concat();
    let low = if low.is_empty() { b"\0" } else { low };
    let high = if high.is_empty() { b"\x7f" } else { high };
    (*low <= *end && *start <= *high).then(|| (CellRange::var(low, &end), CellRange::var(&start, high)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_divided_in_the_middle() {
        let of = |low: i32, high: i32| halves(Datatype::Int32, &CellRange::of(low, high));
        assert_eq!(of(1, 4).unwrap(), (CellRange::of(1, 2), CellRange::of(3, 4)));
        assert_eq!(of(i32::MIN, i32::MAX).unwrap().0, CellRange::of(i32::MIN, -1));
        assert!(of(3, 3).is_none());
        let (first, second) = halves(Datatype::Float64, &CellRange::of(0.0, 1.0)).unwrap();
        assert_eq!((first, second), (CellRange::of(0.0, 0.5), CellRange::of(0.5f64.next_up(), 1.0)));
        assert!(halves(Datatype::Float32, &CellRange::of(2f32, 2.0)).is_none());
    }

    #[test]
    fn what_lies_behind_a_value() {
        let of = |value: i32| after(Datatype::Int32, &CellRange::of(2, 4), &value.to_le_bytes());
        assert_eq!([of(1), of(2)], [Some(CellRange::of(2, 4)), Some(CellRange::of(3, 4))]);
        assert_eq!([of(4), of(9)], [None, None]);
        let real = after(Datatype::Float64, &CellRange::of(0.0, 1.0), &0.5f64.to_le_bytes());
        assert_eq!(real, Some(CellRange::of(0.5f64.next_up(), 1.0)));
        let text = |low: &str, high: &[u8]| CellRange::var(low.as_bytes(), high);
        let of = |range: CellRange, value: &str| after(Datatype::StringAscii, &range, value.as_bytes());
        assert_eq!(of(text("", b""), "a"), Some(text("a\0", b"\xff")));
        assert_eq!(of(text("b", b"d"), "a"), Some(text("b", b"d")));
        assert_eq!(of(text("b", b"d"), "d"), None);
    }

    #[test]
    fn strings_are_divided_between_characters() {
        let text = |low: &str, high: &str| CellRange::var(low.as_bytes(), high.as_bytes());
        let of = |low: &str, high: &str| halves_of_text(&text(low, high), 0);
        assert_eq!(of("", ""), Some((text("\0", "?\x7f"), text("@", "\x7f"))));
        assert_eq!(of("a", "b"), Some((text("a", "a\x7f"), text("b", "b"))));
        assert_eq!(of("a", "ab"), Some((text("a", "a1\x7f"), text("a2", "ab"))));
        assert_eq!(of("aa", "aa"), None);
        assert_eq!(halves_of_text(&text("a", "z"), DEEPEST), None);
    }
}
