//! Golden arrays: their descriptions, and the queries whose results they record.

pub mod case;
pub mod query;
