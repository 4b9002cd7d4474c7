//! OAuth 2.0 access tokens for Azure and Google.

mod azure;
mod google;
mod google_amazon;
mod google_external;
mod google_impersonation;
mod jwt;
mod token_endpoint;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::expiring_cache::{Expiring, ExpiringCache};
use crate::http::Request;
use tiledb_core::error::{Error, ErrorKind, Result};

pub(super) use azure::find as of_azure;
pub(super) use google::{GoogleParameters, find as of_google};
pub(super) use token_endpoint::TokenResult;

/// Interval after which the providers are tried again if there was no token.
const ABSENCE_LIFETIME: Duration = Duration::from_secs(600);

/// Minimum time between searches for a token if there was none.
const REMEMBERED: Duration = Duration::from_secs(5);

enum Bearer {
    Token(String),
    Unknown { why: String, since: SystemTime },
}

/// The cached access token of a store.
pub(super) struct TokenProvider {
    cache: ExpiringCache<Bearer>,
    find: Box<dyn Fn() -> TokenResult + Send + Sync>,
    /// Whether requests are made anonymously if there is no token: public containers can be read.
    allow_anonymous: bool,
}

impl TokenProvider {
    pub(super) fn new(find: Box<dyn Fn() -> TokenResult + Send + Sync>, allow_anonymous: bool) -> TokenProvider {
        TokenProvider { cache: ExpiringCache::new(), find, allow_anonymous }
    }

    fn get(&self) -> Result<Arc<Bearer>> {
        self.cache.get(&|| match (self.find)() {
            Ok(token) => Ok(Expiring { value: Bearer::Token(token.value), until: token.until }),
            Err(why) if self.allow_anonymous => {
                let since = SystemTime::now();
                Ok(Expiring { value: Bearer::Unknown { why, since }, until: since.checked_add(ABSENCE_LIFETIME) })
            }
            Err(why) => Err(Error::new(ErrorKind::Io, format!("There are no credentials: {why}"))),
        })
    }

    /// The `authorization` header.
    ///
    /// # Errors
    /// If there is no token and requests need one.
    pub(super) fn header(&self) -> Result<Option<String>> {
        Ok(match self.get()?.as_ref() {
            Bearer::Token(token) => Some(format!("Bearer {token}")),
            Bearer::Unknown { .. } => None,
        })
    }

    /// Whether a rejected request is worth retrying with a fresh token.
    pub(super) fn renew(&self, sent: &Request<'_>) -> bool {
        let Ok(bearer) = self.get() else { return false };
        match bearer.as_ref() {
            Bearer::Token(token) => {
                let header = sent.credential.as_ref().and_then(|credential| credential.header("authorization"));
                if header.is_some_and(|value| value.strip_prefix("Bearer ") == Some(token)) {
                    self.cache.invalidate(&bearer);
                }
                header.is_some()
            }
            Bearer::Unknown { since, .. } => {
                if since.elapsed().is_ok_and(|age| age > REMEMBERED) {
                    self.cache.invalidate(&bearer);
                }
                false
            }
        }
    }

    /// Why there is no token, for a request that was rejected without one.
    pub(super) fn reason(&self) -> Option<String> {
        match self.get().ok()?.as_ref() {
            Bearer::Unknown { why, .. } => Some(format!("the request had no credentials, as none were found: {why}")),
            Bearer::Token(_) => None,
        }
    }
}
