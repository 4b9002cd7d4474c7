//! Requests to Azure Blob Storage.

use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

use super::super::batch::{BatchDelete, remove_many, remove_one};
use super::super::request::{ErrorResponse, MOST, RecoveryState, RequestExecutor, StoreRequest, or_verified};
use super::super::store::{
    InitialRead, ListPage, ListRequest, MultipartUpload, ObjectLocation, ObjectStore, StoreLimits,
};
use super::super::time::{self, Date};
use super::credentials::AzureCredential;
use super::options::AzureOptions;
use super::responses;
use super::sign::SharedKeyInput;
use crate::http::encode::{base64, md5, percent, query};
use crate::http::{Audience, Client, Credential as Secret, Method, Request, Response, RetryPolicy};
use tiledb_core::config::Config;
use tiledb_core::error::Result;

/// Version of the REST API.
const VERSION: &str = "2021-12-02";

/// Maximum number of status requests without progress of a copy: a quarter of an hour with default delays.
const MOST_IDLE: u32 = 20;

/// Azure Blob Storage, or a compatible store.
pub(in crate::vfs::cloud) struct Azure {
    options: AzureOptions,
    client: Client,
    one_by_one: AtomicBool,
}

fn blob<'a>(method: Method, location: &ObjectLocation, verb: &str) -> StoreRequest<'a> {
    let ObjectLocation { bucket, key } = location;
    let what = format!("Azure: Cannot {verb} 'azure://{bucket}/{key}'");
    StoreRequest::new(method, format!("/{}/{}", percent(bucket, false), percent(key, true)), what)
}

fn container<'a>(method: Method, name: &str, verb: &str) -> StoreRequest<'a> {
    let what = format!("Azure: Cannot {verb} 'azure://{name}'");
    StoreRequest::new(method, format!("/{}", percent(name, false)), what).parameter("restype", "container")
}

impl Azure {
    /// A store for a configuration. No request is made.
    ///
    /// # Errors
    /// For parameters that cannot be understood.
    pub(in crate::vfs::cloud) fn new(config: &Config) -> Result<Azure> {
        let options = AzureOptions::new(config)?;
        let client = Client::with_limit(options.network.clone(), options.limits.at_once);
        Ok(Azure { options, client, one_by_one: AtomicBool::new(false) })
    }

    /// The path of a request within the host.
    fn path(&self, request: &StoreRequest<'_>) -> String {
        let host = self.options.endpoint.split_once("://").map_or("", |(_, rest)| rest);
        let before = host.split_once('/').map_or(String::new(), |(_, path)| format!("/{path}"));
        before + &request.path
    }

    /// The `authorization` header, if one is needed.
    fn authorization(&self, request: &StoreRequest<'_>, headers: &[(String, String)]) -> Result<Option<String>> {
        let key = match &self.options.credential {
            AzureCredential::Key(key) => key,
            AzureCredential::Token(tokens) => return tokens.header(),
            AzureCredential::Signature(_) | AzureCredential::Anonymous => return Ok(None),
        };
        let length = request.body.len().to_string();
        let mut signed: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        if !request.body.is_empty() {
            signed.push(("content-length", &length));
        }
        let path = self.path(request);
        let signed = SharedKeyInput {
            method: request.method.name(),
            path: &path,
            parameters: &request.parameters,
            headers: &signed,
        };
        signed.authorization(&self.options.account, key).map(Some)
    }

    /// The query string of a URL.
    fn tail(&self, request: &StoreRequest<'_>) -> String {
        let mut tail = query(&request.parameters);
        if let AzureCredential::Signature(token) = &self.options.credential {
            tail += if tail.is_empty() { "" } else { "&" };
            tail += token;
        }
        if tail.is_empty() { tail } else { format!("?{tail}") }
    }

    /// A request that stores a whole blob.
    fn put_request<'a>(location: &ObjectLocation, bytes: &'a [u8]) -> StoreRequest<'a> {
        blob(Method::Put, location, "write").header("x-ms-blob-type", "BlockBlob").body(bytes)
    }

    /// Whether a blob is a copy of another: by their digests, or because it was copied from there after that was last
    /// modified.
    fn is_copied(&self, from: &ObjectLocation, to: &ObjectLocation) -> Result<bool> {
        let look = |location: &ObjectLocation| {
            let request = blob(Method::Head, location, "look for");
            self.execute(&request, &[404], |response| {
                Ok(Some(BlobProperties::of(&response)).filter(|_| response.status == 200))
            })
        };
        let (Some(source), Some(target)) = (look(from)?, look(to)?) else { return Ok(false) };
        if source.size.is_none() || source.size != target.size {
            return Ok(false);
        }
        if let (Some(one), Some(other)) = (&source.md5, &target.md5) {
            return Ok(one == other);
        }
        let address = [self.options.endpoint.as_str(), &blob(Method::Get, from, "").path].concat();
        Ok(target
            .copy
            .zip(source.changed)
            .is_some_and(|((from, at), changed)| from.split('?').next() == Some(&address) && at >= changed))
    }

    /// Copies a blob by a request, which may be repeated unless it is single.
    fn request_copy(&self, from: &ObjectLocation, to: &ObjectLocation, is_single: bool) -> Result<()> {
        let source = blob(Method::Get, from, "copy");
        let address = [self.options.endpoint.as_str(), &source.path, &self.tail(&source)].concat();
        let mut request = blob(Method::Put, to, "copy to").header("x-ms-copy-source", address).single(is_single);
        request.what =
            format!("Azure: Cannot copy 'azure://{}/{}' to 'azure://{}/{}'", from.bucket, from.key, to.bucket, to.key);
        let state = self.execute(&request, &[], |response| Ok(copy_state(&response)))?;
        self.copied(to, &request, state)
    }

    /// Removes a blob that a copy has created and not completed.
    fn remove_failed_copy(&self, location: &ObjectLocation) -> Result<()> {
        let failed = self.execute(&blob(Method::Head, location, "look for"), &[404], |response| {
            let is_failed = matches!(response.header("x-ms-copy-status"), Some("failed" | "aborted"));
            Ok(response.header("etag").filter(|_| is_failed).map(str::to_owned))
        })?;
        let Some(tag) = failed else { return Ok(()) };
        self.perform(&blob(Method::Delete, location, "remove").header("if-match", tag), &[404, 412]).map(|_| ())
    }

    /// Waits for an asynchronous copy with exponential backoff, while it makes progress.
    fn copied(&self, location: &ObjectLocation, request: &StoreRequest<'_>, mut state: String) -> Result<()> {
        let (mut copied, mut idle) = (None, 0);
        while state == "pending" {
            if idle >= MOST_IDLE {
                return Err(
                    request.fault(format_args!("the copy made no progress while it was asked for {idle} times"))
                );
            }
            self.options.retries.wait(idle);
            let look = blob(Method::Head, location, "look for");
            let bytes;
            (state, bytes) =
                self.execute(&look, &[], |response| Ok((copy_state(&response), copied_bytes(&response))))?;
            idle = if bytes > copied { 0 } else { idle + 1 };
            copied = bytes.max(copied);
        }
        if state == "success" { Ok(()) } else { Err(request.fault(format_args!("the copy ended as '{state}'"))) }
    }
}

/// Properties of a blob that identify its contents and the copy that created it.
struct BlobProperties {
    size: Option<u64>,
    md5: Option<String>,
    changed: Option<SystemTime>,
    /// From where it was copied, and when the copy was complete.
    copy: Option<(String, SystemTime)>,
}

impl BlobProperties {
    fn of(response: &Response) -> BlobProperties {
        let text = |name: &str| response.header(name).map(str::to_owned);
        let time = |name: &str| response.header(name).and_then(time::header);
        let is_done = response.header("x-ms-copy-status") == Some("success");
        let copy = text("x-ms-copy-source").zip(time("x-ms-copy-completion-time"));
        BlobProperties {
            size: response.length(),
            md5: text("content-md5"),
            changed: time("last-modified"),
            copy: copy.filter(|_| is_done),
        }
    }
}

fn copied_bytes(response: &Response) -> Option<u64> {
    response.header("x-ms-copy-progress")?.split('/').next()?.trim().parse().ok()
}

fn copy_state(response: &Response) -> String {
    response.header("x-ms-copy-status").unwrap_or("success").to_owned()
}

impl RequestExecutor for Azure {
    type Signed = ();

    fn client(&self) -> &Client {
        &self.client
    }

    fn retries(&self) -> &RetryPolicy {
        &self.options.retries
    }

    fn sign<'a>(&self, request: &StoreRequest<'a>) -> Result<(Request<'a>, ())> {
        let mut headers = request.own_headers();
        headers.push(("x-ms-version".to_owned(), VERSION.to_owned()));
        headers.push(("x-ms-date".to_owned(), Date::of(SystemTime::now()).http()));
        let authorization = self.authorization(request, &headers)?;
        // A SAS is part of the URL: requests without a secret header are bound to the audience, too.
        let proof = authorization.map(|value| ("authorization".to_owned(), value)).into_iter().collect();
        let secret = Secret::new(Audience::of(&self.options.endpoint)?, proof);
        let url = [self.options.endpoint.as_str(), &request.path, &self.tail(request)].concat();
        Ok((Request::new(request.method, url, headers, request.body).with(Some(secret)), ()))
    }

    fn refusal(&self, status: u16, body: &[u8]) -> ErrorResponse {
        let mut refusal = responses::refusal(status, body);
        if let (AzureCredential::Token(tokens), 401 | 403 | 409) = (&self.options.credential, status) {
            refusal.add(tokens.reason());
        }
        refusal
    }

    fn recover(
        &self,
        refusal: &mut ErrorResponse,
        (sent, ()): &(Request<'_>, ()),
        recovery: &mut RecoveryState,
    ) -> bool {
        let AzureCredential::Token(tokens) = &self.options.credential else { return false };
        refusal.status == 401 && !std::mem::replace(&mut recovery.credentials, true) && tokens.renew(sent)
    }
}

impl BatchDelete for Azure {
    fn object<'a>(&self, method: Method, location: &ObjectLocation, verb: &str) -> StoreRequest<'a> {
        blob(method, location, verb)
    }

    fn batch<'a>(&self, bucket: &str) -> StoreRequest<'a> {
        let request = container(Method::Post, bucket, "remove blobs of").parameter("comp", "batch");
        match &self.options.credential {
            // An account SAS grants access to the service; others grant access to a container.
            AzureCredential::Signature(token) if token.split('&').any(|part| part.starts_with("ss=")) => {
                StoreRequest::new(Method::Post, "/".to_owned(), request.what).parameter("comp", "batch")
            }
            _ => request,
        }
    }

    fn batch_part(&self, request: &StoreRequest<'_>) -> Result<(String, Vec<(String, String)>)> {
        let mut headers = vec![("x-ms-date".to_owned(), Date::of(SystemTime::now()).http())];
        let authorization = self.authorization(request, &headers)?;
        headers.extend(authorization.map(|value| ("Authorization".to_owned(), value)));
        Ok(([self.path(request), self.tail(request)].concat(), headers))
    }

    fn lacks_batch_support(&self) -> &AtomicBool {
        &self.one_by_one
    }
}

impl ObjectStore for Azure {
    fn limits(&self) -> StoreLimits {
        self.options.limits
    }

    fn size(&self, location: &ObjectLocation) -> Result<Option<u64>> {
        self.fetch_size(&blob(Method::Head, location, "look for"))
    }

    fn initial_read(&self, location: &ObjectLocation, most: usize) -> Result<Option<InitialRead>> {
        self.fetch_initial(blob(Method::Get, location, "read"), most)
    }

    fn get(&self, location: &ObjectLocation, offset: u64, out: &mut [u8]) -> Result<()> {
        self.fetch_range(blob(Method::Get, location, "read"), offset, out)
    }

    fn list(&self, listing: &ListRequest<'_>) -> Result<ListPage> {
        let most = listing.most.unwrap_or_default().to_string();
        let mut request = container(Method::Get, listing.bucket, "list").parameter("comp", "list");
        request.what = format!("Azure: Cannot list 'azure://{}/{}'", listing.bucket, listing.prefix);
        if !listing.prefix.is_empty() {
            request = request.parameter("prefix", listing.prefix);
        }
        if !listing.deep {
            request = request.parameter("delimiter", "/");
        }
        if listing.most.is_some() {
            request = request.parameter("maxresults", &most);
        }
        if let Some(from) = listing.from {
            request = request.parameter("marker", from);
        }
        // A full listing of a missing container is empty; whether it has entries (`most` is set) is an error.
        let accept: &[u16] = if listing.most.is_none() { &[404] } else { &[] };
        self.execute(&request, accept, |response| match response.status {
            404 => Ok(ListPage::default()),
            // A truncated listing does not parse and is retried.
            _ => response.bytes(MOST).and_then(|body| responses::page(&body)).map_err(|error| request.transient(error)),
        })
    }

    fn put(&self, location: &ObjectLocation, bytes: &[u8]) -> Result<()> {
        or_verified(self.perform(&Azure::put_request(location, bytes), &[]).map(|_| ()), || {
            let (look, digest) = (blob(Method::Head, location, "look for"), base64(&md5(bytes)?));
            self.execute(&look, &[404], |response| {
                let same = response.header("content-md5") == Some(&digest);
                Ok(response.status == 200 && response.length() == Some(bytes.len() as u64) && same)
            })
        })
    }

    fn touch(&self, location: &ObjectLocation) -> Result<()> {
        self.perform(&Azure::put_request(location, &[]).header("if-none-match", "*"), &[409, 412]).map(|_| ())
    }

    fn remove(&self, bucket: &str, keys: &[String]) -> Result<()> {
        remove_many(self, bucket, keys, self.options.limits.at_once)
    }

    fn remove_file(&self, location: &ObjectLocation) -> Result<()> {
        remove_one(self, location)
    }

    fn copy(&self, from: &ObjectLocation, to: &ObjectLocation) -> Result<()> {
        or_verified(self.request_copy(from, to, false), || self.is_copied(from, to))
    }

    /// The service copies small blobs of an account before it answers. If it does not, and the copy fails, it leaves an empty blob.
    fn copy_atomically(&self, from: &ObjectLocation, to: &ObjectLocation) -> Result<()> {
        let copied = self.request_copy(from, to, true);
        if copied.is_err() {
            // The first error is reported.
            _ = self.remove_failed_copy(to);
        }
        copied
    }

    fn is_complete(&self, location: &ObjectLocation) -> Result<bool> {
        self.execute(&blob(Method::Head, location, "look for"), &[404], |response| {
            Ok(response.status == 200 && copy_state(&response) == "success")
        })
    }

    /// Block uploads need no initiation: block IDs distinguish uploads.
    fn begin_upload(&self, _place: &ObjectLocation) -> Result<String> {
        Ok(uuid::Uuid::new_v4().simple().to_string())
    }

    fn part(&self, parts: &MultipartUpload<'_>, number: u32, _offset: u64, bytes: &[u8]) -> Result<String> {
        let name = base64(format!("{}{number:08}", parts.id).as_bytes());
        let request = blob(Method::Put, parts.location, "write a part of").parameter("comp", "block");
        self.perform(&request.parameter("blockid", &name).body(bytes), &[])?;
        Ok(name)
    }

    fn complete(&self, parts: &MultipartUpload<'_>, tags: &[String], _size: u64) -> Result<()> {
        let names: String = tags.iter().map(|name| format!("<Latest>{name}</Latest>")).collect();
        let body = format!("<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList>{names}</BlockList>");
        let request = blob(Method::Put, parts.location, "complete the upload of").parameter("comp", "blocklist");
        or_verified(self.perform(&request.body(body.as_bytes()), &[]).map(|_| ()), || {
            let look = blob(Method::Get, parts.location, "look for").parameter("comp", "blocklist");
            let look = look.parameter("blocklisttype", "committed");
            self.execute(&look, &[], |response| {
                Ok(responses::has_blocks(&response.bytes(MOST).map_err(|error| look.transient(error))?, tags))
            })
        })
    }

    /// The store discards uncommitted blocks.
    fn abort(&self, _parts: &MultipartUpload<'_>) -> Result<()> {
        Ok(())
    }

    fn create_bucket(&self, bucket: &str) -> Result<()> {
        self.perform(&container(Method::Put, bucket, "create container"), &[]).map(|_| ())
    }

    fn remove_bucket(&self, bucket: &str) -> Result<()> {
        self.perform(&container(Method::Delete, bucket, "remove container"), &[]).map(|_| ())
    }

    fn is_bucket(&self, bucket: &str) -> Result<bool> {
        self.perform(&container(Method::Head, bucket, "look for container"), &[404]).map(|status| status != 404)
    }
}
