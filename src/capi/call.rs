//! The barrier of the C interface: catches panics, so that nothing unwinds into C, and converts errors to return codes and
//! messages. After an error, outputs are unchanged, as in libtiledb.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::boundary::{Handle, In, Inside, LastArgument, OutHandle, without_context};
use super::boundary::{TILEDB_INVALID_CONTEXT, TILEDB_INVALID_ERROR, TILEDB_OK, capi_return_t, code_of};
use super::context_object::Context;
use super::error_object::ErrorObject;
use super::handles::{tiledb_ctx_t, tiledb_error_t};
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::memory;

/// Runs `body`; a panic becomes an internal error with its message.
fn guarded<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    let _inside = Inside::enter();
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("unknown panic");
        Err(Error::internal(format!("TileDB internal: internal error: {text}; please report it")))
    })
}

/// The barrier of callbacks that foreign code calls, whose caller reports the error.
pub(crate) fn guarded_callback(body: &mut dyn FnMut() -> Result<()>) -> Result<()> {
    guarded(|| {
        memory::check_reserve()?;
        body()
    })
}

/// Interprets the result of a user's callback: 1 continues, -1 is an error, anything else stops. `place` describes the
/// position for the error message.
pub(crate) fn goes_on(function: &str, answer: i32, place: impl Display) -> Result<()> {
    match answer {
        1 => Ok(()),
        -1 => bail!("{function}: the callback returned an error {place}"),
        _ => bail!(Cancelled, "{function}: stopped {place}"),
    }
}

/// The barrier of functions with a context: an error becomes the context's last error.
pub(crate) fn call(ctx: In<tiledb_ctx_t>, body: impl FnOnce(&Context) -> Result<()>) -> capi_return_t {
    let Some(context) = ctx.pinned() else { return TILEDB_INVALID_CONTEXT };
    let body = || {
        memory::check_reserve()?;
        body(&context)
    };
    match guarded(body) {
        Ok(()) => TILEDB_OK,
        Err(error) => {
            let code = code_of(&error);
            context.record(&error);
            code
        }
    }
}

/// As [`call`], for functions without a context in libtiledb 2.25: a program that was compiled for that release passes `handle`
/// and `last` only. Its errors are reported by the return code.
pub(crate) fn call_since_2_26<H: Handle, L: LastArgument>(
    ctx: In<tiledb_ctx_t>,
    handle: In<H>,
    last: L,
    body: impl FnOnce(In<H>, L) -> Result<()>,
) -> capi_return_t {
    match without_context(ctx, handle) {
        None => call(ctx, |_| body(handle, last)),
        Some((handle, last)) => call_plain(|| {
            memory::check_reserve()?;
            body(handle, last)
        }),
    }
}

/// The barrier of functions with neither context nor error handle: errors are reported by the return code only.
pub(crate) fn call_plain(body: impl FnOnce() -> Result<()>) -> capi_return_t {
    match guarded(body) {
        Ok(()) => TILEDB_OK,
        Err(error) => code_of(&error),
    }
}

/// The barrier of functions that give their error out as a handle; null on success. A caller that
/// has no place for the error is refused, like by the original.
pub(crate) fn call_err(error: OutHandle<tiledb_error_t>, body: impl FnOnce() -> Result<()>) -> capi_return_t {
    if error.check().is_err() {
        return TILEDB_INVALID_ERROR;
    }
    error.clear();
    match guarded(body) {
        Ok(()) => TILEDB_OK,
        Err(failure) => {
            let code = code_of(&failure);
            let _ = error.set(ErrorObject::new(&failure));
            code
        }
    }
}

/// The barrier of functions that make a handle. After an error its place is as it was, unless the body cleared it.
pub(crate) fn make<H: Handle, O: Into<Arc<H::Object>>>(
    ctx: In<tiledb_ctx_t>,
    out: OutHandle<H>,
    body: impl FnOnce(&Context) -> Result<O>,
) -> capi_return_t {
    call(ctx, |context| {
        out.check()?;
        out.set(body(context)?)
    })
}

/// As [`make`], without a context.
pub(crate) fn make_plain<H: Handle, O: Into<Arc<H::Object>>>(
    out: OutHandle<H>,
    body: impl FnOnce() -> Result<O>,
) -> capi_return_t {
    call_plain(|| {
        memory::check_reserve()?;
        out.check()?;
        out.set(body()?)
    })
}

/// As [`make`], with an error handle instead of a context.
pub(crate) fn make_err<H: Handle, O: Into<Arc<H::Object>>>(
    error: OutHandle<tiledb_error_t>,
    out: OutHandle<H>,
    body: impl FnOnce() -> Result<O>,
) -> capi_return_t {
    call_err(error, || {
        out.check()?;
        out.set(body()?)
    })
}

/// Frees a handle and sets the caller's pointer to null. Null is accepted; anything that is not a live handle of the type
/// is ignored.
pub(crate) fn free<H: Handle>(handle: OutHandle<H>) {
    let _ = call_plain(|| {
        handle.free();
        Ok(())
    });
}

/// As [`free`], for functions that return whether the handle was valid.
pub(crate) fn free_checked<H: Handle>(handle: OutHandle<H>) -> capi_return_t {
    call_plain(|| if handle.free() { Ok(()) } else { Err(Error::invalid(H::INVALID)) })
}

/// As [`free_checked`], for functions with a context: libtiledb 2.31 ignores it, and its C++ interface passes null. An error
/// becomes the context's last error if there is a context.
pub(crate) fn free_with_context<H: Handle>(ctx: In<tiledb_ctx_t>, handle: OutHandle<H>) -> capi_return_t {
    let body = || {
        handle.check()?;
        if handle.free() { Ok(()) } else { Err(Error::invalid(H::INVALID)) }
    };
    match ctx.pinned() {
        Some(_) => call(ctx, |_| body()),
        None => call_plain(body),
    }
}

/// The barrier of functions that return a plain value: `fallback` after an error.
pub(crate) fn value_or<T>(fallback: T, body: impl FnOnce() -> Result<T>) -> T {
    guarded(body).unwrap_or(fallback)
}
