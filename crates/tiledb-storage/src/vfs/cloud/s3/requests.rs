//! Requests to S3.

use std::collections::BTreeMap;
use std::sync::{OnceLock, PoisonError, RwLock};

use super::super::amazon::sign;
use super::super::ambient::variable;
use super::super::page_checker::PageChecker;
use super::super::request::{ErrorResponse, MOST, RecoveryState, RequestExecutor, StoreRequest, or_verified};
use super::super::store::{
    InitialRead, ListPage, ListRequest, MultipartUpload, ObjectLocation, ObjectStore, StoreLimits, UnfinishedUpload,
};
use super::super::time::Date;
use super::super::xml::escaped;
use super::super::xml_listing;
use super::entity_tag::{EntityTag, has_tag};
use super::names::{bucket, object};
use super::options::S3Options;
use super::profile::ProfileFiles;
use super::signer::Signer;
use super::signing_context::{self, SigningContext};
use super::{copy, entity_tag, responses};
use crate::http::encode::{base64, hex, md5, query};
use crate::http::{Audience, Client, Credential, Method, Request, RequestError, RetryPolicy};
use tiledb_core::config::Config;
use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::memory;

/// Default region.
const USUAL_REGION: &str = "us-east-1";

/// Maximum memory of a listing of incomplete uploads.
const MOST_UPLOADS: u64 = 1 << 30;

/// XML namespace of request bodies.
const SPACE: &str = "http://s3.amazonaws.com/doc/2006-03-01/";

/// Amazon S3, or an S3-compatible store.
pub(in crate::vfs::cloud) struct S3 {
    options: S3Options,
    client: Client,
    account: SigningContext,
    region: OnceLock<String>,
    /// Regions of buckets that are not in the default region, discovered from redirects.
    elsewhere: RwLock<BTreeMap<String, String>>,
    /// Whether S3-compatible stores copy objects atomically, by bucket.
    atomic_copies: RwLock<BTreeMap<String, bool>>,
}

/// Signing identity, bucket and region of a request.
pub(in crate::vfs::cloud) struct SignedWith {
    by: signing_context::SigningIdentity,
    bucket: String,
    region: String,
}

impl S3 {
    /// A store for a configuration. No request is made.
    ///
    /// # Errors
    /// For parameters that cannot be understood or contradict one another.
    pub(in crate::vfs::cloud) fn new(config: &Config) -> Result<S3> {
        let options = S3Options::new(config)?;
        let client = Client::with_limit(options.network.clone(), options.limits.at_once);
        Ok(S3 {
            options,
            client,
            account: SigningContext::new(),
            region: OnceLock::new(),
            elsewhere: RwLock::default(),
            atomic_copies: RwLock::default(),
        })
    }

    /// The region to which requests for a bucket are sent.
    fn region(&self, bucket: &str) -> String {
        let redirected = self.elsewhere.read().unwrap_or_else(PoisonError::into_inner).get(bucket).cloned();
        redirected.unwrap_or_else(|| self.usual_region().to_owned())
    }

    /// The region of buckets whose region is not known.
    fn usual_region(&self) -> &str {
        self.region.get_or_init(|| usual_region(&self.options.region))
    }

    /// Host and path for a path that begins with the bucket.
    fn address(&self, path: &str, region: &str) -> (String, String) {
        let address = &self.options.address;
        let host = address.endpoint.clone().unwrap_or_else(|| format!("s3.{region}.amazonaws.com{}", end_of(region)));
        let name = host.rsplit_once(':').map_or(host.as_str(), |(name, _)| name);
        let is_number = name.starts_with('[') || name.parse::<std::net::IpAddr>().is_ok();
        let bucket = bucket_of(path);
        // A dot in a bucket name does not match the certificate's wildcard.
        if !address.virtual_hosts || is_number || address.https && bucket.contains('.') {
            return (host, path.to_owned());
        }
        let rest = &path[1 + bucket.len()..];
        (format!("{bucket}.{host}"), if rest.is_empty() { "/" } else { rest }.to_owned())
    }

    /// The audience of credentials: the endpoint, or Amazon's hosts of the partition of the default region, whatever
    /// region a response names.
    fn audience(&self) -> Result<Audience> {
        let address = &self.options.address;
        match &address.endpoint {
            Some(host) => {
                let audience = Audience::of(&format!("{}://{host}", address.scheme()))?;
                Ok(if address.virtual_hosts { audience.with_subdomains() } else { audience })
            }
            None => {
                let amazon = format!("{}://amazonaws.com{}", address.scheme(), end_of(self.usual_region()));
                Ok(Audience::of(&amazon)?.with_subdomains())
            }
        }
    }

    /// The authorization headers, if any.
    fn authorization(&self, sent: &Unsigned<'_>, signed: &SignedWith) -> Result<Vec<(String, String)>> {
        let Signer::Keys(keys) = signed.by.signer.as_ref() else { return Ok(Vec::new()) };
        let date = Date::of(signed.by.at);
        // TLS protects the integrity of the body, which need not be hashed.
        let is_safe = self.options.address.https && !sent.body.is_empty();
        let digest = if is_safe { sign::UNSIGNED.to_owned() } else { sign::digest(sent.body) };
        let mut headers = vec![("x-amz-content-sha256".to_owned(), digest.clone())];
        headers.push(("x-amz-date".to_owned(), date.basic()));
        headers.extend(keys.token.clone().map(|token| ("x-amz-security-token".to_owned(), token)));
        let host = ("host".to_owned(), sent.host.to_owned());
        let named: Vec<(String, String)> = sent.headers.iter().chain(&headers).cloned().chain([host]).collect();
        let Unsigned { method, path, query, .. } = *sent;
        let parts = sign::SigningInput { service: "s3", method, path, query, headers: &named, digest: &digest };
        headers.push(("authorization".to_owned(), sign::authorization(&parts, keys, &signed.region, &date)?));
        Ok(headers)
    }

    /// Makes a request and discards the response.
    fn perform(&self, request: &StoreRequest<'_>) -> Result<()> {
        RequestExecutor::perform(self, request, &[]).map(|_| ())
    }
}

/// Domain suffix of the partition of a region.
fn end_of(region: &str) -> &'static str {
    if region.starts_with("cn-") { ".cn" } else { "" }
}

/// Whether a text is a valid region name.
fn is_region(name: &str) -> bool {
    let is_fine = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=40).contains(&name.len()) && name.bytes().all(is_fine) && !name.starts_with('-') && !name.ends_with('-')
}

/// The bucket at the beginning of a path.
fn bucket_of(path: &str) -> &str {
    path.split('/').nth(1).unwrap_or_default()
}

/// A request before it is signed.
struct Unsigned<'a> {
    method: &'static str,
    host: &'a str,
    path: &'a str,
    query: &'a str,
    headers: &'a [(String, String)],
    body: &'a [u8],
}

impl RequestExecutor for S3 {
    type Signed = SignedWith;

    fn client(&self) -> &Client {
        &self.client
    }

    fn retries(&self) -> &RetryPolicy {
        &self.options.retries
    }

    fn sign<'a>(&self, request: &StoreRequest<'a>) -> Result<(Request<'a>, SignedWith)> {
        let bucket = bucket_of(&request.path).to_owned();
        let region = self.region(&bucket);
        let signed = SignedWith { by: self.account.sign(&self.options, self.usual_region())?, bucket, region };
        let (host, path) = self.address(&request.path, &signed.region);
        let (scheme, query, headers) =
            (self.options.address.scheme(), query(&request.parameters), request.own_headers());
        let mut secret = self.options.headers.clone();
        let all = [&headers[..], &secret].concat();
        let (method, body) = (request.method, request.body);
        let sent = Unsigned { method: method.name(), host: &host, path: &path, query: &query, headers: &all, body };
        secret.extend(self.authorization(&sent, &signed)?);
        let credential = Credential::new(self.audience()?, secret);
        let separator = if query.is_empty() { "" } else { "?" };
        let url = format!("{scheme}://{host}{path}{separator}{query}");
        Ok((Request::new(method, url, headers, body).with(Some(credential)), signed))
    }

    fn refusal(&self, status: u16, body: &[u8]) -> ErrorResponse {
        responses::refusal(status, body)
    }

    fn recover(
        &self,
        refusal: &mut ErrorResponse,
        (_, signed): &(Request<'_>, SignedWith),
        recovery: &mut RecoveryState,
    ) -> bool {
        let named = refusal.region.clone().filter(|named| *named != signed.region && !recovery.region);
        if let Some(named) = named.as_ref().filter(|named| !is_region(named)) {
            let shown: String = named.escape_default().take(100).collect();
            refusal.add(Some(format!("the store names the region '{shown}', which is none")));
        }
        let named = named.filter(|named| is_region(named));
        if let Some(named) = named.filter(|_| matches!(refusal.status, 301 | 307 | 400)) {
            // The bucket is in another region, which is remembered.
            recovery.region = true;
            let mut elsewhere = self.elsewhere.write().unwrap_or_else(PoisonError::into_inner);
            elsewhere.insert(signed.bucket.clone(), named);
            return true;
        }
        let is_mended = self.account.recover(&self.options, refusal, &signed.by, recovery);
        if !is_mended {
            self.account.explain(refusal, &signed.by.signer);
        }
        is_mended
    }
}

/// The region of the parameters, the environment or the profile.
fn usual_region(region: &str) -> String {
    let region = Some(region.to_owned()).filter(|region| !region.is_empty());
    region
        .or_else(|| variable("AWS_REGION"))
        .or_else(|| variable("AWS_DEFAULT_REGION"))
        .or_else(|| ProfileFiles::load().chosen().text("region"))
        .unwrap_or_else(|| USUAL_REGION.to_owned())
}

impl ObjectStore for S3 {
    fn limits(&self) -> StoreLimits {
        self.options.limits
    }

    fn size(&self, location: &ObjectLocation) -> Result<Option<u64>> {
        self.fetch_size(&object(Method::Head, location, "look for"))
    }

    fn initial_read(&self, location: &ObjectLocation, most: usize) -> Result<Option<InitialRead>> {
        let request = object(Method::Get, location, "read").header("range", format!("bytes=-{}", most.max(1)));
        // Some servers fail if a suffix range is longer than the object.
        let initial_read = self.execute(&request, &[404, 416, 500], |response| {
            if response.status == 500 { Ok(None) } else { responses::read_suffix(&request, response, most).map(Some) }
        })?;
        if let Some(initial_read) = initial_read {
            return Ok(initial_read);
        }
        let Some(size) = self.size(location)? else { return Ok(None) };
        let start = size.saturating_sub(most as u64);
        let mut bytes = memory::zeroed("the end of an object", (size - start) as usize)?;
        self.get(location, start, &mut bytes)?;
        Ok(Some(InitialRead { size, start, bytes }))
    }

    fn get(&self, location: &ObjectLocation, offset: u64, out: &mut [u8]) -> Result<()> {
        self.fetch_range(object(Method::Get, location, "read"), offset, out)
    }

    fn list(&self, listing: &ListRequest<'_>) -> Result<ListPage> {
        let most = listing.most.unwrap_or_default().to_string();
        let mut request = bucket(Method::Get, listing.bucket, "list").parameter("list-type", "2");
        request.what = format!("S3: Cannot list 's3://{}/{}'", listing.bucket, listing.prefix);
        request = request.parameter("prefix", listing.prefix);
        if !listing.deep {
            request = request.parameter("delimiter", "/");
        }
        if listing.most.is_some() {
            request = request.parameter("max-keys", &most);
        }
        if let Some(from) = listing.from {
            request = request.parameter("continuation-token", from);
        }
        // A truncated listing does not parse and is retried.
        self.execute(&request, &[], |response| {
            response.bytes(MOST).and_then(|body| xml_listing::page(&body)).map_err(|error| request.transient(error))
        })
    }

    fn put(&self, location: &ObjectLocation, bytes: &[u8]) -> Result<()> {
        let mut request = object(Method::Put, location, "write").body(bytes);
        request.headers.clone_from(&self.options.object_headers);
        or_verified(self.perform(&request), || {
            has_tag(self, location, &EntityTag { size: bytes.len() as u64, tag: hex(&md5(bytes)?) })
        })
    }

    fn remove(&self, name: &str, keys: &[String]) -> Result<()> {
        if let [key] = keys {
            let location = ObjectLocation { bucket: name.to_owned(), key: key.clone() };
            return self.execute(&object(Method::Delete, &location, "remove"), &[404], |_| Ok(()));
        }
        let names: String = keys.iter().map(|key| format!("<Object><Key>{}</Key></Object>", escaped(key))).collect();
        let body = format!("<Delete xmlns=\"{SPACE}\">{names}<Quiet>true</Quiet></Delete>");
        let request = bucket(Method::Post, name, "remove objects of").parameter("delete", "").body(body.as_bytes());
        let request = request.header("content-md5", base64(&md5(body.as_bytes())?));
        self.execute(&request, &[], |response| {
            let body = response.bytes(MOST).map_err(|error| request.transient(error))?;
            match responses::not_removed(&body).map_err(|error| request.transient(error))? {
                None => Ok(()),
                Some((key, refusal)) => {
                    let location = ObjectLocation { bucket: name.to_owned(), key };
                    Err(refusal.to_request_error(&object(Method::Delete, &location, "remove")))
                }
            }
        })
    }

    fn copy(&self, from: &ObjectLocation, to: &ObjectLocation) -> Result<()> {
        copy::copy(self, from, to, &self.options.copy_headers)
    }

    fn has_atomic_copies(&self, directory: &ObjectLocation) -> Result<bool> {
        if self.options.address.endpoint.as_ref().is_none_or(|host| host.contains("amazonaws.com")) {
            return Ok(true);
        }
        let known = self.atomic_copies.read().unwrap_or_else(PoisonError::into_inner).get(&directory.bucket).copied();
        if let Some(known) = known {
            return Ok(known);
        }
        let has_atomic_copies = copy::rejects_missing_source(self, directory)?;
        let mut known = self.atomic_copies.write().unwrap_or_else(PoisonError::into_inner);
        Ok(*known.entry(directory.bucket.clone()).or_insert(has_atomic_copies))
    }

    fn copy_atomically(&self, from: &ObjectLocation, to: &ObjectLocation) -> Result<()> {
        copy::copy_at_once(self, from, to, &self.options.copy_headers, true)
    }

    fn begin_upload(&self, location: &ObjectLocation) -> Result<String> {
        entity_tag::begin_upload(self, location, &self.options.object_headers)
    }

    fn part(&self, parts: &MultipartUpload<'_>, number: u32, _offset: u64, bytes: &[u8]) -> Result<String> {
        let number = number.to_string();
        let request = object(Method::Put, parts.location, "write a part of").parameter("partNumber", &number);
        let request = request.parameter("uploadId", parts.id).body(bytes);
        self.execute(&request, &[], |response| {
            let tag = response.header("etag").map(str::to_owned);
            tag.ok_or_else(|| RequestError::Permanent(request.fault("the answer names no tag")))
        })
    }

    fn complete(&self, parts: &MultipartUpload<'_>, tags: &[String], size: u64) -> Result<()> {
        let part = |(index, tag): (usize, &String)| {
            format!("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", index + 1, escaped(tag))
        };
        let list: String = tags.iter().enumerate().map(part).collect();
        let body = format!("<CompleteMultipartUpload xmlns=\"{SPACE}\">{list}</CompleteMultipartUpload>");
        let request = object(Method::Post, parts.location, "complete the upload of").parameter("uploadId", parts.id);
        let request = request.body(body.as_bytes());
        let made = self.execute(&request, &[], |response| {
            let (status, body) = (response.status, response.bytes(MOST).map_err(|error| request.transient(error))?);
            responses::check_completed(&request, status, &body, "CompleteMultipartUploadResult")
        });
        // An upload that an earlier attempt completed is no longer found.
        let made = made.map_err(|error| Error::new(ErrorKind::Io, error.text()));
        // Without an ETag the object cannot be recognized.
        or_verified(made, || {
            whole_tag(tags).map_or(Ok(false), |tag| has_tag(self, parts.location, &EntityTag { size, tag }))
        })
    }

    fn abort(&self, parts: &MultipartUpload<'_>) -> Result<()> {
        let request = object(Method::Delete, parts.location, "give up the upload of").parameter("uploadId", parts.id);
        self.execute(&request, &[404], |_| Ok(()))
    }

    fn unfinished(&self, name: &str, prefix: &str) -> Result<Vec<UnfinishedUpload>> {
        let (mut unfinished, mut next, mut pages) =
            (Vec::new(), None::<responses::UploadMarker>, PageChecker::new(MOST_UPLOADS));
        loop {
            let mut request = bucket(Method::Get, name, "list the unfinished uploads of").parameter("uploads", "");
            request = request.parameter("prefix", prefix);
            if let Some(next) = &next {
                request = request.parameter("key-marker", &next.key).parameter("upload-id-marker", &next.id);
            }
            let (uploads, more) = self.execute(&request, &[], |response| {
                response
                    .bytes(MOST)
                    .and_then(|body| responses::uploads(&body))
                    .map_err(|error| request.transient(error))
            })?;
            pages.count(uploads.iter().map(|upload| (upload.key.len() + upload.id.len()) as u64), name)?;
            let first = uploads.first().map(|upload| [&upload.key, "\0", &upload.id].concat());
            unfinished.extend(uploads);
            // A server that restarts the listing each time would never end it.
            if more.is_none() || more == next {
                return Ok(unfinished);
            }
            let token = more.as_ref().map(|more| [&more.key, "\0", &more.id].concat());
            pages.advance(first.as_deref(), token.as_deref()).map_err(|what| request.fault(what))?;
            next = more;
        }
    }

    fn create_bucket(&self, name: &str) -> Result<()> {
        let region = self.region(name);
        let body = match region.as_str() {
            USUAL_REGION => String::new(),
            _ => format!(
                "<CreateBucketConfiguration xmlns=\"{SPACE}\"><LocationConstraint>{}</LocationConstraint>\
                 </CreateBucketConfiguration>",
                escaped(&region)
            ),
        };
        let mut request = bucket(Method::Put, name, "create bucket").body(body.as_bytes());
        request.headers.extend(self.options.bucket_acl.clone().map(|acl| ("x-amz-acl", acl)));
        self.perform(&request)
    }

    fn remove_bucket(&self, name: &str) -> Result<()> {
        self.perform(&bucket(Method::Delete, name, "remove bucket"))
    }

    fn is_bucket(&self, name: &str) -> Result<bool> {
        self.execute(&bucket(Method::Head, name, "look for bucket"), &[404], |response| Ok(response.status != 404))
    }
}

/// The ETag of a multipart object: the MD5 of its parts' MD5 digests and their number, if the parts have MD5 ETags.
fn whole_tag(tags: &[String]) -> Option<String> {
    let mut sums = Vec::new();
    for tag in tags {
        let digits = tag.trim_matches('"').as_bytes();
        if digits.len() != 32 {
            return None;
        }
        for pair in digits.chunks(2) {
            sums.push(u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?);
        }
    }
    Some(format!("{}-{}", hex(&md5(&sums).ok()?), tags.len()))
}
