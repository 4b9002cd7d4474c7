//! Operations of the Rust interface that call functions of the user.

use std::ffi::c_void;
use std::ops::ControlFlow;
use std::ptr::with_exposed_provenance_mut;
use std::sync::{Mutex, PoisonError};

use super::boundary::{Buffer, call_user};
use super::call::goes_on;
use super::callbacks::tiledb_rs_progress_callback_t;
use tiledb::Progress;
use tiledb_core::error::{Error, Result};

/// The user's pointer, for callbacks on any thread: pointers of the caller are not sent to other threads, but addresses are.
#[derive(Clone, Copy)]
pub(crate) struct UserData(usize);

impl UserData {
    pub(crate) fn new(data: Buffer) -> UserData {
        UserData(data.as_ptr().expose_provenance())
    }

    pub(crate) fn as_ptr(self) -> *mut c_void {
        with_exposed_provenance_mut(self.0)
    }
}

/// The error of the callback that stopped an operation, the first one if callbacks are called by several threads.
#[derive(Default)]
pub(crate) struct CallbackError(Mutex<Option<Error>>);

impl CallbackError {
    /// Whether the operation goes on after a callback.
    pub(crate) fn flow(&self, result: Result<()>) -> ControlFlow<()> {
        match result {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                ControlFlow::Break(())
            }
        }
    }

    /// Reports progress to a function of the user, if there is one.
    pub(crate) fn report(
        &self,
        function: &str,
        callback: tiledb_rs_progress_callback_t,
        data: UserData,
        progress: Progress,
        unit: &str,
    ) -> ControlFlow<()> {
        let Some(callback) = callback else { return ControlFlow::Continue(()) };
        let Progress { done, total, .. } = progress;
        let answer = call_user(|| callback(done, total, data.as_ptr()));
        self.flow(answer.and_then(|answer| goes_on(function, answer, format_args!("after {done} of {total} {unit}"))))
    }

    /// The result of the operation: if a callback stopped it, the error of the callback.
    pub(crate) fn result<T>(self, result: tiledb::Result<T>) -> Result<T> {
        match self.0.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => result.map_err(tiledb::Error::into_engine),
        }
    }
}
