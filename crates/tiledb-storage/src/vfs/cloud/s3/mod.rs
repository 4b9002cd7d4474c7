//! Amazon S3, and the many stores that speak its language.
//!
//! The requests are those of the S3 REST interface (API version 2006-03-01): `ListObjectsV2`, `HeadObject`, `GetObject`,
//! `PutObject`, `CopyObject`, `DeleteObjects`, the multipart uploads and the buckets.

mod copy;
mod credentials;
mod entity_tag;
mod names;
mod options;
mod profile;
mod requests;
mod responses;
mod signer;
mod signing_context;

pub(super) use requests::S3;
