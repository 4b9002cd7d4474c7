//! Reference model of aggregates: the expected results for given cells.

use crate::accepted::{self, Entry};
use crate::conditions::reference_model::{self, ModelCell};
use crate::conditions::scenario::{Kind, Scenario, Tree};

/// A cell: its bytes, and false for null.
pub type Cell = (Vec<u8>, bool);

/// The operators, as the interface names them.
pub const OPERATORS: [&str; 5] = ["sum", "min", "max", "mean", "null_count"];

/// A result: bytes and validity.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub value: Vec<u8>,
    pub valid: Option<u8>,
}

fn is_real(kind: Kind) -> bool {
    matches!(kind.number, 2 | 3)
}

fn is_unsigned(kind: Kind) -> bool {
    matches!(kind.number, 6 | 8 | 9 | 10)
}

fn is_text(kind: Kind) -> bool {
    kind.number == 11
}

/// True if an aggregate is that of the cells that a question selects: an operator and the place of a field, or how many
/// there are.
pub fn is_of(
    scenario: &Scenario,
    selected: &[ModelCell<'_>],
    aggregate: Option<(&str, usize)>,
    answer: &Answer,
) -> bool {
    // In dense arrays those count, too, that nobody wrote or that do not meet the condition.
    let Some((operator, place)) = aggregate else { return answer.value == (selected.len() as u64).to_le_bytes() };
    let (kind, nullable) = scenario.kind(place);
    let cell = |cell: &ModelCell<'_>| {
        let (bytes, validity) = reference_model::value(scenario, cell, place);
        (bytes, validity != Some(0))
    };
    // Of cells that somebody wrote counts what is read, also of attributes that their fragment lacks.
    let cells: Vec<Cell> =
        selected.iter().filter(|selected| selected.meets && selected.is_written()).map(cell).collect();
    agrees(kind, nullable, operator, &cells, answer)
}

/// What was asked, and whether the reference answered in several submits.
pub struct AggregateQuery<'a> {
    pub layout: u64,
    pub ranges: &'a [Vec<(i64, i64)>],
    pub condition: Option<&'a Tree>,
    pub again: bool,
}

/// Why the reference aggregates otherwise than ours, which aggregates what was written: aggregates, ours and its.
pub fn why<'a>(
    scenario: &Scenario,
    query: &AggregateQuery<'_>,
    answers: impl Iterator<Item = (Option<(&'static str, usize)>, &'a Answer, &'a Answer)>,
) -> Result<Option<&'static Entry>, String> {
    let wrong: Vec<_> = answers.filter(|(aggregate, a, b)| a != b && !is_rounded(scenario, *aggregate, a, b)).collect();
    let Some((first, a, b)) = wrong.first() else { return Ok(None) };
    let overlaps = |ranges: &Vec<(i64, i64)>| {
        let pairs = ranges.iter().enumerate().flat_map(|(i, a)| ranges[i + 1..].iter().map(move |b| (a, b)));
        pairs.into_iter().any(|(a, b)| a.0 <= b.1 && b.0 <= a.1)
    };
    let entry = match () {
        () if query.condition.is_some_and(|tree| scenario.compares_characters(tree)) => &accepted::CHARACTERS,
        () if !scenario.dense => &accepted::AGGREGATES_OF_SPARSE,
        () if query.layout != scenario.cell_order => &accepted::DENSE_CONDITIONS,
        () if query.again => &accepted::AGGREGATES_AGAIN,
        () if !scenario.merged.is_empty() => &accepted::AGGREGATES_BETWEEN,
        () if query.ranges.iter().any(overlaps) => &accepted::AGGREGATES_OF_RANGES,
        () if wrong.iter().all(|(aggregate, a, _)| is_doubtful(scenario, *aggregate) || a.valid == Some(0)) => {
            &accepted::AGGREGATES_OF_DENSE
        }
        () if scenario.orders_characters(query.condition) => &accepted::UNSIGNED_CHARACTERS,
        () => return Err(format!("aggregate {first:?}: {a:?} {b:?}")),
    };
    Ok(Some(entry))
}

/// Equal but for rounding: sums and means of whole and other numbers.
fn is_rounded(scenario: &Scenario, aggregate: Option<(&str, usize)>, ours: &Answer, theirs: &Answer) -> bool {
    let Some((operator, place)) = aggregate else { return false };
    let number = |answer: &Answer| answer.value.as_slice().try_into().ok().map(f64::from_le_bytes);
    let floats = operator == "mean" || operator == "sum" && is_real(scenario.kind(place).0);
    match (number(ours), number(theirs)) {
        (Some(a), Some(b)) if floats && ours.valid == theirs.valid => is_near(a, b),
        _ => false,
    }
}

/// What the reference aggregates wrongly in dense arrays.
fn is_doubtful(scenario: &Scenario, aggregate: Option<(&str, usize)>) -> bool {
    let Some((operator, place)) = aggregate else { return false };
    let (kind, _) = scenario.kind(place);
    operator == "mean"
        || is_real(kind)
        || operator == "sum" && kind.size == 8
        || kind.number == 11
        || operator == "null_count" && (kind.values != Some(1) || !matches!(kind.number, 0..=3 | 5..=10))
}

fn whole(kind: Kind, bytes: &[u8]) -> i128 {
    let mut word = [0u8; 16];
    let negative = !is_unsigned(kind) && bytes.last().is_some_and(|last| last & 0x80 != 0);
    word.fill(if negative { 0xff } else { 0 });
    word[..bytes.len()].copy_from_slice(bytes);
    i128::from_le_bytes(word)
}

fn real(bytes: &[u8]) -> f64 {
    match bytes.len() {
        4 => f64::from(f32::from_le_bytes(bytes.try_into().unwrap())),
        _ => f64::from_le_bytes(bytes.try_into().unwrap()),
    }
}

/// True if `answer` is the operator's result over the cells.
fn agrees(kind: Kind, nullable: bool, operator: &str, cells: &[Cell], answer: &Answer) -> bool {
    let valid: Vec<&[u8]> = cells.iter().filter(|cell| cell.1).map(|cell| &cell.0[..]).collect();
    let validity = (nullable && operator != "null_count").then_some(u8::from(!valid.is_empty()));
    if answer.valid != validity {
        return false;
    }
    let value = &answer.value;
    match operator {
        "null_count" => *value == ((cells.len() - valid.len()) as u64).to_le_bytes(),
        "sum" | "mean" if is_real(kind) => {
            let sum: f64 = valid.iter().map(|bytes| real(bytes)).sum();
            let expected = if operator == "sum" { sum } else { sum / valid.len() as f64 };
            is_near(real(value), expected)
        }
        "sum" => {
            let sum: i128 = valid.iter().map(|bytes| whole(kind, bytes)).sum();
            match is_unsigned(kind) {
                true => *value == (sum.min(i128::from(u64::MAX)) as u64).to_le_bytes(),
                false => *value == (sum.clamp(i64::MIN.into(), i64::MAX.into()) as i64).to_le_bytes(),
            }
        }
        "mean" => {
            let sum: i128 = valid.iter().map(|bytes| whole(kind, bytes)).sum();
            is_near(real(value), sum as f64 / valid.len() as f64)
        }
        _ => is_extreme(kind, operator == "min", &valid, value),
    }
}

fn is_extreme(kind: Kind, least: bool, valid: &[&[u8]], value: &[u8]) -> bool {
    if valid.is_empty() {
        return value.iter().all(|byte| *byte == 0);
    }
    if is_text(kind) {
        let expected = if least { valid.iter().min() } else { valid.iter().max() };
        return expected == Some(&value);
    }
    if is_real(kind) {
        // NaNs count only where there is nothing else.
        let numbers = valid.iter().map(|bytes| real(bytes)).filter(|number| !number.is_nan());
        let expected = numbers.reduce(if least { f64::min } else { f64::max }).unwrap_or(f64::NAN);
        return expected == real(value) || expected.is_nan() && real(value).is_nan();
    }
    let numbers = valid.iter().map(|bytes| whole(kind, bytes));
    let expected = if least { numbers.min() } else { numbers.max() };
    expected == Some(whole(kind, value))
}

/// Equal but for rounding; a sum that is out of range may be the end of it.
fn is_near(got: f64, expected: f64) -> bool {
    got == expected || got.is_nan() && expected.is_nan() || (got - expected).abs() <= 1e-9 * expected.abs().max(1.0)
}
