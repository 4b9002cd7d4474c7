//! Server side of requests: parse the request, run it on an open array, serialize the response.

pub mod fragments;
pub mod plan;
pub mod schemas;
