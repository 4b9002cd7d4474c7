//! Amazon S3 and S3-compatible stores.
//!
//! Uses the S3 REST API (version 2006-03-01): `ListObjectsV2`, `HeadObject`, `GetObject`, `PutObject`, `CopyObject`,
//! `DeleteObjects`, multipart uploads and bucket operations.

mod copy;
mod credentials;
mod entity_tag;
mod names;
mod options;
mod profile;
mod requests;
mod responses;
mod retries;
mod signer;
mod signing_context;

pub(super) use requests::S3;
