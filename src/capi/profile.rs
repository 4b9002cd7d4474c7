//! C functions of profiles: named sets of parameters that are stored in a file.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::boundary::{ByteOrPointer, In, OutHandle, Str, capi_return_t};
use super::call::{call_err, free, make_err};
use super::handles::{tiledb_error_t, tiledb_profile_t, tiledb_string_t};
use super::string::Text;
use tiledb_core::config::Profile;
use tiledb_core::error::bail;

/// Creates an empty profile; nothing is read or written.
///
/// @param name The name; null for the default profile. `version` is reserved by the format of the file.
/// @param dir The directory of its file `profiles.json`; null for `.tiledb` in the home directory.
/// @param profile Receives the profile, to be freed with `tiledb_profile_free`.
/// @param error Receives the error, or null on success.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_profile_alloc(
    name: Str,
    dir: Str,
    profile: OutHandle<tiledb_profile_t>,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    make_err(error, profile, || Ok(ProfileObject(Mutex::new(Profile::new(name.opt()?, dir.opt_path().as_deref())?))))
}

/// Returns the profile as JSON.
///
/// @param profile The profile.
/// @param out Receives the text, to be freed with `tiledb_string_free`.
/// @param error Receives the error, or null on success.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_profile_dump_str(
    profile: In<tiledb_profile_t>,
    out: OutHandle<tiledb_string_t>,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    make_err(error, out, || Ok(Text::of_path(&profile.get()?.lock().dump())))
}

/// Frees a profile and sets the pointer to null; its file stays.
///
/// @param profile The profile.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_profile_free(profile: OutHandle<tiledb_profile_t>) {
    free(profile)
}

/// Returns the directory of the profile's file, with a slash at its end.
///
/// @param profile The profile.
/// @param dir Receives the directory, to be freed with `tiledb_string_free`.
/// @param error Receives the error, or null on success.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_profile_get_dir(
    profile: In<tiledb_profile_t>,
    dir: OutHandle<tiledb_string_t>,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    make_err(error, dir, || Ok(Text::of_path(profile.get()?.lock().directory())))
}

/// Returns the name of the profile.
///
/// @param profile The profile.
/// @param name Receives the name, to be freed with `tiledb_string_free`.
/// @param error Receives the error, or null on success.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_profile_get_name(
    profile: In<tiledb_profile_t>,
    name: OutHandle<tiledb_string_t>,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    make_err(error, name, || Ok(Text::new(profile.get()?.lock().name())))
}

/// Returns the value of a parameter.
///
/// @param profile The profile.
/// @param param The name of the parameter.
/// @param value Receives the value, to be freed with `tiledb_string_free`; null if the parameter is not set.
/// @param error Receives the error, or null on success.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_profile_get_param(
    profile: In<tiledb_profile_t>,
    param: Str,
    value: OutHandle<tiledb_string_t>,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    call_err(error, || {
        let profile = profile.get()?;
        value.check()?;
        let Some(param) = param.opt()? else {
            bail!("C API: [tiledb_profile_get_param] Parameter cannot be null.");
        };
        match profile.lock().get(param) {
            Some(text) => value.set(Text::new(text)),
            None => value.set_null(),
        }
    })
}

/// Reads the profile's parameters from its file.
///
/// @param profile The profile.
/// @param error Receives the error, or null on success.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_profile_load(
    profile: In<tiledb_profile_t>,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    call_err(error, || profile.get()?.lock().load())
}

/// Removes a profile from its file.
///
/// @param name The name; null for the default profile. `version` is reserved by the format of the file.
/// @param dir The directory of the file; null for `.tiledb` in the home directory.
/// @param error Receives the error, or null on success.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_profile_remove(name: Str, dir: Str, error: OutHandle<tiledb_error_t>) -> capi_return_t {
    call_err(error, || Profile::new(name.opt()?, dir.opt_path().as_deref())?.remove())
}

/// Writes the profile into its file, which is made if needed.
///
/// Programs that were compiled for libtiledb 2.28 or 2.29 call this function without `overwrite`. On x86-64 such a call is
/// recognized and does not overwrite, unless its `error` is null, which is undefined.
///
/// @param profile The profile.
/// @param overwrite 0 to fail if the file has a profile of this name.
/// @param error Receives the error, or null on success.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_profile_save(
    profile: In<tiledb_profile_t>,
    overwrite: ByteOrPointer,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    let (overwrite, error) = overwrite.with(error, 0);
    call_err(error, || profile.get()?.lock().save(overwrite != 0))
}

/// Sets a parameter of the profile.
///
/// @param profile The profile.
/// @param param The name of the parameter.
/// @param value The value; null for an empty one.
/// @param error Receives the error, or null on success.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_profile_set_param(
    profile: In<tiledb_profile_t>,
    param: Str,
    value: Str,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    call_err(error, || {
        let profile = profile.get()?;
        let Some(param) = param.opt()? else {
            bail!("C API: [tiledb_profile_set_param] Parameter cannot be null.");
        };
        let value = value.opt()?.unwrap_or_default();
        profile.lock().set(param, value)
    })
}

/// The object of a profile handle.
pub struct ProfileObject(Mutex<Profile>);

impl ProfileObject {
    fn lock(&self) -> MutexGuard<'_, Profile> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
