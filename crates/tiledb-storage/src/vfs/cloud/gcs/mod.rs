//! Google Cloud Storage.
//!
//! Uses the JSON API (version 1): `objects.list`, `get`, `insert` (in one request or resumable), `rewrite`, `delete`
//! (single or in batches of 100), and bucket operations.

mod credentials;
mod names;
mod options;
mod requests;
mod responses;
mod resumable;

pub(in crate::vfs::cloud) use requests::Gcs;
