//! What histories ask about conditions.

use super::model::condition::{Condition, Operand, Operator};
use super::model::value::Value;
use super::shape::{ArrayShape, ValueKind};

impl Condition {
    /// The attributes that are compared.
    pub fn attributes(&self) -> Vec<usize> {
        match self {
            Condition::Compare(Operand::Attribute(number), ..) => vec![*number],
            Condition::Compare(..) => Vec::new(),
            Condition::And(parts) | Condition::Or(parts) => parts.iter().flat_map(Condition::attributes).collect(),
            Condition::Not(inner) => inner.attributes(),
        }
    }
    /// What a delete with this condition does, and whether it may be refused, as libtiledb refuses deletes that compare with what their
    /// enumeration lacks. Difference (d): such a comparison selects no cell, or all of an attribute without nulls; a delete is refused
    /// if nothing else remains of it.
    pub fn of_known_colors(&self, shape: &ArrayShape, labels: &[&str]) -> (Condition, bool) {
        let is_known = |value: &Value| labels.iter().any(|label| *value == Value::text(label));
        let known = |parts: &[Condition]| -> (Vec<Condition>, Vec<bool>) {
            parts.iter().map(|part| part.of_known_colors(shape, labels)).unzip()
        };
        match self {
            Condition::Compare(Operand::Attribute(number), operator, values)
                if shape.attributes[*number].kind == ValueKind::Color
                    && values[0] != Value::Null
                    && !values.iter().any(is_known) =>
            {
                let selects_all = *operator == Operator::NotEqual;
                let none = Vec::new();
                (if selects_all { Condition::And(none) } else { Condition::Or(none) }, selects_all)
            }
            Condition::And(parts) => {
                let (mut parts, may_be_refused) = known(parts);
                parts.retain(|part| !part.selects_all());
                let is_known = parts.iter().any(Condition::selects_none);
                (
                    if is_known { Condition::Or(Vec::new()) } else { Condition::And(parts) },
                    may_be_refused.contains(&true),
                )
            }
            Condition::Or(parts) => {
                let (mut parts, may_be_refused) = known(parts);
                parts.retain(|part| !part.selects_none());
                let is_known = parts.iter().any(Condition::selects_all);
                (
                    if is_known { Condition::And(Vec::new()) } else { Condition::Or(parts) },
                    may_be_refused.contains(&true),
                )
            }
            condition => (condition.clone(), false),
        }
    }

    fn selects_all(&self) -> bool {
        matches!(self, Condition::And(parts) if parts.is_empty())
    }

    fn selects_none(&self) -> bool {
        matches!(self, Condition::Or(parts) if parts.is_empty())
    }
}
