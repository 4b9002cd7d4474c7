//! Filters of DataFusion as ranges and conditions of a read.

use std::collections::BTreeMap;

use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{Expr, Operator, TableProviderFilterPushDown};
use tiledb::{Condition, Datatype, Value, attr};

use crate::comparison::{FieldComparison, comparison, members};
use crate::fields::{ArrayFields, Column, bounds, is_real, is_text, is_whole};
use crate::intervals::Intervals;
use crate::literal::{Literal, unit_of};

/// What a read evaluates of the filters of a query.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pushdown {
    /// Intervals of dimensions, by their names.
    pub(crate) intervals: BTreeMap<String, Intervals>,
    pub(crate) condition: Option<Condition>,
    /// Whether no cell meets the filters.
    pub(crate) is_empty: bool,
}

impl Pushdown {
    pub(crate) fn new(filters: &[Expr], fields: &ArrayFields) -> Pushdown {
        let mut pushdown = Pushdown::default();
        for filter in filters.iter().flat_map(split_conjunction) {
            pushdown.add(filter, fields);
        }
        pushdown.is_empty |= pushdown.intervals.values().any(|intervals| intervals.list().is_empty());
        pushdown
    }

    fn add(&mut self, filter: &Expr, fields: &ArrayFields) {
        if let Some((column, intervals)) = Intervals::of_filter(filter, fields) {
            let both = match self.intervals.get(&column.name) {
                Some(others) => others.intersect(&intervals),
                None => intervals,
            };
            self.intervals.insert(column.name.clone(), both);
            return;
        }
        if fields.is_dense {
            return;
        }
        match Translation::of(filter, fields, false).met {
            Met::Never => self.is_empty = true,
            Met::Always => {}
            Met::If(condition) => {
                self.condition = Some(match self.condition.take() {
                    Some(others) => others.and(condition),
                    None => condition,
                });
            }
        }
    }
}

/// What the engine does of one filter.
pub(crate) fn support(filter: &Expr, fields: &ArrayFields) -> TableProviderFilterPushDown {
    let parts = split_conjunction(filter);
    let parts = parts.into_iter().map(|part| match Intervals::of_filter(part, fields) {
        Some(_) => (true, true),
        None if fields.is_dense => (false, false),
        None => {
            let translation = Translation::of(part, fields, false);
            (translation.is_exact, translation.is_exact || !matches!(translation.met, Met::Always))
        }
    });
    let (is_exact, is_useful) = parts.fold((true, false), |(exact, useful), part| (exact && part.0, useful || part.1));
    match (is_exact, is_useful) {
        (true, _) => TableProviderFilterPushDown::Exact,
        (false, true) => TableProviderFilterPushDown::Inexact,
        (false, false) => TableProviderFilterPushDown::Unsupported,
    }
}

/// The condition of a deletion for a filter; `None` if it would delete other rows than those that meet the filter. Rows in which a column
/// of [`nullable_operands`] is null would be deleted, too.
pub(crate) fn deleting_condition(filter: &Expr, fields: &ArrayFields) -> Option<Option<Condition>> {
    let translation = Translation::of(filter, fields, false);
    match translation.met {
        _ if !translation.is_exact => None,
        Met::Always => Some(None),
        Met::If(condition) => Some(Some(condition)),
        Met::Never => None,
    }
}

/// The nullable columns that a filter compares with values. A stored deletion keeps the cells that meet the opposite of its condition,
/// which null does not.
pub(crate) fn nullable_operands(filter: &Expr, fields: &ArrayFields) -> Vec<String> {
    let mut names = Vec::new();
    let mut open = vec![filter];
    while let Some(filter) = open.pop() {
        match filter {
            Expr::Alias(alias) => open.push(&alias.expr),
            Expr::Not(inner) => open.push(inner),
            Expr::BinaryExpr(binary) if matches!(binary.op, Operator::And | Operator::Or) => {
                open.extend([&*binary.left, &*binary.right]);
            }
            Expr::IsNull(_) | Expr::IsNotNull(_) => {}
            leaf => {
                let compared = leaf.column_refs().into_iter().filter_map(|column| fields.find(&column.name));
                names.extend(compared.filter(|column| column.is_nullable).map(|column| column.name.clone()));
            }
        }
    }
    names
}

/// Which cells meet a filter.
#[derive(Clone, Debug)]
enum Met {
    Always,
    Never,
    If(Condition),
}

/// A filter as a condition that at least those cells meet which meet the filter.
struct Translation {
    met: Met,
    /// Whether no other cells do.
    is_exact: bool,
}

impl Translation {
    const UNKNOWN: Translation = Translation { met: Met::Always, is_exact: false };

    fn exact(met: Met) -> Translation {
        Translation { met, is_exact: true }
    }

    fn wide(met: Met) -> Translation {
        Translation { met, is_exact: false }
    }

    fn of_truth(truth: bool) -> Translation {
        Translation::exact(if truth { Met::Always } else { Met::Never })
    }

    /// Translates a filter or its negation. A filter that is null does not keep a row, nor does its negation: null cells do not meet
    /// comparisons, so that negations are moved to the comparisons.
    fn of(filter: &Expr, fields: &ArrayFields, is_negated: bool) -> Translation {
        if let Expr::Between(between) = filter {
            let low = Expr::clone(&between.expr).gt_eq(Expr::clone(&between.low));
            let high = Expr::clone(&between.expr).lt_eq(Expr::clone(&between.high));
            return Translation::of(&low.and(high), fields, is_negated != between.negated);
        }
        match filter {
            Expr::Alias(alias) => Translation::of(&alias.expr, fields, is_negated),
            Expr::Not(inner) => Translation::of(inner, fields, !is_negated),
            Expr::BinaryExpr(binary) if matches!(binary.op, Operator::And | Operator::Or) => {
                let left = Translation::of(&binary.left, fields, is_negated);
                let right = Translation::of(&binary.right, fields, is_negated);
                if (binary.op == Operator::And) != is_negated { left.and(right) } else { left.or(right) }
            }
            Expr::IsNull(inner) => validity(inner, fields, !is_negated),
            Expr::IsNotNull(inner) => validity(inner, fields, is_negated),
            Expr::Column(column) => match fields.find(&column.name) {
                Some(column) if column.datatype == Datatype::Bool => {
                    compare(column, Operator::Eq, &Literal::Bool(!is_negated))
                }
                _ => Translation::UNKNOWN,
            },
            Expr::Literal(scalar, _) => match Literal::of_scalar(scalar) {
                Some(Literal::Bool(value)) => Translation::of_truth(value != is_negated),
                _ => Translation::UNKNOWN,
            },
            Expr::Like(like)
                if !is_negated && !like.negated && !like.case_insensitive && like.escape_char.is_none() =>
            {
                match (&*like.expr, &*like.pattern) {
                    (Expr::Column(column), Expr::Literal(pattern, _)) => {
                        starts_with(fields.find(&column.name), Literal::of_scalar(pattern))
                    }
                    _ => Translation::UNKNOWN,
                }
            }
            _ => leaf(filter, fields, is_negated),
        }
    }

    fn and(self, other: Translation) -> Translation {
        let is_exact = self.is_exact && other.is_exact;
        let met = match (self.met, other.met) {
            (Met::Never, _) | (_, Met::Never) => return Translation { met: Met::Never, is_exact: true },
            (Met::Always, met) | (met, Met::Always) => met,
            (Met::If(one), Met::If(other)) => Met::If(one.and(other)),
        };
        Translation { met, is_exact }
    }

    fn or(self, other: Translation) -> Translation {
        let is_exact = self.is_exact && other.is_exact;
        let met = match (self.met, other.met) {
            (Met::Always, _) | (_, Met::Always) => Met::Always,
            (Met::Never, met) | (met, Met::Never) => met,
            (Met::If(one), Met::If(other)) => Met::If(one.or(other)),
        };
        Translation { met, is_exact }
    }
}

/// A comparison or a membership, or its negation.
fn leaf(filter: &Expr, fields: &ArrayFields, is_negated: bool) -> Translation {
    if let Some((name, values, is_not_in)) = members(filter) {
        return match fields.find(name) {
            Some(column) => membership(column, &values, is_not_in != is_negated),
            None => Translation::UNKNOWN,
        };
    }
    let Some(FieldComparison { name, operator, value }) = comparison(filter) else { return Translation::UNKNOWN };
    let Some(column) = fields.find(name) else { return Translation::UNKNOWN };
    let operator = if is_negated { operator.negate() } else { Some(operator) };
    operator.map_or(Translation::UNKNOWN, |operator| compare(column, operator, &value))
}

/// Whether SQL has nulls for values of a column that are not null in the engine: indexes without a value in the enumeration, and "not a
/// time".
fn has_other_nulls(column: &Column) -> bool {
    column.has_enumeration || (!column.is_dimension && unit_of(column.datatype).is_some())
}

fn validity(inner: &Expr, fields: &ArrayFields, is_null: bool) -> Translation {
    let Expr::Column(column) = inner else { return Translation::UNKNOWN };
    let Some(column) = fields.find(&column.name) else { return Translation::UNKNOWN };
    if has_other_nulls(column) {
        return match (is_null, column.is_nullable) {
            (false, true) => Translation::wide(Met::If(attr(&column.name).is_not_null())),
            _ => Translation::UNKNOWN,
        };
    }
    match (is_null, column.is_nullable) {
        (true, true) => Translation::exact(Met::If(attr(&column.name).is_null())),
        (false, true) => Translation::exact(Met::If(attr(&column.name).is_not_null())),
        (is_null, false) => Translation::of_truth(!is_null),
    }
}

fn condition(column: &Column, operator: Operator, value: Value) -> Option<Condition> {
    let field = attr(&column.name);
    Some(match operator {
        Operator::Lt => field.lt(value),
        Operator::LtEq => field.le(value),
        Operator::Gt => field.gt(value),
        Operator::GtEq => field.ge(value),
        Operator::Eq => field.eq(value),
        Operator::NotEq => field.ne(value),
        _ => return None,
    })
}

fn pushed(column: &Column, operator: Operator, value: Value, is_exact: bool) -> Translation {
    match condition(column, operator, value) {
        Some(condition) => Translation { met: Met::If(condition), is_exact },
        None => Translation::UNKNOWN,
    }
}

/// A truth of all cells that are not null.
fn of_all(column: &Column, truth: bool) -> Translation {
    match (truth, column.is_nullable) {
        (true, true) => Translation::exact(Met::If(attr(&column.name).is_not_null())),
        _ => Translation::of_truth(truth),
    }
}

fn compare(column: &Column, operator: Operator, value: &Literal) -> Translation {
    if !column.is_scalar {
        return Translation::UNKNOWN;
    }
    if column.has_enumeration {
        return compare_enumerated(column, operator, value);
    }
    let datatype = column.datatype;
    match (value, unit_of(datatype)) {
        (Literal::Text(text), _) if is_text(datatype) => pushed(column, operator, Value::from(text), true),
        (Literal::Bool(value), _)
            if datatype == Datatype::Bool && matches!(operator, Operator::Eq | Operator::NotEq) =>
        {
            pushed(column, operator, Value::from(*value), true)
        }
        (Literal::Integer(number), None) if is_whole(datatype) => compare_whole(column, operator, *number, true),
        (Literal::Time(nanoseconds), Some(unit)) => {
            let is_whole = nanoseconds.rem_euclid(unit) == 0;
            let compared = compare_whole(column, operator, nanoseconds.div_euclid(unit), is_whole);
            // "Not a time" is less than all times to the engine, and null in SQL.
            let is_exact = compared.is_exact
                && (column.is_dimension || !matches!(operator, Operator::Lt | Operator::LtEq | Operator::NotEq));
            Translation { is_exact, ..compared }
        }
        (Literal::Float(number), _) if is_real(datatype) => compare_real(column, operator, *number),
        _ => Translation::UNKNOWN,
    }
}

/// A comparison with a whole number, or one between it and the next.
fn compare_whole(column: &Column, operator: Operator, floor: i128, is_exact: bool) -> Translation {
    let (low, high) = bounds(column.datatype);
    let operator = match operator {
        Operator::Eq if !is_exact => return of_all(column, false),
        Operator::NotEq if !is_exact => return of_all(column, true),
        Operator::Lt if !is_exact => Operator::LtEq,
        Operator::GtEq if !is_exact => Operator::Gt,
        other => other,
    };
    if floor < low || floor > high {
        let is_above = floor > high;
        return match operator {
            Operator::Eq => of_all(column, false),
            Operator::NotEq => of_all(column, true),
            Operator::Lt | Operator::LtEq => of_all(column, is_above),
            Operator::Gt | Operator::GtEq => of_all(column, !is_above),
            _ => Translation::UNKNOWN,
        };
    }
    match i64::try_from(floor) {
        Ok(number) => pushed(column, operator, Value::from(number), true),
        Err(_) => u64::try_from(floor)
            .map_or(Translation::UNKNOWN, |number| pushed(column, operator, Value::from(number), true)),
    }
}

/// DataFusion orders floating-point numbers by IEEE 754's `totalOrder`: NaN is below or above all numbers, and -0 below 0. The engine
/// compares them as numbers.
fn compare_real(column: &Column, operator: Operator, number: f64) -> Translation {
    if number.is_nan() {
        return Translation::UNKNOWN;
    }
    if number == 0.0 {
        return match operator {
            Operator::Eq => pushed(column, operator, Value::from(number), false),
            _ => Translation::UNKNOWN,
        };
    }
    match operator {
        Operator::Eq | Operator::NotEq => pushed(column, operator, Value::from(number), true),
        _ => Translation::UNKNOWN,
    }
}

/// DataFusion compares the values of enumerations, and indexes without a value are null to it.
fn compare_enumerated(column: &Column, operator: Operator, value: &Literal) -> Translation {
    let value = match value {
        Literal::Text(text) => Value::from(text),
        Literal::Integer(number) => match i64::try_from(*number) {
            Ok(number) => Value::from(number),
            Err(_) => return Translation::UNKNOWN,
        },
        _ => return Translation::UNKNOWN,
    };
    match operator {
        Operator::Eq => pushed(column, operator, value, false),
        Operator::NotEq => pushed(column, operator, value, false),
        _ => Translation::UNKNOWN,
    }
}

/// A set, or what is in none of its values.
fn membership(column: &Column, values: &[Literal], is_negated: bool) -> Translation {
    if !is_negated
        && column.is_scalar
        && !column.has_enumeration
        && is_text(column.datatype)
        && let Some(texts) = values
            .iter()
            .map(|value| match value {
                Literal::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect::<Option<Vec<_>>>()
        && !texts.is_empty()
    {
        return Translation::exact(Met::If(attr(&column.name).is_in(texts)));
    }
    let operator = if is_negated { Operator::NotEq } else { Operator::Eq };
    let each = values.iter().map(|value| compare(column, operator, value));
    each.reduce(|one, other| if is_negated { one.and(other) } else { one.or(other) }).unwrap_or(Translation::UNKNOWN)
}

/// Texts that begin as a pattern without wildcards at its beginning; at least those.
fn starts_with(column: Option<&Column>, pattern: Option<Literal>) -> Translation {
    let (Some(column), Some(Literal::Text(pattern))) = (column, pattern) else { return Translation::UNKNOWN };
    if !column.is_scalar || column.has_enumeration || !is_text(column.datatype) {
        return Translation::UNKNOWN;
    }
    let prefix = pattern.split(['%', '_', '\\']).next().unwrap_or_default();
    let Some(last) = prefix.chars().next_back().filter(|last| ('\u{1}'..'~').contains(last)) else {
        return Translation::UNKNOWN;
    };
    let mut next = prefix[..prefix.len() - 1].to_owned();
    next.push(char::from(last as u8 + 1));
    let field = attr(&column.name);
    Translation::wide(Met::If(field.clone().ge(prefix).and(field.lt(next))))
}
