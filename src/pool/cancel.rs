//! The cancellation token.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Result, bail};
use crate::memory;

/// A flag shared by a caller and the work it may want to stop. Clones are the same flag.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the work to stop.
    pub fn request(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Takes the request back.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Release);
    }

    /// Whether somebody asked to stop.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// To be called at every natural pause: per tile, per batch, per request.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Cancelled`] after a request, `OutOfMemory` where the process has none left.
    pub fn check(&self) -> Result<()> {
        if self.is_requested() {
            bail!(Cancelled, "The operation was cancelled");
        }
        memory::check()
    }
}
