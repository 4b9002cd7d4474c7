//! Paths of buckets and objects in requests to S3, and their names in error messages.

use super::super::amazon::sign;
use super::super::request::StoreRequest;
use super::super::store::ObjectLocation;
use crate::http::Method;

/// The name of an object in error messages.
pub(super) fn at(location: &ObjectLocation) -> String {
    format!("'s3://{}/{}'", location.bucket, location.key)
}

/// A request for an object. The path begins with the bucket, also for virtual-hosted-style addressing.
pub(super) fn object<'a>(method: Method, location: &ObjectLocation, verb: &str) -> StoreRequest<'a> {
    StoreRequest::new(
        method,
        sign::path(&[&location.bucket, &location.key]),
        format!("S3: Cannot {verb} {}", at(location)),
    )
}

pub(super) fn bucket<'a>(method: Method, name: &str, verb: &str) -> StoreRequest<'a> {
    StoreRequest::new(method, sign::path(&[name]), format!("S3: Cannot {verb} 's3://{name}'"))
}
