//! The client of TileDB servers: arrays and groups at `tiledb://` URIs.
//!
//! A context has one [`session::Session`], made when a server is first needed. Every operation is a request of it, at the address
//! that [`routes`] tells.

pub(crate) mod arrays;
mod capabilities;
pub(crate) mod fragments;
mod frames;
pub(crate) mod groups;
mod held_back;
pub(crate) mod objects;
mod options;
pub(crate) mod queries;
mod redirects;
pub mod responses;
mod routes;
pub(crate) mod session;
mod source;
mod uri;
