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
/// sum is 0, the least and the greatest 0 or the empty text, the mean NaN, and all of them null if the attribute is nullable. Which is
/// the least or the greatest of values with NaN depends on their order and on tiles.
pub fn aggregate(kind: AggregateKind, values: &[Value], is_nullable: bool) -> Value {
    let present = || values.iter().filter(|value| **value != Value::Null);
    let count = present().count();
    let sum = || present().map(Value::number).sum::<f64>();
    let best = |is_better: &dyn Fn(std::cmp::Ordering) -> bool| {
        let best = present().reduce(|best, it| if it.compare(best).is_some_and(is_better) { it } else { best });
        best.cloned().unwrap_or(Value::Int(0))
    };
    match kind {
        AggregateKind::Count => Value::Int(values.len() as i64),
        AggregateKind::NullCount => Value::Int((values.len() - count) as i64),
        _ if count == 0 && is_nullable => Value::Null,
        AggregateKind::Mean => Value::Real((sum() / count as f64).to_bits()),
        AggregateKind::Sum if present().any(|value| matches!(value, Value::Real(_))) => Value::Real(sum().to_bits()),
        AggregateKind::Sum => Value::Int(sum() as i64),
        AggregateKind::Min => best(&std::cmp::Ordering::is_lt),
        AggregateKind::Max => best(&std::cmp::Ordering::is_gt),
    }
}
