//! C interface: profile.

use super::boundary::{In, OutHandle, Str, capi_return_t, free, pending_err};
use super::handles::{tiledb_error_t, tiledb_profile_t, tiledb_string_t};

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_profile_alloc(
    name: Str,
    dir: Str,
    profile: OutHandle<tiledb_profile_t>,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    let _ = (name, dir, profile);
    pending_err(error, "tiledb_profile_alloc")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_profile_dump_str(
    profile: In<tiledb_profile_t>,
    out: OutHandle<tiledb_string_t>,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    let _ = (profile, out);
    pending_err(error, "tiledb_profile_dump_str")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_profile_free(profile: OutHandle<tiledb_profile_t>) {
    free(profile)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_profile_get_dir(
    profile: In<tiledb_profile_t>,
    dir: OutHandle<tiledb_string_t>,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    let _ = (profile, dir);
    pending_err(error, "tiledb_profile_get_dir")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_profile_get_name(
    profile: In<tiledb_profile_t>,
    name: OutHandle<tiledb_string_t>,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    let _ = (profile, name);
    pending_err(error, "tiledb_profile_get_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_profile_get_param(
    profile: In<tiledb_profile_t>,
    param: Str,
    value: OutHandle<tiledb_string_t>,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    let _ = (profile, param, value);
    pending_err(error, "tiledb_profile_get_param")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_profile_load(
    profile: In<tiledb_profile_t>,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    let _ = (profile,);
    pending_err(error, "tiledb_profile_load")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_profile_remove(name: Str, dir: Str, error: OutHandle<tiledb_error_t>) -> capi_return_t {
    let _ = (name, dir);
    pending_err(error, "tiledb_profile_remove")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_profile_save(
    profile: In<tiledb_profile_t>,
    overwrite: u8,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    let _ = (profile, overwrite);
    pending_err(error, "tiledb_profile_save")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_profile_set_param(
    profile: In<tiledb_profile_t>,
    param: Str,
    value: Str,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    let _ = (profile, param, value);
    pending_err(error, "tiledb_profile_set_param")
}
