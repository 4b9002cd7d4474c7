//! Progress of a copy, which several threads report.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::error::{Error, ErrorKind, Result};
use crate::progress::{OnProgress, Progress};
use tiledb_core::pool::CancelToken;

/// The callback, and whether it has stopped the copy.
#[derive(Default)]
pub(super) struct CopyProgress<'a> {
    callback: Option<Mutex<OnProgress<'a>>>,
    is_stopped: AtomicBool,
    cancel: OnceLock<CancelToken>,
    done: AtomicU64,
    total: AtomicU64,
}

impl<'a> CopyProgress<'a> {
    pub(super) fn new(callback: OnProgress<'a>) -> CopyProgress<'a> {
        CopyProgress { callback: Some(Mutex::new(callback)), ..CopyProgress::default() }
    }

    /// Observes the cancellation of a context.
    pub(super) fn observe(&self, cancel: &CancelToken) {
        // A copy runs once.
        _ = self.cancel.set(cancel.clone());
    }

    /// Begins to count bytes.
    pub(super) fn begin(&self, total: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    /// Counts bytes, and reports them.
    ///
    /// # Errors
    /// If the copy was stopped or cancelled.
    pub(super) fn add(&self, bytes: u64) -> Result<()> {
        let done = self.done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if let Some(callback) = &self.callback {
            let total = self.total.load(Ordering::Relaxed);
            let mut callback = callback.lock().unwrap_or_else(PoisonError::into_inner);
            // After it has stopped the copy it is not called again.
            if !self.is_stopped.load(Ordering::SeqCst) && callback(Progress { done, total }).is_break() {
                self.is_stopped.store(true, Ordering::SeqCst);
            }
        }
        if self.is_stopped.load(Ordering::SeqCst) {
            return Err(Error::new(ErrorKind::Cancelled, "The callback stopped the copy; copy again to complete it"));
        }
        match self.cancel.get() {
            Some(cancel) => Ok(cancel.check()?),
            None => Ok(()),
        }
    }
}
