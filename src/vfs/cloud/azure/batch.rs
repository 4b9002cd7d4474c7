//! Blobs that are removed, many with one request.

use std::sync::atomic::Ordering;
use std::time::SystemTime;

use super::super::ask::{Ask, Asked, MOST, Refusal};
use super::super::http::{Method, Trouble};
use super::super::multipart::{Multipart, statuses};
use super::super::store::{Place, Store};
use super::super::time::Date;
use super::requests::{Azure, blob, container};
use crate::error::Result;
use crate::vfs::together::at_once;

impl Azure {
    /// Removes blobs with one request. Stores that know no such request, or none for these blobs, are asked for each.
    pub(super) fn remove_many(&self, bucket: &str, keys: &[String]) -> Result<()> {
        if keys.len() > 1 && !self.one_by_one.load(Ordering::Relaxed) {
            match self.remove_batch(bucket, keys) {
                Ok(true) => return Ok(()),
                Ok(false) => self.one_by_one.store(true, Ordering::Relaxed),
                Err(error) => return Err(error),
            }
        }
        at_once(self.limits().at_once, keys.len(), |index| self.remove_one(bucket, &keys[index]))
    }

    fn remove_one(&self, bucket: &str, key: &str) -> Result<()> {
        let place = Place { bucket: bucket.to_owned(), key: key.to_owned() };
        self.tell(&blob(Method::Delete, &place, "remove"), &[404]).map(|_| ())
    }

    /// Whether the store knew what to do.
    fn remove_batch(&self, bucket: &str, keys: &[String]) -> Result<bool> {
        self.retries().run(|| {
            let mut parts = Multipart::new();
            let deletes: Vec<Ask<'_>> = keys
                .iter()
                .map(|key| blob(Method::Delete, &Place { bucket: bucket.to_owned(), key: key.clone() }, "remove"))
                .collect();
            for ask in &deletes {
                let mut headers = vec![("x-ms-date".to_owned(), Date::of(SystemTime::now()).http())];
                let authorization = self.authorization(ask, &headers)?;
                headers.extend(authorization.map(|value| ("Authorization".to_owned(), value)));
                let headers: Vec<(&str, &str)> =
                    headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
                parts.delete(&[self.path(ask), self.tail(ask)].concat(), &headers);
            }
            let (kind, body) = (parts.kind(), parts.finish());
            let ask = container(Method::Post, bucket, "remove blobs of").parameter("comp", "batch");
            let ask = ask.header("content-type", kind).body(body.as_bytes());
            let answer = self.ask_once(&ask, &[400, 403, 404, 405, 409, 501])?;
            if answer.status >= 300 {
                return Ok(false);
            }
            let body = answer.bytes(MOST).map_err(Trouble::Passing)?;
            let body = String::from_utf8_lossy(&body);
            let told: Vec<(u16, &str)> = statuses(&body).collect();
            if told.len() != keys.len() {
                return Err(Trouble::Passing(ask.fault("the answer does not tell of each blob")));
            }
            for ((status, text), ask) in told.into_iter().zip(&deletes) {
                if !matches!(status, 200..300 | 404) {
                    let code = text.lines().find_map(|line| line.strip_prefix("x-ms-error-code: ")).unwrap_or_default();
                    let refusal = Refusal { status, code: code.trim().to_owned(), message: String::new() };
                    return Err(refusal.trouble(ask));
                }
            }
            Ok(true)
        })
    }
}
