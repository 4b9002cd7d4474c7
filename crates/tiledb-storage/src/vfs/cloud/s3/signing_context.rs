//! Who asks, and by which clock: what of a refusal can be mended by signing again.

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

/// A clock that is wrong by more is corrected. Stores bear a quarter of an hour.
const TOLERANCE: i64 = 300;

/// So long it is not looked for keys again where there were none.
const REMEMBERED: Duration = Duration::from_secs(5);

/// Codes of refusals that say that keys have changed or come to their end.
const OVER: [&str; 5] =
    ["ExpiredToken", "ExpiredTokenException", "InvalidToken", "TokenRefreshRequired", "InvalidAccessKeyId"];

/// Who asks, and by which clock.
pub(super) struct SigningContext {
    signer: ExpiringCache<Signer>,
    /// Seconds by which the store's clock is ahead of this machine's, if that is much.
    ahead: AtomicI64,
}

/// Who signs a request, and when by the clock that is thought to be the store's.
pub(super) struct SigningIdentity {
    pub(super) signer: Arc<Signer>,
    pub(super) at: SystemTime,
}

impl SigningContext {
    pub(super) fn new() -> SigningContext {
        SigningContext { signer: ExpiringCache::new(), ahead: AtomicI64::new(0) }
    }

    /// Who signs a request now, and when that is.
    ///
    /// # Errors
    /// Where the keys of a role cannot be had.
    pub(super) fn sign(&self, options: &S3Options, region: &str) -> Result<SigningIdentity> {
        let signer = self.signer.get(&|| credentials::find(options, region))?;
        Ok(SigningIdentity { signer, at: self.now() })
    }

    /// What the store's clock says.
    fn now(&self) -> SystemTime {
        let (now, ahead) = (SystemTime::now(), self.ahead.load(Ordering::Relaxed));
        let apart = Duration::from_secs(ahead.unsigned_abs());
        if ahead < 0 { now.checked_sub(apart) } else { now.checked_add(apart) }.unwrap_or(now)
    }

    /// Whether a request that was refused is worth signing again: by the store's clock, or with other keys.
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
                // The answer to a HEAD has no room for a code.
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

    /// Adds to a refusal what the store cannot know.
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
