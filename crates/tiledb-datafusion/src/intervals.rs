//! Filters on one dimension as intervals of its coordinates.

use datafusion::logical_expr::{Expr, Operator};

use crate::comparison::{FieldComparison, comparison, members};
use crate::fields::{ArrayFields, Column, bounds, is_whole};
use crate::literal::{Literal, unit_of};

/// Disjoint intervals of coordinates, both ends included, in ascending order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Intervals(Vec<(i128, i128)>);

/// More intervals are not passed to a read: filters of so many points are evaluated as conditions.
const MAX_INTERVALS: usize = 4096;

impl Intervals {
    /// The intervals in which coordinates meet a filter, and the dimension; `None` if it is not a filter on a single dimension of
    /// integers or times, or has too many of them.
    pub(crate) fn of_filter<'f>(filter: &Expr, fields: &'f ArrayFields) -> Option<(&'f Column, Intervals)> {
        let mut names = filter.column_refs().into_iter();
        let (name, None) = (names.next()?, names.next()) else { return None };
        let column = fields.find(&name.name).filter(|column| column.is_dimension)?;
        if !is_whole(column.datatype) {
            return None;
        }
        let intervals = evaluate(filter, column, bounds(column.datatype), false)?;
        (intervals.0.len() <= MAX_INTERVALS).then_some((column, intervals))
    }

    /// The coordinates that are in both.
    pub(crate) fn intersect(&self, other: &Intervals) -> Intervals {
        let mut both = Vec::new();
        let mut left = self.0.iter().peekable();
        let mut right = other.0.iter().peekable();
        while let (Some(&&(low, high)), Some(&&(other_low, other_high))) = (left.peek(), right.peek()) {
            if low.max(other_low) <= high.min(other_high) {
                both.push((low.max(other_low), high.min(other_high)));
            }
            if high < other_high {
                left.next()
            } else {
                right.next()
            };
        }
        Intervals(both)
    }

    fn union(mut self, other: Intervals) -> Intervals {
        self.0.extend(other.0);
        self.0.sort_unstable();
        let mut merged: Vec<(i128, i128)> = Vec::with_capacity(self.0.len());
        for (low, high) in self.0 {
            match merged.last_mut() {
                Some((_, end)) if low <= *end + 1 => *end = high.max(*end),
                _ => merged.push((low, high)),
            }
        }
        Intervals(merged)
    }

    /// All intervals.
    pub(crate) fn list(&self) -> &[(i128, i128)] {
        &self.0
    }

    pub(crate) fn one(low: i128, high: i128) -> Intervals {
        Intervals(if low <= high { vec![(low, high)] } else { Vec::new() })
    }
}

fn evaluate(filter: &Expr, column: &Column, bounds: (i128, i128), is_negated: bool) -> Option<Intervals> {
    if let Expr::Not(inner) = filter {
        return evaluate(inner, column, bounds, !is_negated);
    }
    if let Expr::BinaryExpr(binary) = filter
        && let Operator::And | Operator::Or = binary.op
    {
        let left = evaluate(&binary.left, column, bounds, is_negated)?;
        let right = evaluate(&binary.right, column, bounds, is_negated)?;
        let is_and = (binary.op == Operator::And) != is_negated;
        return Some(if is_and { left.intersect(&right) } else { left.union(right) });
    }
    if let Expr::Between(between) = filter {
        let at_least = compare(&between.expr, Operator::GtEq, &between.low, column, bounds)?;
        let inside = at_least.intersect(&compare(&between.expr, Operator::LtEq, &between.high, column, bounds)?);
        return Some(if between.negated != is_negated { inside.complement(bounds) } else { inside });
    }
    if let Some((_, values, is_not_in)) = members(filter) {
        let points: Option<Vec<(i128, i128)>> = values
            .iter()
            .filter_map(|value| match coordinate(value, column) {
                Some((floor, true)) if (bounds.0..=bounds.1).contains(&floor) => Some(Some((floor, floor))),
                Some(_) => None,
                None => Some(None),
            })
            .collect();
        let inside = Intervals(Vec::new()).union(Intervals(points?));
        return Some(if is_not_in != is_negated { inside.complement(bounds) } else { inside });
    }
    let FieldComparison { operator, value, .. } = comparison(filter)?;
    let met = of_comparison(operator, &value, column, bounds)?;
    Some(if is_negated { met.complement(bounds) } else { met })
}

fn compare(expr: &Expr, operator: Operator, value: &Expr, column: &Column, bounds: (i128, i128)) -> Option<Intervals> {
    match (expr, value) {
        (Expr::Column(_), Expr::Literal(scalar, _)) => {
            of_comparison(operator, &Literal::of_scalar(scalar)?, column, bounds)
        }
        _ => None,
    }
}

fn of_comparison(operator: Operator, value: &Literal, column: &Column, (low, high): (i128, i128)) -> Option<Intervals> {
    let (floor, is_exact) = coordinate(value, column)?;
    let below = if is_exact { floor - 1 } else { floor };
    let clip = |from: i128, to: i128| Intervals::one(from.max(low), to.min(high));
    let equal = if is_exact { clip(floor, floor) } else { Intervals(Vec::new()) };
    Some(match operator {
        Operator::Lt => clip(low, below),
        Operator::LtEq => clip(low, floor),
        Operator::Gt => clip(floor + 1, high),
        Operator::GtEq => clip(below + 1, high),
        Operator::Eq => equal,
        Operator::NotEq => equal.complement((low, high)),
        _ => return None,
    })
}

/// The coordinate of a constant, rounded down, and whether that is exact.
fn coordinate(value: &Literal, column: &Column) -> Option<(i128, bool)> {
    match (value, unit_of(column.datatype)) {
        (Literal::Integer(number), None) => Some((*number, true)),
        (Literal::Time(nanoseconds), Some(unit)) => {
            Some((nanoseconds.div_euclid(unit), nanoseconds.rem_euclid(unit) == 0))
        }
        _ => None,
    }
}

impl Intervals {
    fn complement(&self, (low, high): (i128, i128)) -> Intervals {
        let mut others = Vec::with_capacity(self.0.len() + 1);
        let mut next = low;
        for &(from, to) in &self.0 {
            if next < from {
                others.push((next, from - 1));
            }
            next = to + 1;
        }
        if next <= high {
            others.push((next, high));
        }
        Intervals(others)
    }
}
