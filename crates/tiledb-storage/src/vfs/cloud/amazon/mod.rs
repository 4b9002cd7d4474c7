//! AWS credentials and request signatures, for S3 and for Google's federation with AWS.

mod access_keys;
pub(super) mod credential_document;
pub(super) mod environment;
pub(super) mod imds;
pub(super) mod sign;

pub(super) use access_keys::{AccessKeys, AccessKeysResult};
