//! Query conditions.

mod expression;
mod parse;

pub use expression::{Condition, FieldExpression, attr};
