//! One dimension of a partitioned subarray: its coordinates as ordered keys, and the selected measure below a key.

use tiledb_core::error::Result;
use tiledb_core::types::{Cell, CellRange, Datatype, dispatch};

/// Of floating-point numbers a point is this part of all that is selected.
const POINT: f64 = 1e-12;

/// One dimension. Keys of numbers are those of their type; keys of strings are positions in a list of the ends of
/// boxes.
///
/// Distances are measured between keys, not from the start of the dimension: with a domain of all 64-bit integers the
/// difference of two positions loses small tiles to rounding.
pub(super) struct PartitionAxis {
    datatype: Datatype,
    texts: Option<Vec<Box<[u8]>>>,
    /// The selected ranges, ascending and disjoint.
    ranges: Vec<(u64, u64)>,
    below: RangeMeasures,
    /// The first and the last selected key before it was clamped.
    outer: Option<(u64, u64)>,
    /// The measure of a single point, added to the distance of a range's ends.
    point: f64,
}

/// The measure of the ranges below each range: of integers exact.
enum RangeMeasures {
    Keys(Vec<u128>),
    Reals(Vec<f64>),
}

impl RangeMeasures {
    /// The measure of the ranges from one to before another.
    fn between(&self, first: usize, last: usize) -> f64 {
        match self {
            RangeMeasures::Keys(sums) => (sums[last] - sums[first]) as f64,
            RangeMeasures::Reals(sums) => sums[last] - sums[first],
        }
    }
}

impl PartitionAxis {
    /// A dimension of numbers with its selected ranges, ascending and disjoint.
    pub(super) fn of_numbers(datatype: Datatype, ranges: &[CellRange]) -> PartitionAxis {
        Self::new(datatype, None, ranges)
    }

    /// A dimension of strings that are distinguished by these `texts`, ascending; the ends of ranges are among them.
    pub(super) fn of_texts(texts: Vec<Box<[u8]>>, ranges: &[CellRange]) -> PartitionAxis {
        Self::new(Datatype::StringAscii, Some(texts), ranges)
    }

    fn new(datatype: Datatype, texts: Option<Vec<Box<[u8]>>>, ranges: &[CellRange]) -> PartitionAxis {
        let below = RangeMeasures::Keys(Vec::new());
        let mut axis = PartitionAxis { datatype, texts, ranges: Vec::new(), below, outer: None, point: 1.0 };
        let keys = ranges.iter().map(|range| axis.keys(range)).collect();
        axis.select(keys);
        axis.outer = axis.ends();
        axis
    }

    /// Measures only the part of the selection between these keys; nothing is weighed outside.
    pub(super) fn clamped(mut self, (first, last): (u64, u64)) -> PartitionAxis {
        let inside = self.ranges.iter().map(|&(low, high)| (low.max(first), high.min(last)));
        let inside = inside.filter(|(low, high)| low <= high).collect();
        self.select(inside);
        self
    }

    fn select(&mut self, ranges: Vec<(u64, u64)>) {
        if self.datatype.is_float() {
            let length: f64 = ranges.iter().map(|&(low, high)| self.number(high) - self.number(low)).sum();
            self.point = (length * POINT).max(f64::MIN_POSITIVE);
            let mut below = vec![0.0];
            below.extend(ranges.iter().scan(0.0, |sum, &(low, high)| {
                *sum += self.length(low, high);
                Some(*sum)
            }));
            self.below = RangeMeasures::Reals(below);
        } else {
            let mut below = vec![0];
            below.extend(ranges.iter().scan(0u128, |sum, &(low, high)| {
                *sum += u128::from(high - low) + 1;
                Some(*sum)
            }));
            self.below = RangeMeasures::Keys(below);
        }
        self.ranges = ranges;
    }

    /// The first and the last selected key; `None` if there is none.
    pub(super) fn ends(&self) -> Option<(u64, u64)> {
        Some((self.ranges.first()?.0, self.ranges.last()?.1))
    }

    /// The keys of a range.
    pub(super) fn keys(&self, range: &CellRange) -> (u64, u64) {
        (self.key(range.low()), self.key(range.high()))
    }

    /// The key of a coordinate; of a string the position of the first string not below it.
    pub(super) fn key(&self, value: &[u8]) -> u64 {
        match &self.texts {
            Some(texts) => texts.partition_point(|text| **text < *value) as u64,
            None => dispatch!(self.datatype.physical(), T => <T as Cell>::from_le(value).to_key()),
        }
    }

    /// A key of a real as its value, scaled so that no sum overflows.
    fn number(&self, key: u64) -> f64 {
        real(key) / 16.0
    }

    /// The measure from one key to another in the same range.
    fn length(&self, low: u64, high: u64) -> f64 {
        match self.datatype.is_float() {
            true => self.number(high) - self.number(low) + self.point,
            false => (high - low) as f64 + 1.0,
        }
    }

    /// The measure of the selection between two keys, both included.
    pub(super) fn measure(&self, (low, high): (u64, u64)) -> f64 {
        if low > high {
            return 0.0;
        }
        let first = self.ranges.partition_point(|range| range.1 < low);
        let after = self.ranges.partition_point(|range| range.0 <= high);
        let part = |range: (u64, u64)| self.length(range.0.max(low), range.1.min(high));
        match after.saturating_sub(first) {
            0 => 0.0,
            1 => part(self.ranges[first]),
            _ => part(self.ranges[first]) + self.below.between(first + 1, after - 1) + part(self.ranges[after - 1]),
        }
    }

    /// The key up to which about this much is selected, counted from `from`.
    pub(super) fn advance(&self, from: u64, measure: f64) -> u64 {
        let first = self.ranges.partition_point(|range| range.1 < from);
        let Some(&(low, high)) = self.ranges.get(first) else { return from };
        let own = self.length(low.max(from), high);
        if measure <= own {
            return self.along(low.max(from), high, measure);
        }
        let rest = measure - own;
        let mut place = first + 1;
        let mut after = self.ranges.len();
        while place < after {
            let middle = place.midpoint(after);
            match self.below.between(first + 1, middle + 1) < rest {
                true => place = middle + 1,
                false => after = middle,
            }
        }
        match self.ranges.get(place) {
            Some(&(low, high)) => self.along(low, high, rest - self.below.between(first + 1, place)),
            None => self.ranges.last().map_or(from, |range| range.1),
        }
    }

    /// The key inside a range up to which this much of it lies.
    fn along(&self, low: u64, high: u64, measure: f64) -> u64 {
        if !self.datatype.is_float() {
            return low.saturating_add((measure - 1.0).round().max(0.0) as u64).min(high);
        }
        let value = (self.number(low) + measure - self.point) * 16.0;
        let key = match self.datatype {
            Datatype::Float32 => (value as f32).to_key(),
            _ => value.to_key(),
        };
        key.clamp(low, high)
    }

    /// The next key; of floating-point numbers that of the next number of their type.
    pub(super) fn next(&self, key: u64) -> u64 {
        match self.datatype {
            Datatype::Float32 => (real(key) as f32).next().to_key(),
            Datatype::Float64 => real(key).next().to_key(),
            _ => key.saturating_add(1),
        }
    }

    /// The key right before; of floating-point numbers that of the number before of their type.
    pub(super) fn before(&self, key: u64) -> u64 {
        match self.datatype {
            Datatype::Float32 => (real(key) as f32).next_down().to_key(),
            Datatype::Float64 => real(key).next_down().to_key(),
            _ => key.saturating_sub(1),
        }
    }

    fn value(&self, key: u64) -> Vec<u8> {
        if let Some(texts) = &self.texts {
            return usize::try_from(key).ok().and_then(|key| texts.get(key)).map_or(Vec::new(), |text| text.to_vec());
        }
        match self.datatype {
            Datatype::Float32 => (real(key) as f32).to_le_bytes().to_vec(),
            Datatype::Float64 => real(key).to_le_bytes().to_vec(),
            datatype => {
                let sign = dispatch!(datatype.physical(), T => <T as Default>::default().to_key());
                (key ^ sign).to_le_bytes()[..datatype.size()].to_vec()
            }
        }
    }

    /// The coordinates from one key to another, where they are cuts; else from the first or to the last selected one. A
    /// range that begins at a cut begins after the string that ends the part below.
    ///
    /// # Errors
    /// Never for keys of coordinates.
    pub(super) fn band(&self, (low, high): (u64, u64), (is_low_cut, is_high_cut): (bool, bool)) -> Result<CellRange> {
        let (first, last) = self.outer.unwrap_or((low, high));
        let (low, high) = (if is_low_cut { low } else { first }, if is_high_cut { high } else { last });
        match &self.texts {
            // The immediate successor of a string is that string with a NUL appended.
            Some(_) if is_low_cut => {
                Ok(CellRange::var(&[&self.value(low.saturating_sub(1))[..], &[0]].concat(), &self.value(high)))
            }
            Some(_) => Ok(CellRange::var(&self.value(low), &self.value(high))),
            None => CellRange::fixed(&self.value(low), &self.value(high)),
        }
    }

    /// How long a side of a box is, selected or not.
    pub(super) fn length_of(&self, (low, high): (u64, u64)) -> f64 {
        self.length(low, high.max(low))
    }

    /// True if a string is empty at this key: a range that ends there would select all strings.
    pub(super) fn is_nothing(&self, key: u64) -> bool {
        self.texts.is_some() && self.value(key).is_empty()
    }
}

/// The number that has a key.
fn real(key: u64) -> f64 {
    const SIGN: u64 = 1 << 63;
    f64::from_bits(if key & SIGN == 0 { !key } else { key ^ SIGN })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_keys_agree() {
        let axis = PartitionAxis::of_numbers(Datatype::Int16, &[CellRange::of(-5i16, -1), CellRange::of(10i16, 14)]);
        let key = |value: i16| value.to_key();
        assert_eq!(axis.ends(), Some((key(-5), key(14))));
        assert_eq!((axis.measure((key(-5), key(-5))), axis.measure((key(-90), key(3)))), (1.0, 5.0));
        assert_eq!((axis.measure((key(0), key(9))), axis.measure((key(12), key(90)))), (0.0, 3.0));
        for value in [-5i16, -2, -1, 10, 13, 14] {
            assert_eq!(axis.advance(key(-5), axis.measure((key(-5), key(value)))), key(value), "{value}");
        }
        assert_eq!(axis.band((axis.next(key(-2)), key(14)), (true, false)).unwrap().ends::<i16>(), (-1, 14));
        let reals = PartitionAxis::of_numbers(Datatype::Float32, &[CellRange::of(-1f32, 3.0)]);
        let behind = reals.band((reals.next(0f32.to_key()), 3f32.to_key()), (true, false)).unwrap();
        assert_eq!(behind.ends::<f32>(), (f32::from_bits(1), 3.0));
        let start = (-1f32).to_key();
        assert!((real(reals.advance(start, reals.measure((start, 1f32.to_key())))) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn small_distances_in_large_domains_are_exact() {
        let axis = PartitionAxis::of_numbers(Datatype::Int64, &[CellRange::of(i64::MIN, i64::MAX)]);
        let key = |value: i64| value.to_key();
        assert_eq!(axis.measure((key(1000), key(1099))), 100.0);
        assert_eq!(axis.advance(key(1000), 50.0), key(1049));
        let reals = PartitionAxis::of_numbers(Datatype::Float64, &[CellRange::of(f64::MIN, f64::MAX)]);
        let inside = reals.clamped((1f64.to_key(), 2f64.to_key()));
        assert!((inside.measure((1f64.to_key(), 1.5f64.to_key())) * 16.0 - 0.5).abs() < 1e-9);
    }

    #[test]
    fn strings_are_ordered_by_their_ends() {
        let texts = ["a", "c", "m"].map(|text| text.as_bytes().into()).to_vec();
        let axis = PartitionAxis::of_texts(texts, &[CellRange::var(b"a", b"m")]);
        assert_eq!((axis.ends(), axis.key(b"b"), axis.measure((0, 1))), (Some((0, 2)), 1, 2.0));
        assert_eq!(axis.band((2, 2), (true, true)).unwrap(), CellRange::var(b"c\0", b"m"));
        assert_eq!(axis.band((0, 1), (false, true)).unwrap(), CellRange::var(b"a", b"c"));
    }

    #[test]
    fn key_of_a_measure_is_that_of_the_last_of_so_many_cells() {
        let axis = PartitionAxis::of_numbers(
            Datatype::Uint8,
            &[CellRange::of(10u8, 19), CellRange::of(30u8, 30), CellRange::of(40u8, 59)],
        );
        let key = |value: u8| axis.key(&[value]);
        // The first cell, how many there are, and the last of these.
        for (from, count, last) in [
            (10, 1, 10),
            (10, 4, 13),
            (10, 10, 19),
            (10, 11, 30),
            (10, 12, 40),
            (10, 31, 59),
            (10, 99, 59),
            (15, 5, 19),
            (15, 6, 30),
            (20, 1, 30),
            (20, 2, 40),
            (45, 15, 59),
        ] {
            let measure = f64::from(count);
            assert_eq!(axis.advance(key(from), measure), key(last), "{count} cells from {from}");
            if count < 50 {
                assert_eq!(axis.measure((key(from), key(last))), measure, "{from} to {last}");
            }
        }
        assert_eq!(axis.advance(key(60), 3.0), key(60), "nothing is selected from there on");
    }
}
