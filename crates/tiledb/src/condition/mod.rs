//! Query conditions.

mod cells;
mod expression;
mod parse;
mod text;

pub use cells::CellCondition;
pub use expression::{Condition, FieldExpression, attr};
