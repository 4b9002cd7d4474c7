//! The client of TileDB servers: arrays and groups at `tiledb://` URIs.
//!
//! A context has one [`session::Session`], made when a server is first needed. Every operation is a request of it, at the address
//! that [`routes`] tells.

mod array_source;
pub(crate) mod arrays;
mod capabilities;
pub(crate) mod fragments;
mod frames;
pub(crate) mod groups;
pub(crate) mod objects;
mod options;
mod partial_tile_buffer;
pub(crate) mod queries;
mod redirects;
pub mod response_reader;
mod routes;
pub(crate) mod session;
mod uri;
