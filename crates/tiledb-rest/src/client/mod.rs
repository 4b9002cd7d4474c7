//! Client of TileDB servers: arrays and groups at `tiledb://` URIs.
//!
//! A context has one [`session::Session`], created on first use. Every operation is a request of the session to a URL
//! of [`routes`].

mod array_source;
pub mod arrays;
mod capabilities;
pub mod fragments;
mod frames;
pub mod groups;
pub mod objects;
mod options;
mod partial_tile_buffer;
pub mod queries;
mod redirects;
pub mod response_reader;
mod routes;
pub mod session;
mod uri;
