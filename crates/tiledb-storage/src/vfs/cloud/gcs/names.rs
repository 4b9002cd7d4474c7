//! How buckets and objects are called.

use super::super::ask::Ask;
use super::super::store::Place;
use crate::http::Method;
use crate::http::encode::percent;

/// How an object is called in errors.
pub(super) fn at(place: &Place) -> String {
    format!("'gcs://{}/{}'", place.bucket, place.key)
}

/// The path of a bucket.
pub(super) fn bucket_path(name: &str) -> String {
    format!("/storage/v1/b/{}", percent(name, false))
}

/// The path of an object.
pub(super) fn object_path(place: &Place) -> String {
    format!("{}/o/{}", bucket_path(&place.bucket), percent(&place.key, false))
}

/// A request for an object.
pub(super) fn object<'a>(method: Method, place: &Place, verb: &str) -> Ask<'a> {
    Ask::new(method, object_path(place), format!("GCS: Cannot {verb} {}", at(place)))
}

/// A request for a bucket.
pub(super) fn bucket<'a>(method: Method, name: &str, verb: &str) -> Ask<'a> {
    Ask::new(method, bucket_path(name), format!("GCS: Cannot {verb} 'gcs://{name}'"))
}
