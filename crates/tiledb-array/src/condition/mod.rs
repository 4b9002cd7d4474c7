//! Conditions on cells: comparisons of fields with values, combined by AND, OR and NOT.
//!
//! Users build a [`Condition`]; queries and delete commits work with its flat form, a [`Predicate`]. Nothing
//! here recurses, so conditions may nest as deeply as memory allows.

mod build;
mod check;
mod comparison;
mod operator;
mod predicate;
mod wire;

pub use build::Condition;
pub use comparison::{Comparison, Value};
pub use operator::{Combination, Operator};
pub use predicate::{Leaf, Node, Predicate};
