//! Aggregates of the results of reads.

use super::value::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggregateKind {
    Count,
    Sum,
    Min,
    Max,
    Mean,
    NullCount,
}

/// The aggregate of the values of an attribute. Measured: nulls count for nothing but the count and the null count; of no value the
/// sum is 0, the least and the greatest 0 or the empty text, the mean NaN, and all of them null if the attribute is nullable.
pub fn aggregate(kind: AggregateKind, values: &[Value], is_nullable: bool) -> Value {
    let present: Vec<&Value> = values.iter().filter(|value| !value.is_null()).collect();
    let sum = |value: &Value| match value {
        Value::Int(value) => *value as f64,
        Value::Real(value) => *value,
        _ => f64::NAN,
    };
    let is_better = |value: &Value, best: &Value| match kind {
        AggregateKind::Min => value.compare(best).is_some_and(std::cmp::Ordering::is_lt),
        _ => value.compare(best).is_some_and(std::cmp::Ordering::is_gt),
    };
    match kind {
        AggregateKind::Count => Value::Int(values.len() as i64),
        AggregateKind::NullCount => Value::Int((values.len() - present.len()) as i64),
        _ if present.is_empty() && is_nullable => Value::Null,
        AggregateKind::Mean => Value::Real(present.iter().map(|value| sum(value)).sum::<f64>() / present.len() as f64),
        AggregateKind::Sum if present.iter().any(|value| matches!(value, Value::Real(_))) => {
            Value::Real(present.iter().map(|value| sum(value)).sum())
        }
        AggregateKind::Sum => Value::Int(present.iter().map(|value| sum(value) as i64).sum()),
        AggregateKind::Min | AggregateKind::Max => {
            let best = present.into_iter().reduce(|best, value| if is_better(value, best) { value } else { best });
            best.cloned().unwrap_or(Value::Int(0))
        }
    }
}

/// Whether a result is an aggregate: 0 of any type, and NaN of any sign.
pub fn is_same(result: &Value, expected: &Value) -> bool {
    match (result, expected) {
        (Value::Real(result), Value::Real(expected)) => result == expected || result.is_nan() && expected.is_nan(),
        (Value::Real(result), Value::Int(0)) => *result == 0.0,
        (Value::Text(result), Value::Int(0)) => result.is_empty(),
        _ => result == expected,
    }
}
