//! One dimension of a partitioned subarray: its coordinates as ordered keys, and the selected measure below a key.

use tiledb_core::error::Result;
use tiledb_core::types::{Cell, CellRange, Datatype, dispatch};

/// Of floating-point numbers a point is this part of all that is selected.
const POINT: f64 = 1e-12;

/// One dimension. Keys of numbers are those of their type; keys of strings are positions in a list of the ends of
/// boxes.
pub struct PartitionAxis {
    datatype: Datatype,
    texts: Option<Vec<Box<[u8]>>>,
    /// The selected ranges, ascending and disjoint, with the measure of the selection below each.
    ranges: Vec<((u64, u64), f64)>,
    /// The measure of a single point, added to the distance of a range's ends.
    point: f64,
}

impl PartitionAxis {
    /// A dimension of numbers with its selected ranges, ascending and disjoint.
    pub fn of_numbers(datatype: Datatype, ranges: &[CellRange]) -> PartitionAxis {
        let mut axis = PartitionAxis { datatype, texts: None, ranges: Vec::new(), point: 1.0 };
        let keys: Vec<(u64, u64)> = ranges.iter().map(|range| axis.keys(range)).collect();
        if datatype.is_float() {
            let length: f64 = keys.iter().map(|&(low, high)| axis.number(high) - axis.number(low)).sum();
            axis.point = (length * POINT).max(f64::MIN_POSITIVE);
        }
        axis.select(&keys);
        axis
    }

    /// A dimension of strings that are distinguished by these `texts`, ascending; the ends of ranges are among them.
    pub fn of_texts(texts: Vec<Box<[u8]>>, ranges: &[CellRange]) -> PartitionAxis {
        let mut axis =
            PartitionAxis { datatype: Datatype::StringAscii, texts: Some(texts), ranges: Vec::new(), point: 1.0 };
        let keys: Vec<(u64, u64)> = ranges.iter().map(|range| axis.keys(range)).collect();
        axis.select(&keys);
        axis
    }

    fn select(&mut self, keys: &[(u64, u64)]) {
        let mut below = 0.0;
        for &(low, high) in keys {
            self.ranges.push(((low, high), below));
            below += self.length(low, high);
        }
    }

    /// The first and the last selected key; `None` if there is none.
    pub fn ends(&self) -> Option<(u64, u64)> {
        Some((self.ranges.first()?.0.0, self.ranges.last()?.0.1))
    }

    /// The keys of a range.
    pub fn keys(&self, range: &CellRange) -> (u64, u64) {
        (self.key(range.low()), self.key(range.high()))
    }

    /// The key of a coordinate; of a string the position of the first string not below it.
    pub fn key(&self, value: &[u8]) -> u64 {
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

    /// The measure of the selection up to this key.
    pub fn up_to(&self, key: u64) -> f64 {
        let next = self.ranges.partition_point(|((low, _), _)| *low <= key);
        match next.checked_sub(1).and_then(|last| self.ranges.get(last)) {
            Some(&((low, high), below)) => below + self.length(low, key.min(high)),
            None => 0.0,
        }
    }

    /// The measure of the selection below a key.
    pub fn below(&self, key: u64) -> f64 {
        let next = self.ranges.partition_point(|((_, high), _)| *high < key);
        match self.ranges.get(next) {
            Some(&((low, _), below)) if low >= key => below,
            Some(&((low, _), below)) => below + self.length(low, key) - self.point,
            None => self.ranges.last().map_or(0.0, |&((low, high), below)| below + self.length(low, high)),
        }
    }

    /// The key up to which about this much is selected.
    pub fn at(&self, position: f64) -> u64 {
        let next = self.ranges.partition_point(|(_, below)| *below < position);
        let Some(&((low, high), below)) = next.checked_sub(1).and_then(|last| self.ranges.get(last)) else {
            return self.ranges.first().map_or(0, |((low, _), _)| *low);
        };
        let rest = position - below;
        if !self.datatype.is_float() {
            return low.saturating_add((rest - 1.0).round().max(0.0) as u64).min(high);
        }
        let value = (self.number(low) + rest - self.point) * 16.0;
        let key = match self.datatype {
            Datatype::Float32 => (value as f32).to_key(),
            _ => value.to_key(),
        };
        key.clamp(low, high)
    }

    /// The next key; of floating-point numbers that of the next number of their type.
    pub fn next(&self, key: u64) -> u64 {
        match self.datatype {
            Datatype::Float32 => (real(key) as f32).next().to_key(),
            Datatype::Float64 => real(key).next().to_key(),
            _ => key.saturating_add(1),
        }
    }

    /// The key right before; of floating-point numbers that of the number before of their type.
    pub fn before(&self, key: u64) -> u64 {
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

    /// The coordinates from one key to another. A range that begins at a cut begins after the string that ends the part
    /// below.
    ///
    /// # Errors
    /// Never for keys of coordinates.
    pub fn band(&self, (low, high): (u64, u64), is_low_cut: bool) -> Result<CellRange> {
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
    pub fn length_of(&self, (low, high): (u64, u64)) -> f64 {
        self.length(low, high.max(low))
    }

    /// True if a string is empty at this key: a range that ends there would select all strings.
    pub fn is_nothing(&self, key: u64) -> bool {
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
        assert_eq!(
            (axis.below(key(-5)), axis.up_to(key(-5)), axis.up_to(key(3)), axis.below(key(3))),
            (0.0, 1.0, 5.0, 5.0)
        );
        assert_eq!((axis.below(key(12)), axis.up_to(key(12)), axis.up_to(key(90))), (7.0, 8.0, 10.0));
        for value in [-5i16, -2, -1, 10, 13, 14] {
            assert_eq!(axis.at(axis.up_to(key(value))), key(value), "{value}");
        }
        assert_eq!(axis.band((axis.next(key(-2)), key(14)), true).unwrap().ends::<i16>(), (-1, 14));
        let reals = PartitionAxis::of_numbers(Datatype::Float32, &[CellRange::of(-1f32, 3.0)]);
        let behind = reals.band((reals.next(0f32.to_key()), 3f32.to_key()), true).unwrap();
        assert_eq!(behind.ends::<f32>(), (f32::from_bits(1), 3.0));
        assert!((real(reals.at(reals.up_to(1f32.to_key()))) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn strings_are_told_apart_by_ends() {
        let texts = ["a", "c", "m"].map(|text| text.as_bytes().into()).to_vec();
        let axis = PartitionAxis::of_texts(texts, &[CellRange::var(b"a", b"m")]);
        assert_eq!((axis.ends(), axis.key(b"b"), axis.up_to(1)), (Some((0, 2)), 1, 2.0));
        assert_eq!(axis.band((2, 2), true).unwrap(), CellRange::var(b"c\0", b"m"));
        assert_eq!(axis.band((0, 1), false).unwrap(), CellRange::var(b"a", b"c"));
    }
}
