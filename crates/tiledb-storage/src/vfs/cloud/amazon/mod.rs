//! What Amazon's accounts are known by: keys, two of the places that hold them, and signatures. S3 asks here, and Google for those whom
//! Amazon knows.

pub(super) mod environment;
pub(super) mod given;
pub(super) mod imds;
mod keys;
pub(super) mod sign;

pub(super) use keys::{Found, Keys};
