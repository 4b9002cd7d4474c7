//! Random query conditions on random arrays, and a model of what they select.

pub mod reference_model;
pub mod run_seed;
pub mod scenario;
pub mod stored_condition;
