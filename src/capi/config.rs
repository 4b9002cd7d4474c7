//! C interface: config.

use super::boundary::{In, Out, OutHandle, OutStr, Str, capi_return_t, free, pending_err, pending_plain};
use super::handles::{tiledb_config_iter_t, tiledb_config_t, tiledb_error_t};

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_alloc(
    config: OutHandle<tiledb_config_t>,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    let _ = (config,);
    pending_err(error, "tiledb_config_alloc")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_compare(
    lhs: In<tiledb_config_t>,
    rhs: In<tiledb_config_t>,
    equal: Out<u8>,
) -> capi_return_t {
    let _ = (lhs, rhs, equal);
    pending_plain("tiledb_config_compare")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_free(config: OutHandle<tiledb_config_t>) {
    free(config)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_get(
    config: In<tiledb_config_t>,
    param: Str,
    value: OutStr,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    let _ = (config, param, value);
    pending_err(error, "tiledb_config_get")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_iter_alloc(
    config: In<tiledb_config_t>,
    prefix: Str,
    config_iter: OutHandle<tiledb_config_iter_t>,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    let _ = (config, prefix, config_iter);
    pending_err(error, "tiledb_config_iter_alloc")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_iter_done(
    config_iter: In<tiledb_config_iter_t>,
    done: Out<i32>,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    let _ = (config_iter, done);
    pending_err(error, "tiledb_config_iter_done")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_iter_free(config_iter: OutHandle<tiledb_config_iter_t>) {
    free(config_iter)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_iter_here(
    config_iter: In<tiledb_config_iter_t>,
    param: OutStr,
    value: OutStr,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    let _ = (config_iter, param, value);
    pending_err(error, "tiledb_config_iter_here")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_iter_next(
    config_iter: In<tiledb_config_iter_t>,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    let _ = (config_iter,);
    pending_err(error, "tiledb_config_iter_next")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_iter_reset(
    config: In<tiledb_config_t>,
    config_iter: In<tiledb_config_iter_t>,
    prefix: Str,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    let _ = (config, config_iter, prefix);
    pending_err(error, "tiledb_config_iter_reset")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_load_from_file(
    config: In<tiledb_config_t>,
    filename: Str,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    let _ = (config, filename);
    pending_err(error, "tiledb_config_load_from_file")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_save_to_file(
    config: In<tiledb_config_t>,
    filename: Str,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    let _ = (config, filename);
    pending_err(error, "tiledb_config_save_to_file")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_set(
    config: In<tiledb_config_t>,
    param: Str,
    value: Str,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    let _ = (config, param, value);
    pending_err(error, "tiledb_config_set")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_unset(
    config: In<tiledb_config_t>,
    param: Str,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    let _ = (config, param);
    pending_err(error, "tiledb_config_unset")
}
