//! Random arrays, the questions to them, and who judges the answers: the tests that ask name these modules at their root.

#[path = "../differential_conditions/play.rs"]
#[allow(dead_code, reason = "shared with the random conditions")]
pub mod arrays;
pub mod ask;
#[path = "../differential_conditions/cells.rs"]
pub mod cells;
pub mod judge;
#[path = "../differential_aggregates/model.rs"]
pub mod model;
pub mod question;
#[path = "../differential_roundtrip/random.rs"]
#[allow(dead_code, reason = "shared with the round trips")]
pub mod random;
#[path = "../differential_conditions/scenario.rs"]
pub mod scenario;
