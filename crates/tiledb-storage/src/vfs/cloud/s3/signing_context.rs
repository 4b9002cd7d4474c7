//! Signer and clock of requests, and recovery from expired keys and clock skew.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use super::super::expiring_cache::ExpiringCache;
use super::super::request::{ErrorResponse, RecoveryState};
use super::super::time::seconds_between;
use super::credentials;
use super::options::S3Options;
use super::signer::Signer;
use tiledb_core::error::Result;

/// Clock skew in seconds that is corrected. Stores tolerate a quarter of an hour.
const TOLERANCE: i64 = 300;

/// Minimum time between searches for keys if none were found.
const REMEMBERED: Duration = Duration::from_secs(5);

/// Error codes of changed or expired keys.
const OVER: [&str; 5] =
    ["ExpiredToken", "ExpiredTokenException", "InvalidToken", "TokenRefreshRequired", "InvalidAccessKeyId"];

/// The current signer and the clock skew.
pub(super) struct SigningContext {
    signer: ExpiringCache<Signer>,
    /// Seconds by which the store's clock is ahead of this machine's, if significant.
    ahead: AtomicI64,
}

/// Signer and time of a signature, by the estimated clock of the store.
pub(super) struct SigningIdentity {
    pub(super) signer: Arc<Signer>,
    pub(super) at: SystemTime,
}

impl SigningContext {
    pub(super) fn new() -> SigningContext {
        SigningContext { signer: ExpiringCache::new(), ahead: AtomicI64::new(0) }
    }

    /// The signer and the time for a request now.
    ///
    /// # Errors
    /// If a role cannot be assumed.
    pub(super) fn sign(&self, options: &S3Options, region: &str) -> Result<SigningIdentity> {
        let signer = self.signer.get(&|| credentials::find(options, region))?;
        Ok(SigningIdentity { signer, at: self.now() })
    }

    /// The time by the store's clock.
    fn now(&self) -> SystemTime {
        let (now, ahead) = (SystemTime::now(), self.ahead.load(Ordering::Relaxed));
        let apart = Duration::from_secs(ahead.unsigned_abs());
        if ahead < 0 { now.checked_sub(apart) } else { now.checked_add(apart) }.unwrap_or(now)
    }

    /// Whether a rejected request is worth signing again: with the store's time, or with refreshed keys.
    pub(super) fn recover(
        &self,
        options: &S3Options,
        refusal: &ErrorResponse,
        signed: &SigningIdentity,
        recovery: &mut RecoveryState,
    ) -> bool {
        match signed.signer.as_ref() {
            Signer::Keys(keys) => {
                let off = refusal.date.map_or(0, |date| seconds_between(signed.at, date));
                if off.abs() > TOLERANCE && matches!(refusal.status, 400 | 401 | 403) && !recovery.clock {
                    recovery.clock = true;
                    self.ahead.store(off_by(refusal), Ordering::Relaxed);
                    return true;
                }
                // The response to HEAD has no error code.
                let is_over = OVER.contains(&refusal.code.as_str())
                    || (refusal.code.is_empty() && refusal.status == 400 && keys.token.is_some());
                if is_over && !recovery.credentials && options.credentials.keys.is_none() {
                    recovery.credentials = true;
                    self.signer.invalidate(&signed.signer);
                    return true;
                }
            }
            Signer::Unknown { since, .. } => {
                if since.elapsed().is_ok_and(|age| age > REMEMBERED) {
                    self.signer.invalidate(&signed.signer);
                }
            }
            Signer::Nobody => {}
        }
        false
    }

    /// Adds a diagnosis to an error response.
    pub(super) fn explain(&self, refusal: &mut ErrorResponse, signer: &Signer) {
        refusal.add(match signer {
            Signer::Unknown { why, .. } if matches!(refusal.status, 401 | 403) => {
                Some(format!("the request was not signed, as no credentials were found: {why}"))
            }
            Signer::Keys(_) if refusal.code == "RequestTimeTooSkewed" => {
                let off = off_by(refusal);
                let side = if off < 0 { "ahead of" } else { "behind" };
                Some(format!("this machine's clock is {} seconds {side} the store's", off.abs()))
            }
            _ => None,
        });
    }
}

/// The seconds by which the store's clock is ahead of this machine's.
fn off_by(refusal: &ErrorResponse) -> i64 {
    refusal.date.map_or(0, |date| seconds_between(SystemTime::now(), date))
}
