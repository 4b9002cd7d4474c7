//! Listings of servers that have no index: S3's XML listing of public buckets, and pages of links.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::super::page_checker::PageChecker;
use super::super::request::MOST as MAX_PAGE_BYTES;
use super::super::store::{ListPage, ListRequest, Object};
use super::super::xml_listing;
use super::address::{WebAddress, decoded};
use super::client::{WebClient, WebRequest};
use super::html;
use crate::http::encode::percent;
use crate::http::{Method, RequestError};
use crate::vfs::{DirItem, Uri, check_relative};
use tiledb_core::error::{Error, ErrorKind, Result};

/// Statuses of servers that do not list.
const REFUSALS: [u16; 8] = [400, 401, 403, 404, 405, 406, 410, 501];

/// Maximum size of a page of links.
const MAX_HTML_BYTES: u64 = 16 << 20;

/// Where the bucket is in the address of an object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BucketStyle {
    /// `https://BUCKET.HOST/KEY`
    VirtualHosted,
    /// `https://HOST/BUCKET/KEY`
    Path,
}

pub(super) struct Listings {
    client: Arc<WebClient>,
    /// Maximum memory of a listing.
    max_listed_bytes: u64,
    /// How buckets are addressed, or that there are none, by server and first component of the path.
    styles: Mutex<HashMap<String, Option<BucketStyle>>>,
}

impl Listings {
    pub(super) fn new(client: &Arc<WebClient>, max_listed_bytes: u64) -> Listings {
        Listings { client: Arc::clone(client), max_listed_bytes, styles: Mutex::default() }
    }

    /// The objects of a folder with their relative names, and the names of its folders unless it is `deep`, from S3's listing;
    /// `None` if the server has none.
    pub(super) fn objects(&self, directory: &Uri, deep: bool) -> Result<Option<(Vec<Object>, Vec<String>)>> {
        let address = WebAddress::of(directory)?;
        let path = decoded(address.path()).and_then(|path| String::from_utf8(path).ok());
        // A signature of a file is none of a listing.
        let Some(path) = path.filter(|_| directory.query().is_none()) else { return Ok(None) };
        let path = path.trim_matches('/');
        let key = format!("{}/{}", address.origin, path.split('/').next().unwrap_or_default());
        let known = self.styles.lock().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
        let candidates = match known {
            Some(style) => style.into_iter().collect(),
            None => vec![BucketStyle::VirtualHosted, BucketStyle::Path],
        };
        for style in candidates {
            if let Some(listed) = self.list_bucket(directory, &address, (style, path), deep)? {
                self.remember(key, Some(style));
                return Ok(Some(listed));
            }
        }
        self.remember(key, None);
        Ok(None)
    }

    fn remember(&self, key: String, style: Option<BucketStyle>) {
        self.styles.lock().unwrap_or_else(PoisonError::into_inner).insert(key, style);
    }

    fn list_bucket(
        &self,
        directory: &Uri,
        address: &WebAddress,
        (style, path): (BucketStyle, &str),
        deep: bool,
    ) -> Result<Option<(Vec<Object>, Vec<String>)>> {
        let (bucket, key) = match style {
            BucketStyle::VirtualHosted => ("", path),
            BucketStyle::Path => path.split_once('/').unwrap_or((path, "")),
        };
        if style == BucketStyle::Path && bucket.is_empty() {
            return Ok(None);
        }
        let prefix = if key.is_empty() { String::new() } else { format!("{key}/") };
        let mut pages = PageChecker::new(self.max_listed_bytes);
        let mut objects = Vec::new();
        let mut folders = Vec::new();
        let mut next = None::<String>;
        loop {
            let mut query = format!("list-type=2&prefix={}", percent(&prefix, false));
            query.push_str(if deep { "" } else { "&delimiter=%2F" });
            if let Some(token) = &next {
                query = format!("{query}&continuation-token={}", percent(token, false));
            }
            let path = ["/", &percent(bucket, false)].concat();
            let Some(page) = self.page(directory, address.at_path(&path, &query)?)? else { return Ok(None) };
            let listing = ListRequest { bucket, prefix: &prefix, deep, most: None, from: next.as_deref() };
            pages.check(&listing, &page)?;
            let rest = |name: &str| name.strip_prefix(&*prefix).unwrap_or_default().trim_end_matches('/').to_owned();
            for object in page.objects.iter().filter(|object| !object.key.ends_with('/')) {
                objects.push(Object { key: checked(directory, rest(&object.key))?, size: object.size });
            }
            for folder in &page.prefixes {
                folders.push(checked(directory, rest(folder))?);
            }
            next = page.next;
            if next.is_none() {
                return Ok(Some((objects, folders)));
            }
        }
    }

    /// One page of a bucket; `None` if the response is none.
    fn page(&self, directory: &Uri, address: WebAddress) -> Result<Option<ListPage>> {
        let request = WebRequest::at(directory, "list", address);
        self.client.execute(&request, (Method::Get, &Vec::new()), &REFUSALS, |response| {
            let is_xml = response.header("content-type").is_some_and(|kind| kind.contains("xml"));
            if response.status != 200 || !is_xml {
                return Ok(None);
            }
            let body = response.bytes(MAX_PAGE_BYTES);
            let body = body.map_err(|error| RequestError::Transient(request.fault(error.text())))?;
            Ok(xml_listing::page(&body).ok())
        })
    }

    /// The entries of a folder from a page of links; `None` if there is no such page, or it is not to be used.
    pub(super) fn links(&self, directory: &Uri) -> Result<Option<Vec<DirItem>>> {
        if !self.client.options.uses_html_listings {
            return Ok(None);
        }
        let directory = directory.without_trailing_slash().join("");
        let request = WebRequest::new(&directory, "list")?;
        let folder = WebAddress::of(&directory)?;
        let page = self.client.execute(&request, (Method::Get, &Vec::new()), &REFUSALS, |response| {
            let is_page = response.header("content-type").is_some_and(|kind| kind.contains("html"));
            match response.status {
                404 | 410 => Ok(Some(Vec::new())),
                200 if is_page => {
                    let body = response.bytes(MAX_HTML_BYTES);
                    let body = body.map_err(|error| RequestError::Transient(request.fault(error.text())))?;
                    Ok(html::entries_of(&String::from_utf8_lossy(&body), folder.path()))
                }
                _ => Ok(None),
            }
        })?;
        if let Some(items) = &page {
            let lengths = items.iter().map(|item| item.name.len() as u64);
            PageChecker::new(self.max_listed_bytes).count(lengths, directory.as_str())?;
        }
        Ok(page)
    }
}

/// A relative name out of a listing.
fn checked(directory: &Uri, name: String) -> Result<String> {
    match check_relative(&name) {
        Ok(()) => Ok(name),
        Err(reason) => {
            let text = format!(
                "HTTP: Cannot list '{directory}'; the name '{}' leads elsewhere: {reason}",
                name.escape_debug()
            );
            Err(Error::new(ErrorKind::Corrupt, text))
        }
    }
}
