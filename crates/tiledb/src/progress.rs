//! Progress of long operations.

use std::ops::ControlFlow;

use tiledb_core::error::{Error as EngineError, ErrorKind as EngineKind};

/// The progress of an operation. What is counted depends on the operation: cells, bytes or files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// How much is done.
    pub done: u64,
    /// How much there is to do; 0 while it is not known.
    pub total: u64,
}

impl Progress {
    /// The completed share, from 0 to 1.
    pub fn fraction(&self) -> f64 {
        if self.total == 0 { 0.0 } else { self.done as f64 / self.total as f64 }
    }
}

/// A callback that receives progress, and stops the operation by returning [`ControlFlow::Break`]: it fails with
/// [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled) then. It is called on the thread that runs the operation.
pub(crate) type OnProgress<'a> = Box<dyn FnMut(Progress) -> ControlFlow<()> + Send + 'a>;

/// Reports progress to a callback, if there is one.
pub(crate) fn report(callback: &mut Option<OnProgress<'_>>, done: u64, total: u64) -> tiledb_core::error::Result<()> {
    match callback {
        Some(callback) => go_on(callback(Progress { done, total })),
        None => Ok(()),
    }
}

/// The engine's result of a callback.
pub(crate) fn go_on(flow: ControlFlow<()>) -> tiledb_core::error::Result<()> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(EngineError::new(EngineKind::Cancelled, "The callback stopped the operation")),
    }
}
