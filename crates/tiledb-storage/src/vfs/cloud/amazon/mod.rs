//! What Amazon's accounts are known by: keys, two of the places that hold them, and signatures. S3 asks here, and Google for those whom
//! Amazon knows.

mod access_keys;
pub(super) mod credential_document;
pub(super) mod environment;
pub(super) mod imds;
pub(super) mod sign;

pub(super) use access_keys::{AccessKeys, AccessKeysResult};
