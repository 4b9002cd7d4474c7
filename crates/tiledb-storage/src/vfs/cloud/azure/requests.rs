//! The requests of Azure.

use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

use super::super::ask::{Ask, Asked, MOST, Mended, Refusal, or_asked_after};
use super::super::batch::{Batched, remove_many, remove_one};
use super::super::store::{Glimpse, Limits, Listing, Page, Parts, Place, Store};
use super::super::time::{self, Date};
use super::answer;
use super::credentials::Credential;
use super::options::Options;
use super::sign::Signed;
use crate::http::encode::{base64, md5, percent, query};
use crate::http::{Audience, Client, Credential as Secret, Method, Request, Response, RetryPolicy};
use tiledb_core::config::Config;
use tiledb_core::error::Result;

/// The interface that is spoken.
const VERSION: &str = "2021-12-02";

/// How often a copy is asked for that makes no progress: a quarter of an hour with the usual waits.
const MOST_IDLE: u32 = 20;

/// A store that speaks Azure's Blob interface.
pub(in crate::vfs::cloud) struct Azure {
    options: Options,
    client: Client,
    one_by_one: AtomicBool,
}

/// A request for a blob.
fn blob<'a>(method: Method, place: &Place, verb: &str) -> Ask<'a> {
    let Place { bucket, key } = place;
    let what = format!("Azure: Cannot {verb} 'azure://{bucket}/{key}'");
    Ask::new(method, format!("/{}/{}", percent(bucket, false), percent(key, true)), what)
}

/// A request for a container.
fn container<'a>(method: Method, name: &str, verb: &str) -> Ask<'a> {
    let what = format!("Azure: Cannot {verb} 'azure://{name}'");
    Ask::new(method, format!("/{}", percent(name, false)), what).parameter("restype", "container")
}

impl Azure {
    /// A store as a configuration says. Nothing is asked of it.
    ///
    /// # Errors
    /// For parameters that cannot be understood.
    pub(in crate::vfs::cloud) fn new(config: &Config) -> Result<Azure> {
        let options = Options::new(config)?;
        let client = Client::with_limit(options.network.clone(), options.limits.at_once);
        Ok(Azure { options, client, one_by_one: AtomicBool::new(false) })
    }

    /// The path of a request within the host.
    fn path(&self, ask: &Ask<'_>) -> String {
        let host = self.options.endpoint.split_once("://").map_or("", |(_, rest)| rest);
        let before = host.split_once('/').map_or(String::new(), |(_, path)| format!("/{path}"));
        before + &ask.path
    }

    /// The header that proves the right to a request, if one is needed.
    fn authorization(&self, ask: &Ask<'_>, headers: &[(String, String)]) -> Result<Option<String>> {
        let key = match &self.options.credential {
            Credential::Key(key) => key,
            Credential::Token(tokens) => return tokens.header(),
            Credential::Signature(_) | Credential::Anonymous => return Ok(None),
        };
        let length = ask.body.len().to_string();
        let mut signed: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        if !ask.body.is_empty() {
            signed.push(("content-length", &length));
        }
        let path = self.path(ask);
        let signed = Signed { method: ask.method.name(), path: &path, parameters: &ask.parameters, headers: &signed };
        signed.authorization(&self.options.account, key).map(Some)
    }

    /// What stands behind the `?` of an address.
    fn tail(&self, ask: &Ask<'_>) -> String {
        let mut tail = query(&ask.parameters);
        if let Credential::Signature(token) = &self.options.credential {
            tail += if tail.is_empty() { "" } else { "&" };
            tail += token;
        }
        if tail.is_empty() { tail } else { format!("?{tail}") }
    }

    /// A request that stores a whole blob.
    fn put_ask<'a>(place: &Place, bytes: &'a [u8]) -> Ask<'a> {
        blob(Method::Put, place, "write").header("x-ms-blob-type", "BlockBlob").body(bytes)
    }

    /// Whether a blob holds what another one does: by the digests of both, or as it was copied from there after that was last
    /// changed.
    fn is_copied(&self, from: &Place, to: &Place) -> Result<bool> {
        let look = |place: &Place| {
            let ask = blob(Method::Head, place, "look for");
            self.ask(&ask, &[404], |answer| Ok(Some(Told::of(&answer)).filter(|_| answer.status == 200)))
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

    /// Waits for a copy that is under way, longer each time, as long as it goes on.
    fn copied(&self, place: &Place, ask: &Ask<'_>, mut state: String) -> Result<()> {
        let (mut copied, mut idle) = (None, 0);
        while state == "pending" {
            if idle >= MOST_IDLE {
                return Err(ask.fault(format_args!("the copy made no progress while it was asked for {idle} times")));
            }
            self.options.retries.wait(idle);
            let look = blob(Method::Head, place, "look for");
            let bytes;
            (state, bytes) = self.ask(&look, &[], |answer| Ok((copy_state(&answer), copied_bytes(&answer))))?;
            idle = if bytes > copied { 0 } else { idle + 1 };
            copied = bytes.max(copied);
        }
        if state == "success" { Ok(()) } else { Err(ask.fault(format_args!("the copy ended as '{state}'"))) }
    }
}

/// What a blob tells of what it holds, and of the copy that made it.
struct Told {
    size: Option<u64>,
    md5: Option<String>,
    changed: Option<SystemTime>,
    /// From where it was copied, and when the copy was complete.
    copy: Option<(String, SystemTime)>,
}

impl Told {
    fn of(answer: &Response) -> Told {
        let text = |name: &str| answer.header(name).map(str::to_owned);
        let time = |name: &str| answer.header(name).and_then(time::header);
        let is_done = answer.header("x-ms-copy-status") == Some("success");
        let copy = text("x-ms-copy-source").zip(time("x-ms-copy-completion-time"));
        Told {
            size: answer.length(),
            md5: text("content-md5"),
            changed: time("last-modified"),
            copy: copy.filter(|_| is_done),
        }
    }
}

/// How many bytes of a copy are there.
fn copied_bytes(answer: &Response) -> Option<u64> {
    answer.header("x-ms-copy-progress")?.split('/').next()?.trim().parse().ok()
}

fn copy_state(answer: &Response) -> String {
    answer.header("x-ms-copy-status").unwrap_or("success").to_owned()
}

impl Asked for Azure {
    type Signed = ();

    fn client(&self) -> &Client {
        &self.client
    }

    fn retries(&self) -> &RetryPolicy {
        &self.options.retries
    }

    fn sign<'a>(&self, ask: &Ask<'a>) -> Result<(Request<'a>, ())> {
        let mut headers = ask.own_headers();
        headers.push(("x-ms-version".to_owned(), VERSION.to_owned()));
        headers.push(("x-ms-date".to_owned(), Date::of(SystemTime::now()).http()));
        let authorization = self.authorization(ask, &headers)?;
        // A shared access signature stands in the address: without a header there is one who may see it, too.
        let proof = authorization.map(|value| ("authorization".to_owned(), value)).into_iter().collect();
        let secret = Secret::new(Audience::of(&self.options.endpoint)?, proof);
        let url = [self.options.endpoint.as_str(), &ask.path, &self.tail(ask)].concat();
        Ok((Request::new(ask.method, url, headers, ask.body).with(Some(secret)), ()))
    }

    fn refusal(&self, status: u16, body: &[u8]) -> Refusal {
        let mut refusal = answer::refusal(status, body);
        if let (Credential::Token(tokens), 401 | 403 | 409) = (&self.options.credential, status) {
            refusal.add(tokens.reason());
        }
        refusal
    }

    fn mend(&self, refusal: &mut Refusal, (sent, ()): &(Request<'_>, ()), mended: &mut Mended) -> bool {
        let Credential::Token(tokens) = &self.options.credential else { return false };
        refusal.status == 401 && !std::mem::replace(&mut mended.credentials, true) && tokens.renew(sent)
    }
}

impl Batched for Azure {
    fn object<'a>(&self, method: Method, place: &Place, verb: &str) -> Ask<'a> {
        blob(method, place, verb)
    }

    fn batch<'a>(&self, bucket: &str) -> Ask<'a> {
        let ask = container(Method::Post, bucket, "remove blobs of").parameter("comp", "batch");
        match &self.options.credential {
            // A signature for an account is one for its service; others are for a container.
            Credential::Signature(token) if token.split('&').any(|part| part.starts_with("ss=")) => {
                Ask::new(Method::Post, "/".to_owned(), ask.what).parameter("comp", "batch")
            }
            _ => ask,
        }
    }

    fn enclosed(&self, ask: &Ask<'_>) -> Result<(String, Vec<(String, String)>)> {
        let mut headers = vec![("x-ms-date".to_owned(), Date::of(SystemTime::now()).http())];
        let authorization = self.authorization(ask, &headers)?;
        headers.extend(authorization.map(|value| ("Authorization".to_owned(), value)));
        Ok(([self.path(ask), self.tail(ask)].concat(), headers))
    }

    fn knows_none(&self) -> &AtomicBool {
        &self.one_by_one
    }
}

impl Store for Azure {
    fn limits(&self) -> Limits {
        self.options.limits
    }

    fn size(&self, place: &Place) -> Result<Option<u64>> {
        self.ask_size(&blob(Method::Head, place, "look for"))
    }

    fn glimpse(&self, place: &Place, most: usize) -> Result<Option<Glimpse>> {
        self.ask_glimpse(blob(Method::Get, place, "read"), most)
    }

    fn get(&self, place: &Place, offset: u64, out: &mut [u8]) -> Result<()> {
        self.ask_range(blob(Method::Get, place, "read"), offset, out)
    }

    fn list(&self, listing: &Listing<'_>) -> Result<Page> {
        let most = listing.most.unwrap_or_default().to_string();
        let mut ask = container(Method::Get, listing.bucket, "list").parameter("comp", "list");
        ask.what = format!("Azure: Cannot list 'azure://{}/{}'", listing.bucket, listing.prefix);
        if !listing.prefix.is_empty() {
            ask = ask.parameter("prefix", listing.prefix);
        }
        if !listing.deep {
            ask = ask.parameter("delimiter", "/");
        }
        if listing.most.is_some() {
            ask = ask.parameter("maxresults", &most);
        }
        if let Some(from) = listing.from {
            ask = ask.parameter("marker", from);
        }
        // All that is in a container that is not there is nothing; whether there is something is no question to it.
        let accept: &[u16] = if listing.most.is_none() { &[404] } else { &[] };
        self.ask(&ask, accept, |answer| match answer.status {
            404 => Ok(Page::default()),
            // Cut off, it makes no sense, and is asked for again.
            _ => answer.bytes(MOST).and_then(|body| answer::page(&body)).map_err(|error| ask.passing(error)),
        })
    }

    fn put(&self, place: &Place, bytes: &[u8]) -> Result<()> {
        or_asked_after(self.tell(&Azure::put_ask(place, bytes), &[]).map(|_| ()), || {
            let (look, digest) = (blob(Method::Head, place, "look for"), base64(&md5(bytes)?));
            self.ask(&look, &[404], |answer| {
                let same = answer.header("content-md5") == Some(&digest);
                Ok(answer.status == 200 && answer.length() == Some(bytes.len() as u64) && same)
            })
        })
    }

    fn touch(&self, place: &Place) -> Result<()> {
        self.tell(&Azure::put_ask(place, &[]).header("if-none-match", "*"), &[409, 412]).map(|_| ())
    }

    fn remove(&self, bucket: &str, keys: &[String]) -> Result<()> {
        remove_many(self, bucket, keys, self.options.limits.at_once)
    }

    fn remove_file(&self, place: &Place) -> Result<()> {
        remove_one(self, place)
    }

    fn copy(&self, from: &Place, to: &Place) -> Result<()> {
        let source = blob(Method::Get, from, "copy");
        let address = [self.options.endpoint.as_str(), &source.path, &self.tail(&source)].concat();
        let mut ask = blob(Method::Put, to, "copy to").header("x-ms-copy-source", address);
        ask.what =
            format!("Azure: Cannot copy 'azure://{}/{}' to 'azure://{}/{}'", from.bucket, from.key, to.bucket, to.key);
        let copied =
            self.ask(&ask, &[], |answer| Ok(copy_state(&answer))).and_then(|state| self.copied(to, &ask, state));
        or_asked_after(copied, || self.is_copied(from, to))
    }

    /// Blocks need no beginning: their names tell uploads apart.
    fn begin(&self, _place: &Place) -> Result<String> {
        Ok(uuid::Uuid::new_v4().simple().to_string())
    }

    fn part(&self, parts: &Parts<'_>, number: u32, _offset: u64, bytes: &[u8]) -> Result<String> {
        let name = base64(format!("{}{number:08}", parts.id).as_bytes());
        let ask = blob(Method::Put, parts.place, "write a part of").parameter("comp", "block");
        self.tell(&ask.parameter("blockid", &name).body(bytes), &[])?;
        Ok(name)
    }

    fn complete(&self, parts: &Parts<'_>, tags: &[String], _size: u64) -> Result<()> {
        let names: String = tags.iter().map(|name| format!("<Latest>{name}</Latest>")).collect();
        let body = format!("<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList>{names}</BlockList>");
        let ask = blob(Method::Put, parts.place, "complete the upload of").parameter("comp", "blocklist");
        or_asked_after(self.tell(&ask.body(body.as_bytes()), &[]).map(|_| ()), || {
            let look = blob(Method::Get, parts.place, "look for").parameter("comp", "blocklist");
            let look = look.parameter("blocklisttype", "committed");
            self.ask(&look, &[], |answer| {
                Ok(answer::has_blocks(&answer.bytes(MOST).map_err(|error| look.passing(error))?, tags))
            })
        })
    }

    /// The store forgets blocks that nobody uses.
    fn abort(&self, _parts: &Parts<'_>) -> Result<()> {
        Ok(())
    }

    fn create_bucket(&self, bucket: &str) -> Result<()> {
        self.tell(&container(Method::Put, bucket, "create container"), &[]).map(|_| ())
    }

    fn remove_bucket(&self, bucket: &str) -> Result<()> {
        self.tell(&container(Method::Delete, bucket, "remove container"), &[]).map(|_| ())
    }

    fn is_bucket(&self, bucket: &str) -> Result<bool> {
        self.tell(&container(Method::Head, bucket, "look for container"), &[404]).map(|status| status != 404)
    }
}
