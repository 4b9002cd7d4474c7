//! What a server does with a request: reads it, works on an open array, and writes the answer.

pub mod fragments;
pub mod plan;
pub mod schemas;
