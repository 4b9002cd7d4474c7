//! Requests for objects and buckets by their names.

use super::super::amazon::sign;
use super::super::ask::Ask;
use super::super::store::Place;
use crate::http::Method;

/// How an object is called in errors.
pub(super) fn at(place: &Place) -> String {
    format!("'s3://{}/{}'", place.bucket, place.key)
}

/// A request for an object. The path begins with the bucket, wherever that stands in the end.
pub(super) fn object<'a>(method: Method, place: &Place, verb: &str) -> Ask<'a> {
    Ask::new(method, sign::path(&[&place.bucket, &place.key]), format!("S3: Cannot {verb} {}", at(place)))
}

/// A request for a bucket.
pub(super) fn bucket<'a>(method: Method, name: &str, verb: &str) -> Ask<'a> {
    Ask::new(method, sign::path(&[name]), format!("S3: Cannot {verb} 's3://{name}'"))
}
