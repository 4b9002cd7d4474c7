//! The client of TileDB servers: arrays and groups at `tiledb://` URIs.
//!
//! A context has one [`session::Session`], made when a server is first needed. Every operation is a request of it, at the address
//! that [`routes`] tells.

mod capabilities;
mod frames;
mod options;
mod redirects;
mod routes;
mod sent;
mod session;
mod uri;
