//! Paths of buckets and objects in requests to Google Cloud Storage, and their names in error messages.

use super::super::request::StoreRequest;
use super::super::store::ObjectLocation;
use crate::http::Method;
use crate::http::encode::percent;

/// The name of an object in error messages.
pub(super) fn at(location: &ObjectLocation) -> String {
    format!("'gcs://{}/{}'", location.bucket, location.key)
}

pub(super) fn bucket_path(name: &str) -> String {
    format!("/storage/v1/b/{}", percent(name, false))
}

pub(super) fn object_path(location: &ObjectLocation) -> String {
    format!("{}/o/{}", bucket_path(&location.bucket), percent(&location.key, false))
}

/// A request for an object.
pub(super) fn object<'a>(method: Method, location: &ObjectLocation, verb: &str) -> StoreRequest<'a> {
    StoreRequest::new(method, object_path(location), format!("GCS: Cannot {verb} {}", at(location)))
}

/// A request for a bucket.
pub(super) fn bucket<'a>(method: Method, name: &str, verb: &str) -> StoreRequest<'a> {
    StoreRequest::new(method, bucket_path(name), format!("GCS: Cannot {verb} 'gcs://{name}'"))
}
