//! Random histories of arrays, with a model of their cells.

pub mod actions;
pub mod model;
pub mod reader;
