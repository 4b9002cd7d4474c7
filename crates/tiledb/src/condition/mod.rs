//! Query conditions.

mod cells;
mod expression;
mod parse;

pub use cells::CellCondition;
pub use expression::{Condition, FieldExpression, attr};
