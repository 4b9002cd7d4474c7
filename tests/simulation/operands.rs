//! What operators and aggregates apply to an attribute.

use super::model::aggregate::AggregateKind;
use super::random::Random;
use super::shape::{ArrayShape, ValueKind};

/// What operators apply to an attribute depends on this.
pub struct TestKind {
    pub kind: ValueKind,
    pub nullable: bool,
}

impl TestKind {
    pub fn of(shape: &ArrayShape, attribute: usize) -> TestKind {
        let attribute = &shape.attributes[attribute];
        TestKind { kind: attribute.kind, nullable: attribute.nullable }
    }
}

/// Aggregates of a read.
pub fn draw_aggregates(random: &mut Random, shape: &ArrayShape) -> Vec<(AggregateKind, usize)> {
    let mut aggregates = Vec::new();
    for _ in 0..=random.below(3) {
        let attribute = random.below(shape.attributes.len() as u64) as usize;
        let TestKind { kind, nullable } = TestKind::of(shape, attribute);
        let mut kinds = vec![AggregateKind::Count];
        if nullable {
            kinds.push(AggregateKind::NullCount);
        }
        if !matches!(kind, ValueKind::Pair | ValueKind::List | ValueKind::Color) {
            kinds.extend([AggregateKind::Min, AggregateKind::Max]);
        }
        if matches!(kind, ValueKind::Int | ValueKind::Byte | ValueKind::Real) {
            kinds.extend([AggregateKind::Sum, AggregateKind::Mean]);
        }
        aggregates.push((random.pick(&kinds), attribute));
    }
    aggregates
}
