//! Modules shared by tests of random queries, which include this one at their root.

#[path = "../differential_conditions/run_seed.rs"]
#[allow(dead_code, reason = "shared with the random conditions")]
pub mod arrays;
pub mod compare;
pub mod execute;
#[path = "../differential_aggregates/model.rs"]
pub mod model;
#[path = "../differential_roundtrip/random.rs"]
#[allow(dead_code, reason = "shared with the round trips")]
pub mod random;
pub mod random_query;
#[path = "../differential_conditions/reference_model.rs"]
pub mod reference_model;
#[path = "../differential_conditions/scenario.rs"]
pub mod scenario;
#[path = "../differential_conditions/stored_condition.rs"]
pub mod stored_condition;
