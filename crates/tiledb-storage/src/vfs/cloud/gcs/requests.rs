//! The requests of GCS.

use std::sync::atomic::AtomicBool;

use serde_json::Value;

use super::super::ask::{Ask, Asked, Mended, Refusal, or_asked_after};
use super::super::batch::{Batched, remove_many, remove_one};
use super::super::store::{Glimpse, Limits, Listing, Page, Parts, Place, Store};
use super::answer;
use super::names::{at, bucket, bucket_path, object, object_path};
use super::options::Options;
use super::resumable;
use crate::http::encode::{base64, md5, query};
use crate::http::{Audience, Client, Credential as Secret, Method, Request, RetryPolicy};
use tiledb_core::config::Config;
use tiledb_core::error::Result;

/// What stands between the two halves of an upload in one request, which has no bytes that could hold it.
const BOUNDARY: &str = "tiledb";

/// Requests to go on with a copy that bring it no further; each has half a minute to.
const MOST_IDLE: u32 = 5;

/// Bytes of an answer in JSON: a page of 1,000 names of 1,024 letters, each of which may be written with six.
const MOST_JSON: u64 = 8 << 20;

/// A store that speaks GCS.
pub(in crate::vfs::cloud) struct Gcs {
    options: Options,
    client: Client,
    one_by_one: AtomicBool,
}

impl Gcs {
    /// A store as a configuration says. Nothing is asked of it.
    ///
    /// # Errors
    /// For parameters that cannot be understood.
    pub(in crate::vfs::cloud) fn new(config: &Config) -> Result<Gcs> {
        let options = Options::new(config)?;
        let client = Client::with_limit(options.network.clone(), options.limits.at_once);
        Ok(Gcs { options, client, one_by_one: AtomicBool::new(false) })
    }

    /// A request that stores a whole object.
    fn put_ask<'a>(place: &'a Place, bytes: &'a [u8], empty: &'a str) -> Ask<'a> {
        let path = format!("/upload{}/o", bucket_path(&place.bucket));
        let ask = Ask::new(Method::Post, path, format!("GCS: Cannot write {}", at(place)));
        let ask = ask.parameter("name", &place.key);
        if bytes.is_empty() {
            // Some servers take no upload without a body.
            let kind = format!("multipart/related; boundary={BOUNDARY}");
            return ask.parameter("uploadType", "multipart").header("content-type", kind).body(empty.as_bytes());
        }
        ask.parameter("uploadType", "media").header("content-type", "application/octet-stream").body(bytes)
    }

    /// The body of an upload of no bytes.
    fn nothing() -> String {
        format!(
            "--{BOUNDARY}\r\nContent-Type: application/json\r\n\r\n{{}}\r\n--{BOUNDARY}\r\n\
             Content-Type: application/octet-stream\r\n\r\n\r\n--{BOUNDARY}--\r\n"
        )
    }

    /// What an object tells of itself; `None` where there is none.
    fn told(&self, place: &Place, fields: &str) -> Result<Option<Value>> {
        let ask = object(Method::Get, place, "look for").parameter("fields", fields);
        self.ask(&ask, &[404], |answer| {
            if answer.status == 404 {
                return Ok(None);
            }
            answer.bytes(MOST_JSON).and_then(|body| answer::json(&body)).map(Some).map_err(|error| ask.passing(error))
        })
    }

    /// Whether an object holds just these bytes.
    fn holds(&self, place: &Place, bytes: &[u8]) -> Result<bool> {
        let (told, digest) = (self.told(place, "size,md5Hash")?.unwrap_or_default(), base64(&md5(bytes)?));
        let size = answer::number(&told["size"]);
        Ok(size == Some(bytes.len() as u64) && told["md5Hash"].as_str() == Some(&digest))
    }

    /// Whether an object holds what another one does, by their digests: those that were composed have no MD5.
    fn is_copied(&self, from: &Place, to: &Place) -> Result<bool> {
        let told = |place: &Place| Ok(self.told(place, "size,md5Hash,crc32c")?.unwrap_or_default());
        let (one, other): (Value, Value) = (told(from)?, told(to)?);
        let is_same = |name: &str| !one[name].is_null() && one[name] == other[name];
        let size = answer::number(&one["size"]);
        Ok(size.is_some()
            && size == answer::number(&other["size"])
            && if one["md5Hash"].is_null() { is_same("crc32c") } else { is_same("md5Hash") })
    }

    /// Copies an object. Large ones are copied piece by piece: each answer says with which token to go on.
    fn rewrite(&self, from: &Place, to: &Place) -> Result<()> {
        let path = format!("{}/rewriteTo{}", object_path(from), object_path(to).trim_start_matches("/storage/v1"));
        let what = format!("GCS: Cannot copy {} to {}", at(from), at(to));
        let (mut token, mut copied, mut idle) = (String::new(), 0, 0);
        loop {
            let fields = "done,rewriteToken,totalBytesRewritten";
            let mut ask = Ask::new(Method::Post, path.clone(), what.clone()).parameter("fields", fields);
            if !token.is_empty() {
                ask = ask.parameter("rewriteToken", &token);
            }
            let said = self.ask(&ask, &[], |answer| {
                answer.bytes(MOST_JSON).and_then(|body| answer::json(&body)).map_err(|error| ask.passing(error))
            })?;
            if said["done"].as_bool() == Some(true) {
                return Ok(());
            }
            let next =
                said["rewriteToken"].as_str().ok_or_else(|| ask.fault("the answer does not say how to go on"))?;
            let bytes = answer::number(&said["totalBytesRewritten"]).unwrap_or(0);
            idle = if bytes > copied { 0 } else { idle + 1 };
            if idle >= MOST_IDLE {
                return Err(ask.fault(format_args!("the copy made no progress in {idle} requests")));
            }
            if idle > 0 {
                self.options.retries.wait(idle);
            }
            (token, copied) = (next.to_owned(), bytes.max(copied));
        }
    }
}

impl Asked for Gcs {
    type Signed = ();

    fn client(&self) -> &Client {
        &self.client
    }

    fn retries(&self) -> &RetryPolicy {
        &self.options.retries
    }

    fn sign<'a>(&self, ask: &Ask<'a>) -> Result<(Request<'a>, ())> {
        let proof = self.options.credential.header()?.map(|value| ("authorization".to_owned(), value));
        // The address of an upload comes from the store: it gets bytes only at the store.
        let secret = Secret::new(Audience::of(&self.options.endpoint)?, proof.into_iter().collect());
        let (parameters, endpoint) = (query(&ask.parameters), self.options.endpoint.as_str());
        let before = if ask.path.starts_with('/') { endpoint } else { "" };
        let mark = if parameters.is_empty() { "" } else { "?" };
        let url = [before, &ask.path, mark, &parameters].concat();
        Ok((Request::new(ask.method, url, ask.own_headers(), ask.body).with(Some(secret)), ()))
    }

    fn refusal(&self, status: u16, body: &[u8]) -> Refusal {
        answer::refusal(status, body)
    }

    fn mend(&self, refusal: &mut Refusal, (sent, ()): &(Request<'_>, ()), mended: &mut Mended) -> bool {
        refusal.status == 401
            && !std::mem::replace(&mut mended.credentials, true)
            && self.options.credential.renew(sent)
    }
}

impl Batched for Gcs {
    fn object<'a>(&self, method: Method, place: &Place, verb: &str) -> Ask<'a> {
        object(method, place, verb)
    }

    fn batch<'a>(&self, bucket: &str) -> Ask<'a> {
        let what = format!("GCS: Cannot remove objects of 'gcs://{bucket}'");
        Ask::new(Method::Post, "/batch/storage/v1".to_owned(), what)
    }

    /// What the batch proves counts for all in it.
    fn enclosed(&self, ask: &Ask<'_>) -> Result<(String, Vec<(String, String)>)> {
        Ok((ask.path.clone(), Vec::new()))
    }

    fn knows_none(&self) -> &AtomicBool {
        &self.one_by_one
    }
}

impl Store for Gcs {
    fn limits(&self) -> Limits {
        self.options.limits
    }

    fn size(&self, place: &Place) -> Result<Option<u64>> {
        let Some(told) = self.told(place, "size")? else { return Ok(None) };
        let broken = || object(Method::Get, place, "look for").fault("the answer names no size");
        answer::number(&told["size"]).map(Some).ok_or_else(broken)
    }

    fn glimpse(&self, place: &Place, most: usize) -> Result<Option<Glimpse>> {
        self.ask_glimpse(object(Method::Get, place, "read").parameter("alt", "media"), most)
    }

    fn get(&self, place: &Place, offset: u64, out: &mut [u8]) -> Result<()> {
        self.ask_range(object(Method::Get, place, "read").parameter("alt", "media"), offset, out)
    }

    fn list(&self, listing: &Listing<'_>) -> Result<Page> {
        let most = listing.most.unwrap_or_default().to_string();
        let mut ask = bucket(Method::Get, listing.bucket, "list");
        ask.what = format!("GCS: Cannot list 'gcs://{}/{}'", listing.bucket, listing.prefix);
        ask.path += "/o";
        ask = ask.parameter("fields", "items(name,size),prefixes,nextPageToken");
        if !listing.prefix.is_empty() {
            ask = ask.parameter("prefix", listing.prefix);
        }
        if !listing.deep {
            ask = ask.parameter("delimiter", "/");
        }
        if listing.most.is_some() {
            ask = ask.parameter("maxResults", &most);
        }
        if let Some(from) = listing.from {
            ask = ask.parameter("pageToken", from);
        }
        // Cut off, it makes no sense, and is asked for again.
        self.ask(&ask, &[], |answer| {
            answer.bytes(MOST_JSON).and_then(|body| answer::page(&body)).map_err(|error| ask.passing(error))
        })
    }

    /// Where no answer comes the object is looked for: what was done must not be taken for failed.
    fn put(&self, place: &Place, bytes: &[u8]) -> Result<()> {
        let nothing = Gcs::nothing();
        let put = self.tell(&Gcs::put_ask(place, bytes, &nothing), &[]).map(|_| ());
        or_asked_after(put, || self.holds(place, bytes))
    }

    fn touch(&self, place: &Place) -> Result<()> {
        let nothing = Gcs::nothing();
        let ask = Gcs::put_ask(place, &[], &nothing).parameter("ifGenerationMatch", "0");
        self.tell(&ask, &[412]).map(|_| ())
    }

    fn remove(&self, bucket: &str, keys: &[String]) -> Result<()> {
        remove_many(self, bucket, keys, self.options.limits.at_once)
    }

    fn remove_file(&self, place: &Place) -> Result<()> {
        remove_one(self, place)
    }

    fn copy(&self, from: &Place, to: &Place) -> Result<()> {
        or_asked_after(self.rewrite(from, to), || self.is_copied(from, to))
    }

    fn begin(&self, place: &Place) -> Result<String> {
        resumable::begin(self, place)
    }

    fn part(&self, parts: &Parts<'_>, _number: u32, offset: u64, bytes: &[u8]) -> Result<String> {
        resumable::send(self, parts, offset, bytes)
    }

    fn complete(&self, parts: &Parts<'_>, tags: &[String], size: u64) -> Result<()> {
        resumable::complete(self, parts, tags, size)
    }

    fn abort(&self, parts: &Parts<'_>) -> Result<()> {
        resumable::give_up(self, parts)
    }

    fn create_bucket(&self, bucket: &str) -> Result<()> {
        let body = serde_json::json!({"name": bucket}).to_string();
        let what = format!("GCS: Cannot create bucket 'gcs://{bucket}'");
        let ask = Ask::new(Method::Post, "/storage/v1/b".to_owned(), what).parameter("project", &self.options.project);
        self.tell(&ask.header("content-type", "application/json").body(body.as_bytes()), &[]).map(|_| ())
    }

    fn remove_bucket(&self, bucket: &str) -> Result<()> {
        self.tell(&self::bucket(Method::Delete, bucket, "remove bucket"), &[]).map(|_| ())
    }

    fn is_bucket(&self, bucket: &str) -> Result<bool> {
        let ask = self::bucket(Method::Get, bucket, "look for bucket").parameter("fields", "name");
        self.tell(&ask, &[404]).map(|status| status != 404)
    }
}
