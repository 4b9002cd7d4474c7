//! Pruning by tile statistics: decides from the minimum and maximum of a tile whether a comparison is true for none or all of
//! its cells.

use std::cmp::Ordering;

use super::column_test::{ColumnTest, TestKind, sort_key};
use super::kernel::holds;
use tiledb_array::condition::ComparisonOperator;
use tiledb_core::types::{Cell, dispatch};

/// The verdict on all cells together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// None matches the condition.
    Never,
    /// All match it.
    Always,
    /// Every cell must be compared.
    Maybe,
}

impl Verdict {
    /// All cells or none.
    pub(crate) fn of(all: bool) -> Verdict {
        if all { Verdict::Always } else { Verdict::Never }
    }

    /// The verdict of a conjunction.
    pub fn and(self, other: Verdict) -> Verdict {
        match (self, other) {
            (Verdict::Never, _) | (_, Verdict::Never) => Verdict::Never,
            (Verdict::Always, other) | (other, Verdict::Always) => other,
            _ => Verdict::Maybe,
        }
    }

    /// The verdict of a disjunction.
    pub(crate) fn or(self, other: Verdict) -> Verdict {
        match (self, other) {
            (Verdict::Always, _) | (_, Verdict::Always) => Verdict::Always,
            (Verdict::Never, other) | (other, Verdict::Never) => other,
            _ => Verdict::Maybe,
        }
    }
}

/// Statistics of one column of a tile.
#[derive(Clone, Copy, Debug)]
pub struct ColumnStats<'a> {
    /// The minimum and maximum of the values that are not null.
    pub min_max: (&'a [u8], &'a [u8]),
    /// Cells may be null.
    pub has_nulls: bool,
}

impl ColumnTest {
    /// The verdict of the statistics of a tile on its cells.
    pub(crate) fn verdict(&self, stats: Option<&ColumnStats<'_>>) -> Verdict {
        let (by_values, has_nulls) = match (&self.kind, stats) {
            (TestKind::Always(all), _) => return Verdict::of(*all),
            (TestKind::Number { physical, operator, value }, Some(stats)) => {
                let verdict = match dispatch!(*physical, T => ends::<T>(stats.min_max, value)) {
                    (Some(min), Some(max)) => by_ends(*operator, min, max, physical.is_real()),
                    _ => Verdict::Maybe,
                };
                (verdict, stats.has_nulls)
            }
            (TestKind::Text { operator, value, .. }, Some(stats)) => {
                let (min, max) = stats.min_max;
                (by_ends(*operator, min.cmp(value), max.cmp(value), false), stats.has_nulls)
            }
            (TestKind::Words { keys: Some((physical, keys)), is_member, .. }, Some(stats)) => {
                let (min, max) = stats.min_max;
                let [min, max] = [min, max].map(|end| dispatch!(*physical, T => sort_key::<T>(end)));
                (by_members(keys, min, max, *is_member), stats.has_nulls)
            }
            _ => return Verdict::Maybe,
        };
        match by_values {
            // Null cells do not match it.
            Verdict::Always if has_nulls => Verdict::Maybe,
            verdict => verdict,
        }
    }
}

/// How the ends of a range compare to a value.
fn ends<T: Cell>((min, max): (&[u8], &[u8]), value: &[u8]) -> (Option<Ordering>, Option<Ordering>) {
    let value = T::from_le(value);
    (T::from_le(min).partial_cmp(&value), T::from_le(max).partial_cmp(&value))
}

/// From the members of a set, in order, that are between the ends of a range.
fn by_members(keys: &[u64], min: u64, max: u64, is_member: bool) -> Verdict {
    let first = keys.partition_point(|key| *key < min);
    match keys.get(first) {
        Some(key) if *key <= max && min == max => Verdict::of(is_member),
        Some(key) if *key <= max => Verdict::Maybe,
        _ => Verdict::of(!is_member),
    }
}

/// From how the ends of a range compare to the value. If there can be unordered values, NaNs, no comparison but NE
/// holds for all.
fn by_ends(operator: ComparisonOperator, min: Ordering, max: Ordering, has_nan: bool) -> Verdict {
    let (first, last) = (holds(operator, min), holds(operator, max));
    match operator {
        ComparisonOperator::Equal if min.is_gt() || max.is_lt() => Verdict::Never,
        ComparisonOperator::Equal if min.is_eq() && max.is_eq() && !has_nan => Verdict::Always,
        ComparisonOperator::Equal => Verdict::Maybe,
        ComparisonOperator::NotEqual if min.is_gt() || max.is_lt() => Verdict::Always,
        ComparisonOperator::NotEqual if min.is_eq() && max.is_eq() && !has_nan => Verdict::Never,
        ComparisonOperator::NotEqual => Verdict::Maybe,
        _ if !first && !last => Verdict::Never,
        _ if first && last && !has_nan => Verdict::Always,
        _ => Verdict::Maybe,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::coords::Coords;
    use crate::predicate::column_test::ColumnInput;
    use crate::predicate::program::Program;
    use proptest::prelude::*;
    use std::sync::Arc;
    use tiledb_array::condition::{Comparison, Condition};
    use tiledb_array::schema::{ArraySchema, Attribute};
    use tiledb_core::types::{ArrayType, Datatype};

    proptest! {
        #[test]
        fn a_verdict_agrees_with_every_cell(
            cells in prop::collection::vec((prop::sample::select(vec![f64::NAN, -1.0, -0.0, 0.0, 1.0, 2.0]), any::<bool>()), 1..40),
            value in prop::sample::select(vec![f64::NAN, -2.0, -1.0, 0.0, 1.0, 3.0]),
            operator in 0u32..6,
            nullable: bool,
        ) {
            let mut attribute = Attribute::new("a", Datatype::Float64);
            attribute.set_nullable(nullable);
            let mut schema = ArraySchema::new(ArrayType::Sparse);
            schema.add_attribute(Arc::new(attribute)).unwrap();
            let comparison = Comparison::new("a", Some(&value.to_le_bytes()), ComparisonOperator::from_number(operator)).unwrap();
            let predicate = Condition::new(comparison).predicate().unwrap();
            let program = Program::new(&predicate, |name| schema.field(name)).unwrap();
            let values: Vec<f64> = cells.iter().map(|cell| cell.0).collect();
            let validity: Vec<u8> = cells.iter().map(|cell| u8::from(cell.1)).collect();
            let input = || ColumnInput::Cells {
                data: Coords::Fixed(bytemuck::cast_slice(&values)),
                validity: nullable.then_some(validity.as_slice()),
            };
            let marks = program.run(cells.len(), |_| Ok(None), |_| Ok(input())).unwrap();
            let valid = cells.iter().filter(|cell| !nullable || cell.1).map(|cell| cell.0).filter(|v| !v.is_nan());
            let (min, max) = valid.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
            let (min, max) = if min > max { (0.0, 0.0) } else { (min, max) };
            let (min, max) = (min.to_le_bytes(), max.to_le_bytes());
            let stats = ColumnStats { min_max: (&min, &max), has_nulls: nullable };
            match program.verdict(|_| Ok(None), |_| Ok(Some(stats))).unwrap() {
                Verdict::Never => prop_assert!(!marks.contains(&1)),
                Verdict::Always => prop_assert!(!marks.contains(&0)),
                Verdict::Maybe => {}
            }
        }
    }
}
