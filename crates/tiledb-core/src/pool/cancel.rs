//! The cancellation token.

use std::sync::Arc;

use crate::error::{Result, bail};
use crate::memory;
use crate::sync::atomic::{AtomicBool, Ordering};

/// A flag shared by a caller and the work it may want to stop. Clones are the same flag.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    own: Arc<AtomicBool>,
    /// The token of the enclosing operation.
    above: Option<Arc<AtomicBool>>,
}

impl CancelToken {
    /// A child token for a part of the work: the part stops if either token is cancelled. A child has no children of its own.
    #[must_use]
    pub fn part(&self) -> CancelToken {
        CancelToken { own: Arc::default(), above: Some(self.above.as_ref().unwrap_or(&self.own).clone()) }
    }

    /// Asks the work to stop.
    pub fn request(&self) {
        self.own.store(true, Ordering::Release);
    }

    /// Revokes the request.
    pub fn reset(&self) {
        self.own.store(false, Ordering::Release);
    }

    /// Whether cancellation was requested.
    pub fn is_requested(&self) -> bool {
        self.own.load(Ordering::Acquire) || self.above.as_ref().is_some_and(|above| above.load(Ordering::Acquire))
    }

    /// Checks for cancellation; called per tile, per batch, per request.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Cancelled`] after a request, `OutOfMemory` if memory is exhausted.
    pub fn check(&self) -> Result<()> {
        if self.is_requested() {
            bail!(Cancelled, "The operation was cancelled");
        }
        memory::check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_stops_with_the_whole_and_by_itself() {
        let whole = CancelToken::default();
        let (one, other) = (whole.part(), whole.part());
        one.request();
        assert!(one.is_requested() && !whole.is_requested() && !other.is_requested());
        one.reset();
        whole.request();
        assert!(one.is_requested() && other.check().is_err() && one.part().is_requested());
    }
}
