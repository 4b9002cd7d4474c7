//! Conditions on cells: comparisons of fields with values, combined by AND, OR and NOT.
//!
//! Users build a [`Condition`]; queries and delete commits work with its flat form, a [`Predicate`]. Nothing
//! here recurses, so that the nesting depth of conditions is only limited by memory.

mod build;
mod check;
mod comparison;
mod operator;
mod predicate;
mod stored;
mod wire;

pub use build::Condition;
pub use comparison::{Comparison, ComparisonValue};
pub use operator::{Combination, ComparisonOperator};
pub use predicate::{Leaf, Predicate, PredicateNode, Simplified};
