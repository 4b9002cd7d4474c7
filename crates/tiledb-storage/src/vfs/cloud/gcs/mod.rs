//! Google Cloud Storage.
//!
//! The requests are those of its JSON interface (version 1): `objects.list`, `get`, `insert` in one request or resumable,
//! `rewrite`, `delete`, alone or 100 in a batch, and the buckets.

mod credentials;
mod names;
mod options;
mod requests;
mod responses;
mod resumable;

pub(in crate::vfs::cloud) use requests::Gcs;
