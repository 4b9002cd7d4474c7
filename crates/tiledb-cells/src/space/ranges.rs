//! The ranges of one dimension of a subarray.

use crate::columns::text_head::text_head;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{Cell, CellRange, Datatype, dispatch};

/// The ranges of one dimension: the whole domain until the first range is added.
#[derive(Clone, Debug)]
pub struct RangeSet {
    ranges: Vec<CellRange>,
    is_default: bool,
}

impl RangeSet {
    /// The whole domain; without a domain (strings) every value.
    pub(crate) fn whole(domain: Option<&CellRange>) -> RangeSet {
        RangeSet { ranges: vec![domain.cloned().unwrap_or_else(|| CellRange::var(&[], &[]))], is_default: true }
    }

    /// These ranges and no others.
    pub(crate) fn of(ranges: Vec<CellRange>) -> RangeSet {
        RangeSet { ranges, is_default: false }
    }

    pub fn ranges(&self) -> &[CellRange] {
        &self.ranges
    }

    /// True until a range is added.
    pub fn is_default(&self) -> bool {
        self.is_default
    }

    /// True for one range of one coordinate; the empty range of strings selects all.
    pub fn is_point(&self) -> bool {
        matches!(self.ranges.as_slice(), [range] if range.low() == range.high() && !range.low().is_empty())
    }

    /// Adds a range; with `coalesce`, one that follows the last without a gap grows that one.
    pub(crate) fn add(&mut self, datatype: Datatype, range: CellRange, coalesce: bool) {
        if std::mem::replace(&mut self.is_default, false) {
            self.ranges.clear();
        }
        match self.ranges.last_mut() {
            Some(last) if coalesce && follows(datatype, last, &range) => last.expand(datatype, &range),
            _ => self.ranges.push(range),
        }
    }

    /// The parts of the ranges inside another; `None` if there are none.
    pub(crate) fn within(&self, datatype: Datatype, band: &CellRange) -> Option<RangeSet> {
        if self.is_default {
            return Some(RangeSet { ranges: vec![band.clone()], is_default: false });
        }
        let ranges: Vec<CellRange> = self.ranges.iter().filter_map(|range| range.within(datatype, band)).collect();
        (!ranges.is_empty()).then_some(RangeSet { ranges, is_default: false })
    }

    /// The set without ranges of strings whose ends are in the wrong order, if it has such: they are accepted, as by
    /// libtiledb, and select nothing. If there is no other range, one of them remains.
    pub(crate) fn without_reversed(&self) -> Option<RangeSet> {
        let is_reversed = |range: &CellRange| range.is_var() && range.low() > range.high();
        if !self.ranges.iter().any(is_reversed) {
            return None;
        }
        let mut ranges: Vec<CellRange> = self.ranges.iter().filter(|range| !is_reversed(range)).cloned().collect();
        if ranges.is_empty() {
            ranges.extend(self.ranges.first().cloned());
        }
        Some(RangeSet { ranges, is_default: self.is_default })
    }

    /// Reserves capacity for ranges to be added.
    pub(crate) fn reserve(&mut self, count: usize) {
        // A hint only: without the capacity the ranges are added one by one.
        let _ = self.ranges.try_reserve(count);
    }
}

/// True if `next` begins immediately after `last`; integers only.
fn follows(datatype: Datatype, last: &CellRange, next: &CellRange) -> bool {
    if last.is_var() || next.is_var() || datatype.is_float() {
        return false;
    }
    dispatch!(datatype.physical(), T => {
        let (end, start) = (last.ends::<T>().1, next.ends::<T>().0);
        end != T::HIGHEST && end.to_key().wrapping_add(1) == start.to_key()
    })
}

/// The sort keys of the ends of a range of fixed cells, the heads of those of a range of strings.
pub(super) fn keys(datatype: Datatype, range: &CellRange) -> (u64, u64) {
    if range.is_var() {
        return (text_head(range.low(), range.low().len()), text_head(range.high(), range.high().len()));
    }
    dispatch!(datatype.physical(), T => {
        let (low, high) = range.ends::<T>();
        (low.to_key(), high.to_key())
    })
}

/// Ranges by where they begin.
pub(crate) fn sorted(datatype: Datatype, ranges: &[CellRange]) -> Vec<CellRange> {
    let mut places: Vec<(u64, usize)> = ranges.iter().map(|range| keys(datatype, range).0).zip(0..).collect();
    // Strings of the same head differ behind it.
    let rest = |place: usize| Some(&ranges[place]).filter(|range| range.is_var()).map(CellRange::low);
    let order = |a: &(u64, usize), b: &(u64, usize)| {
        a.0.cmp(&b.0).then_with(|| rest(a.1).cmp(&rest(b.1))).then_with(|| a.1.cmp(&b.1))
    };
    if !places.is_sorted_by(|a, b| order(a, b).is_le()) {
        places.sort_unstable_by(order);
    }
    places.into_iter().map(|(_, place)| ranges[place].clone()).collect()
}

/// Sorts ranges and joins those that overlap; of integers also those without a gap between them.
pub fn disjoint(datatype: Datatype, ranges: &[CellRange]) -> Vec<CellRange> {
    let mut list = sorted(datatype, ranges);
    list.dedup_by(|next, range| {
        let joins = CellRange::compare(datatype, next.low(), range.high()).is_le() || follows(datatype, range, next);
        if joins {
            range.expand(datatype, next);
        }
        joins
    });
    list
}

/// Checks a range against a dimension's domain: numbers must be in order; outside the domain
/// it is an error, or cut with `crop`.
///
/// # Errors
/// As said; `name` is the dimension's.
pub(crate) fn checked(
    name: &str,
    datatype: Datatype,
    range: CellRange,
    domain: Option<&CellRange>,
    crop: bool,
) -> Result<CellRange> {
    check_order(name, datatype, &range)?;
    let Some(domain) = domain else { return Ok(range) };
    if domain.contains(datatype, &range) {
        return Ok(range);
    }
    if !crop {
        bail!(
            "Subarray: Cannot add range to dimension '{name}'; Range {} is out of domain bounds {}",
            range.display(datatype),
            domain.display(datatype)
        );
    }
    let clamp = |value: &[u8]| -> Vec<u8> {
        if CellRange::compare(datatype, value, domain.low()).is_lt() {
            domain.low().to_vec()
        } else if CellRange::compare(datatype, value, domain.high()).is_gt() {
            domain.high().to_vec()
        } else {
            value.to_vec()
        }
    };
    CellRange::fixed(&clamp(range.low()), &clamp(range.high()))
}

/// Numbers must be in order and not NaN; strings are taken as they are.
fn check_order(name: &str, datatype: Datatype, range: &CellRange) -> Result<()> {
    if range.is_var() {
        return Ok(());
    }
    dispatch!(datatype.physical(), T => {
        let (low, high) = range.ends::<T>();
        if low.partial_cmp(&low).is_none() || high.partial_cmp(&high).is_none() {
            bail!("TileDB internal: Range contains NaN: a bound of a range on '{name}' is no number");
        }
        if low > high {
            let text = |value: T| if datatype.is_float() { format!("{:.6}", value.to_f64()) } else { value.to_string() };
            bail!(
                "TileDB internal: Lower range bound {} cannot be larger than the higher bound {} on '{name}'",
                text(low),
                text(high)
            );
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reversed_strings_are_left_out() {
        let set = |ranges: &[(&str, &str)]| {
            RangeSet::of(ranges.iter().map(|(low, high)| CellRange::var(low.as_bytes(), high.as_bytes())).collect())
        };
        let lows = |set: RangeSet| set.ranges.iter().map(|range| range.low().to_vec()).collect::<Vec<_>>();
        assert!(set(&[("a", "b"), ("c", "c"), ("", "")]).without_reversed().is_none());
        assert_eq!(lows(set(&[("v", "c"), ("a", "b"), ("x", "")]).without_reversed().unwrap()), [b"a"]);
        assert_eq!(lows(set(&[("v", "c"), ("z", "y")]).without_reversed().unwrap()), [b"v"]);
    }

    proptest! {
        #[test]
        fn sorted_ranges_are_in_the_order_of_their_lows_and_equal_ones_in_theirs(
            numbers in prop::collection::vec((-3i16..3, 0i16..5), 0..40),
            texts in prop::collection::vec((prop::sample::select(vec!["", "a", "a\0", "commonpre", "commonprefix", "z"]), "[a-c]{0,1}"), 0..40),
        ) {
            let numbers: Vec<CellRange> = numbers.iter().map(|&(low, size)| CellRange::of(low, low + size)).collect();
            let texts: Vec<CellRange> =
                texts.iter().map(|(low, high)| CellRange::var(low.as_bytes(), high.as_bytes())).collect();
            for (datatype, ranges) in [(Datatype::Int16, numbers), (Datatype::StringAscii, texts)] {
                let mut expected = ranges.clone();
                expected.sort_by(|a, b| CellRange::compare(datatype, a.low(), b.low()));
                prop_assert_eq!(sorted(datatype, &ranges), expected);
            }
        }
    }

    #[test]
    fn ranges_that_follow_one_another_become_one() {
        let t = Datatype::Int8;
        let mut set = RangeSet::whole(Some(&CellRange::of(-128i8, 127)));
        assert!(set.is_default() && set.ranges().len() == 1);
        set.add(t, CellRange::of(1i8, 2), true);
        set.add(t, CellRange::of(3i8, 127), true);
        set.add(t, CellRange::of(-128i8, -1), true);
        set.add(t, CellRange::of(0i8, 0), true);
        assert_eq!(set.ranges(), [CellRange::of(1i8, 127), CellRange::of(-128i8, 0)]);
        set.add(t, CellRange::of(1i8, 1), false);
        assert_eq!(set.ranges().len(), 3);
    }

    #[test]
    fn ranges_within_the_domain_are_accepted() {
        let (t, domain) = (Datatype::Int32, CellRange::of(1i32, 4));
        let error = checked("d1", t, CellRange::of(0i32, 9), Some(&domain), false).unwrap_err();
        assert_eq!(
            error.text(),
            "Subarray: Cannot add range to dimension 'd1'; Range [0, 9] is out of domain bounds [1, 4]"
        );
        assert_eq!(checked("d1", t, CellRange::of(0i32, 9), Some(&domain), true).unwrap(), domain);
        let error = checked("d1", t, CellRange::of(3i32, 2), Some(&domain), true).unwrap_err();
        assert_eq!(
            error.text(),
            "TileDB internal: Lower range bound 3 cannot be larger than the higher bound 2 on 'd1'"
        );
    }
}
