//! Configurations and contexts, and the conversion of return codes to errors.

use std::sync::Arc;

use super::error::{Error, Result};
use super::handle::{Handle, lent, text};
use super::sys;

/// Parameters of the library.
pub struct Config {
    handle: Handle<sys::tiledb_config_t>,
}

impl Config {
    /// The defaults and the environment.
    pub fn new() -> Result<Self> {
        let (mut raw, mut error) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: both variables are ours.
        let code = unsafe { sys::tiledb_config_alloc(&raw mut raw, &raw mut error) };
        said(code, error)?;
        Ok(Self { handle: Handle::new(raw, sys::tiledb_config_free) })
    }

    /// Takes parameters from a file of lines `name value`.
    pub fn load(&mut self, file: &str) -> Result<()> {
        let (file, mut error) = (text(file)?, std::ptr::null_mut());
        // SAFETY: the configuration and the text live.
        let code = unsafe { sys::tiledb_config_load_from_file(self.raw(), file.as_ptr(), &raw mut error) };
        said(code, error)
    }

    /// Sets a parameter.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let (name, value, mut error) = (text(name)?, text(value)?, std::ptr::null_mut());
        // SAFETY: the configuration and the texts live.
        let code = unsafe { sys::tiledb_config_set(self.raw(), name.as_ptr(), value.as_ptr(), &raw mut error) };
        said(code, error)
    }

    /// The object as the C interface takes it.
    pub(super) fn raw(&self) -> *mut sys::tiledb_config_t {
        self.handle.raw()
    }
}

/// A context: all that is done is done in one. Clones are the same one.
#[derive(Clone)]
pub struct Context {
    handle: Arc<Shared>,
}

struct Shared(Handle<sys::tiledb_ctx_t>);

// SAFETY: the interface allows the use of a context by several threads at once.
unsafe impl Send for Shared {}
// SAFETY: see above.
unsafe impl Sync for Shared {}

impl Context {
    /// A context with these parameters.
    pub fn new(config: &Config) -> Result<Self> {
        let (mut raw, mut error) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: the configuration lives, the variables are ours.
        let code = unsafe { sys::tiledb_ctx_alloc_with_error(config.raw(), &raw mut raw, &raw mut error) };
        said(code, error)?;
        Ok(Self { handle: Arc::new(Shared(Handle::new(raw, sys::tiledb_ctx_free))) })
    }

    /// Cancels operations of the context.
    pub fn cancel(&self) {
        // SAFETY: the context lives.
        unsafe { sys::tiledb_ctx_cancel_tasks(self.raw()) };
    }

    /// The object as the C interface takes it.
    pub(super) fn raw(&self) -> *mut sys::tiledb_ctx_t {
        self.handle.0.raw()
    }

    /// Converts a return code and the context's last error.
    pub(super) fn said(&self, code: i32) -> Result<()> {
        if code == 0 {
            return Ok(());
        }
        let mut error = std::ptr::null_mut();
        // SAFETY: the context lives, the variable is ours.
        unsafe { sys::tiledb_ctx_get_last_error(self.raw(), &raw mut error) };
        said(code, error)
    }
}

/// Converts a return code and an error object.
fn said(code: i32, mut error: *mut sys::tiledb_error_t) -> Result<()> {
    let mut message = std::ptr::null();
    let text = if error.is_null() {
        String::new()
    } else {
        // SAFETY: the error is ours; its text is copied before it is freed.
        unsafe {
            sys::tiledb_error_message(error, &raw mut message);
            let text = lent(message);
            sys::tiledb_error_free(&raw mut error);
            text
        }
    };
    match code {
        0 => Ok(()),
        _ if text.is_empty() => Err(Error::failed(format!("the library answered {code} without a reason"))),
        _ => Err(Error::Failed(text)),
    }
}

/// Calls a function of the C interface in a context: `call!(ctx, tiledb_name(arguments after the context))`.
macro_rules! call {
    ($ctx:expr, $name:ident($($argument:expr),* $(,)?)) => {{
        let ctx: &$crate::tiledb::Context = $ctx;
        // SAFETY: handles live while the wrappers do that lend them, places and buffers are variables of the caller.
        let code = unsafe { $crate::tiledb::functions::$name(ctx.raw(), $($argument),*) };
        ctx.said(code)
    }};
}

/// Creates an object: as `call!`, with an out-parameter for the handle as last argument, and the function that frees
/// it.
macro_rules! make {
    ($ctx:expr, $name:ident($($argument:expr),* $(,)?), $free:ident) => {{
        let mut raw = std::ptr::null_mut();
        $crate::tiledb::context::call!($ctx, $name($($argument,)* &raw mut raw))
            .map(|()| $crate::tiledb::handle::Handle::new(raw, $crate::tiledb::functions::$free))
    }};
}

/// Returns one value: as `call!`, with an out-parameter as last argument.
macro_rules! ask {
    ($ctx:expr, $start:expr, $name:ident($($argument:expr),* $(,)?)) => {{
        let mut value = $start;
        $crate::tiledb::context::call!($ctx, $name($($argument,)* &raw mut value)).map(|()| value)
    }};
}

pub(super) use {ask, call, make};
