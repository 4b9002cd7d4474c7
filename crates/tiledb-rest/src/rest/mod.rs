//! Client of TileDB servers: arrays and groups at `tiledb://` URIs.
//!
//! A context has one [`session::Session`], created on first use. Every operation is a request of the session to a URL
//! of [`routes`].

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
