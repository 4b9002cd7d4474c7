//! Requests to Google Cloud Storage.

use std::sync::atomic::AtomicBool;

use serde_json::Value;

use super::super::batch::{BatchDelete, remove_many, remove_one};
use super::super::request::{ErrorResponse, RecoveryState, RequestExecutor, StoreRequest, or_verified};
use super::super::store::{
    InitialRead, ListPage, ListRequest, MultipartUpload, ObjectLocation, ObjectStore, StoreLimits,
};
use super::names::{at, bucket, bucket_path, object, object_path};
use super::options::GcsOptions;
use super::responses;
use super::resumable;
use crate::http::encode::{base64, md5, query};
use crate::http::{Audience, Client, Credential as Secret, Method, Request, RetryPolicy};
use tiledb_core::config::Config;
use tiledb_core::error::Result;

/// Boundary between metadata and data of a multipart upload without data.
const BOUNDARY: &str = "tiledb";

/// Maximum number of rewrite requests without progress; each may take half a minute.
const MOST_IDLE: u32 = 5;

/// Maximum size of a JSON response: a page of 1,000 names of 1,024 letters, each of which may be escaped with six
/// bytes.
const MOST_JSON: u64 = 8 << 20;

/// Google Cloud Storage, or a compatible store.
pub(in crate::vfs::cloud) struct Gcs {
    options: GcsOptions,
    client: Client,
    one_by_one: AtomicBool,
}

impl Gcs {
    /// A store for a configuration. No request is made.
    ///
    /// # Errors
    /// For parameters that cannot be understood.
    pub(in crate::vfs::cloud) fn new(config: &Config) -> Result<Gcs> {
        let options = GcsOptions::new(config)?;
        let client = Client::with_limit(options.network.clone(), options.limits.at_once);
        Ok(Gcs { options, client, one_by_one: AtomicBool::new(false) })
    }

    /// A request that stores a whole object.
    fn put_request<'a>(location: &'a ObjectLocation, bytes: &'a [u8], empty: &'a str) -> StoreRequest<'a> {
        let path = format!("/upload{}/o", bucket_path(&location.bucket));
        let request = StoreRequest::new(Method::Post, path, format!("GCS: Cannot write {}", at(location)));
        let request = request.parameter("name", &location.key);
        if bytes.is_empty() {
            // Some servers take no upload without a body.
            let kind = format!("multipart/related; boundary={BOUNDARY}");
            return request.parameter("uploadType", "multipart").header("content-type", kind).body(empty.as_bytes());
        }
        request.parameter("uploadType", "media").header("content-type", "application/octet-stream").body(bytes)
    }

    /// The body of an upload of no bytes.
    fn nothing() -> String {
        format!(
            "--{BOUNDARY}\r\nContent-Type: application/json\r\n\r\n{{}}\r\n--{BOUNDARY}\r\n\
             Content-Type: application/octet-stream\r\n\r\n\r\n--{BOUNDARY}--\r\n"
        )
    }

    /// The metadata of an object; `None` if it does not exist.
    fn metadata(&self, location: &ObjectLocation, fields: &str) -> Result<Option<Value>> {
        let request = object(Method::Get, location, "look for").parameter("fields", fields);
        self.execute(&request, &[404], |response| {
            if response.status == 404 {
                return Ok(None);
            }
            response
                .bytes(MOST_JSON)
                .and_then(|body| responses::json(&body))
                .map(Some)
                .map_err(|error| request.transient(error))
        })
    }

    /// Whether an object holds just these bytes.
    fn holds(&self, location: &ObjectLocation, bytes: &[u8]) -> Result<bool> {
        let (metadata, digest) = (self.metadata(location, "size,md5Hash")?.unwrap_or_default(), base64(&md5(bytes)?));
        let size = responses::number(&metadata["size"]);
        Ok(size == Some(bytes.len() as u64) && metadata["md5Hash"].as_str() == Some(&digest))
    }

    /// Whether an object equals another by their digests: composed objects have no MD5.
    fn is_copied(&self, from: &ObjectLocation, to: &ObjectLocation) -> Result<bool> {
        let metadata =
            |location: &ObjectLocation| Ok(self.metadata(location, "size,md5Hash,crc32c")?.unwrap_or_default());
        let (one, other): (Value, Value) = (metadata(from)?, metadata(to)?);
        let is_same = |name: &str| !one[name].is_null() && one[name] == other[name];
        let size = responses::number(&one["size"]);
        Ok(size.is_some()
            && size == responses::number(&other["size"])
            && if one["md5Hash"].is_null() { is_same("crc32c") } else { is_same("md5Hash") })
    }

    /// Copies an object. Large ones are copied in steps: each response has the token of the next request.
    /// Copies an object by requests, which may be repeated unless they are single.
    fn rewrite(&self, from: &ObjectLocation, to: &ObjectLocation, is_single: bool) -> Result<()> {
        let path = format!("{}/rewriteTo{}", object_path(from), object_path(to).trim_start_matches("/storage/v1"));
        let what = format!("GCS: Cannot copy {} to {}", at(from), at(to));
        let (mut token, mut copied, mut idle) = (String::new(), 0, 0);
        loop {
            let fields = "done,rewriteToken,totalBytesRewritten";
            let mut request = StoreRequest::new(Method::Post, path.clone(), what.clone())
                .parameter("fields", fields)
                .single(is_single);
            if !token.is_empty() {
                request = request.parameter("rewriteToken", &token);
            }
            let said = self.execute(&request, &[], |response| {
                response
                    .bytes(MOST_JSON)
                    .and_then(|body| responses::json(&body))
                    .map_err(|error| request.transient(error))
            })?;
            if said["done"].as_bool() == Some(true) {
                return Ok(());
            }
            let next =
                said["rewriteToken"].as_str().ok_or_else(|| request.fault("the answer does not say how to go on"))?;
            let bytes = responses::number(&said["totalBytesRewritten"]).unwrap_or(0);
            idle = if bytes > copied { 0 } else { idle + 1 };
            if idle >= MOST_IDLE {
                return Err(request.fault(format_args!("the copy made no progress in {idle} requests")));
            }
            if idle > 0 {
                self.options.retries.wait(idle);
            }
            (token, copied) = (next.to_owned(), bytes.max(copied));
        }
    }
}

impl RequestExecutor for Gcs {
    type Signed = ();

    fn client(&self) -> &Client {
        &self.client
    }

    fn retries(&self) -> &RetryPolicy {
        &self.options.retries
    }

    fn sign<'a>(&self, request: &StoreRequest<'a>) -> Result<(Request<'a>, ())> {
        let proof = self.options.credential.header()?.map(|value| ("authorization".to_owned(), value));
        // The address of an upload comes from the store: it gets bytes only at the store.
        let secret = Secret::new(Audience::of(&self.options.endpoint)?, proof.into_iter().collect());
        let (parameters, endpoint) = (query(&request.parameters), self.options.endpoint.as_str());
        let before = if request.path.starts_with('/') { endpoint } else { "" };
        let mark = if parameters.is_empty() { "" } else { "?" };
        let url = [before, &request.path, mark, &parameters].concat();
        Ok((Request::new(request.method, url, request.own_headers(), request.body).with(Some(secret)), ()))
    }

    fn refusal(&self, status: u16, body: &[u8]) -> ErrorResponse {
        responses::refusal(status, body)
    }

    fn recover(
        &self,
        refusal: &mut ErrorResponse,
        (sent, ()): &(Request<'_>, ()),
        recovery: &mut RecoveryState,
    ) -> bool {
        refusal.status == 401
            && !std::mem::replace(&mut recovery.credentials, true)
            && self.options.credential.renew(sent)
    }
}

impl BatchDelete for Gcs {
    fn object<'a>(&self, method: Method, location: &ObjectLocation, verb: &str) -> StoreRequest<'a> {
        object(method, location, verb)
    }

    fn batch<'a>(&self, bucket: &str) -> StoreRequest<'a> {
        let what = format!("GCS: Cannot remove objects of 'gcs://{bucket}'");
        StoreRequest::new(Method::Post, "/batch/storage/v1".to_owned(), what)
    }

    /// The authorization of the batch covers its parts.
    fn batch_part(&self, request: &StoreRequest<'_>) -> Result<(String, Vec<(String, String)>)> {
        Ok((request.path.clone(), Vec::new()))
    }

    fn lacks_batch_support(&self) -> &AtomicBool {
        &self.one_by_one
    }
}

impl ObjectStore for Gcs {
    fn limits(&self) -> StoreLimits {
        self.options.limits
    }

    fn size(&self, location: &ObjectLocation) -> Result<Option<u64>> {
        let Some(metadata) = self.metadata(location, "size")? else { return Ok(None) };
        let broken = || object(Method::Get, location, "look for").fault("the answer names no size");
        responses::number(&metadata["size"]).map(Some).ok_or_else(broken)
    }

    fn initial_read(&self, location: &ObjectLocation, most: usize) -> Result<Option<InitialRead>> {
        self.fetch_initial(object(Method::Get, location, "read").parameter("alt", "media"), most)
    }

    fn get(&self, location: &ObjectLocation, offset: u64, out: &mut [u8]) -> Result<()> {
        self.fetch_range(object(Method::Get, location, "read").parameter("alt", "media"), offset, out)
    }

    fn list(&self, listing: &ListRequest<'_>) -> Result<ListPage> {
        let most = listing.most.unwrap_or_default().to_string();
        let mut request = bucket(Method::Get, listing.bucket, "list");
        request.what = format!("GCS: Cannot list 'gcs://{}/{}'", listing.bucket, listing.prefix);
        request.path += "/o";
        request = request.parameter("fields", "items(name,size),prefixes,nextPageToken");
        if !listing.prefix.is_empty() {
            request = request.parameter("prefix", listing.prefix);
        }
        if !listing.deep {
            request = request.parameter("delimiter", "/");
        }
        if listing.most.is_some() {
            request = request.parameter("maxResults", &most);
        }
        if let Some(from) = listing.from {
            request = request.parameter("pageToken", from);
        }
        // A truncated listing does not parse and is retried.
        self.execute(&request, &[], |response| {
            response.bytes(MOST_JSON).and_then(|body| responses::page(&body)).map_err(|error| request.transient(error))
        })
    }

    /// If the response is lost, the object is checked, so that a completed upload is not reported as failed.
    fn put(&self, location: &ObjectLocation, bytes: &[u8]) -> Result<()> {
        let nothing = Gcs::nothing();
        let put = self.perform(&Gcs::put_request(location, bytes, &nothing), &[]).map(|_| ());
        or_verified(put, || self.holds(location, bytes))
    }

    fn touch(&self, location: &ObjectLocation) -> Result<()> {
        let nothing = Gcs::nothing();
        let request = Gcs::put_request(location, &[], &nothing).parameter("ifGenerationMatch", "0");
        self.perform(&request, &[412]).map(|_| ())
    }

    fn remove(&self, bucket: &str, keys: &[String]) -> Result<()> {
        remove_many(self, bucket, keys, self.options.limits.at_once)
    }

    fn remove_file(&self, location: &ObjectLocation) -> Result<()> {
        remove_one(self, location)
    }

    fn copy(&self, from: &ObjectLocation, to: &ObjectLocation) -> Result<()> {
        or_verified(self.rewrite(from, to, false), || self.is_copied(from, to))
    }

    fn copy_atomically(&self, from: &ObjectLocation, to: &ObjectLocation) -> Result<()> {
        self.rewrite(from, to, true)
    }

    fn begin_upload(&self, location: &ObjectLocation) -> Result<String> {
        resumable::begin_upload(self, location)
    }

    fn part(&self, parts: &MultipartUpload<'_>, _number: u32, offset: u64, bytes: &[u8]) -> Result<String> {
        resumable::send(self, parts, offset, bytes)
    }

    fn complete(&self, parts: &MultipartUpload<'_>, tags: &[String], size: u64) -> Result<()> {
        resumable::complete(self, parts, tags, size)
    }

    fn abort(&self, parts: &MultipartUpload<'_>) -> Result<()> {
        resumable::abort(self, parts)
    }

    fn create_bucket(&self, bucket: &str) -> Result<()> {
        let body = serde_json::json!({"name": bucket}).to_string();
        let what = format!("GCS: Cannot create bucket 'gcs://{bucket}'");
        let request = StoreRequest::new(Method::Post, "/storage/v1/b".to_owned(), what)
            .parameter("project", &self.options.project);
        self.perform(&request.header("content-type", "application/json").body(body.as_bytes()), &[]).map(|_| ())
    }

    fn remove_bucket(&self, bucket: &str) -> Result<()> {
        self.perform(&self::bucket(Method::Delete, bucket, "remove bucket"), &[]).map(|_| ())
    }

    fn is_bucket(&self, bucket: &str) -> Result<bool> {
        let request = self::bucket(Method::Get, bucket, "look for bucket").parameter("fields", "name");
        self.perform(&request, &[404]).map(|status| status != 404)
    }
}
