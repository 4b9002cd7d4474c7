//! C functions of configurations and configuration iterators.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::boundary::{In, Out, OutHandle, OutStr, Str, capi_return_t};
use super::call::{call_err, call_plain, free, make_err};
use super::context_object::warn_of_unknown;
use super::handles::{tiledb_config_iter_t, tiledb_config_t, tiledb_error_t};
use tiledb_core::config::{Config, closest_parameter};
use tiledb_core::error::{Result, bail};
use tiledb_core::log::{self, Level};
use tiledb_core::types::Name;

/// Creates a configuration in which every parameter has its fallback value.
///
/// A configuration is a set of named text values. The effective value of a parameter is the one that was set, otherwise that of
/// its environment variable (`TILEDB_` and the upper-case name, with dots replaced by underscores), otherwise that of the
/// profile, otherwise the built-in default. Functions that take a configuration copy it; later changes to it have no effect on
/// them.
///
/// ```c
/// tiledb_error_t *failure = NULL;
/// tiledb_config_t *own = NULL;
/// tiledb_ctx_t *tuned = NULL;
/// tiledb_config_alloc(&own, &failure);
/// tiledb_config_set(own, "sm.mem.total_budget", "2147483648", &failure);
/// tiledb_ctx_alloc(own, &tuned);
/// tiledb_config_free(&own); // the context has its own copy
/// tiledb_ctx_free(&tuned);
/// ```
///
/// @param config Receives the configuration; free it with `tiledb_config_free`.
/// @param error Receives the error, to be freed with `tiledb_error_free`, or null on success. Must not be null.
/// @return `TILEDB_OK` for success, `TILEDB_ERR` for error, and `TILEDB_INVALID_ERROR` if `error` is null.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_alloc(
    config: OutHandle<tiledb_config_t>,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    make_err(error, config, || Ok(ConfigObject::new(Config::new())))
}

/// Reports whether two configurations have the same values for all parameters.
///
/// @param lhs One configuration.
/// @param rhs The other one.
/// @param equal Receives 1 if they are equal, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_compare(
    lhs: In<tiledb_config_t>,
    rhs: In<tiledb_config_t>,
    equal: Out<u8>,
) -> capi_return_t {
    call_plain(|| {
        let (lhs, rhs) = (lhs.get()?.snapshot(), rhs.get()?.snapshot());
        equal.set((lhs == rhs).into())
    })
}

/// Frees a configuration and sets the pointer to null.
///
/// Objects that were created with it are not affected: they have copies. Values obtained by `tiledb_config_get` become invalid.
///
/// @param config The configuration; a null handle is accepted.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_free(config: OutHandle<tiledb_config_t>) {
    free(config)
}

/// Returns the effective value of a parameter: the value that was set, otherwise that of the environment variable, otherwise
/// that of the profile, otherwise the built-in default.
///
/// @param config The configuration.
/// @param param The name of the parameter.
/// @param value Receives the value, or null if the parameter is neither known nor set. The text belongs to the configuration
///     and is valid until this parameter is read again after a change, or the configuration is freed.
/// @param error Receives the error, to be freed with `tiledb_error_free`, or null on success. It is an error if the configured
///     profile cannot be loaded.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_get(
    config: In<tiledb_config_t>,
    param: Str,
    value: OutStr,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    call_err(error, || {
        let config = config.get()?;
        let param = param.get("param")?;
        value.check()?;
        match config.lend(param)? {
            Some(text) => value.set(text.as_c_str()),
            None => value.set_null(),
        }
    })
}

/// Creates an iterator over the parameters of a configuration, in the order of their names.
///
/// The iterator works on a snapshot: it does not see later changes to the configuration. Names are returned without the prefix,
/// so a prefix such as `"vfs.s3."` lists the parameters of one subsystem.
///
/// ```c
/// tiledb_error_t *failure = NULL;
/// tiledb_config_iter_t *iterator = NULL;
/// int32_t done = 0;
/// tiledb_config_iter_alloc(config, "sm.", &iterator, &failure);
/// while (tiledb_config_iter_done(iterator, &done, &failure) == TILEDB_OK && !done) {
///   const char *name = NULL, *value = NULL;
///   tiledb_config_iter_here(iterator, &name, &value, &failure);
///   printf("sm.%s = %s\n", name, value);
///   tiledb_config_iter_next(iterator, &failure);
/// }
/// tiledb_config_iter_free(&iterator);
/// ```
///
/// @param config The configuration.
/// @param prefix Only parameters whose names start with this prefix are listed; null for all.
/// @param config_iter Receives the iterator; free it with `tiledb_config_iter_free`.
/// @param error Receives the error, to be freed with `tiledb_error_free`, or null on success.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_iter_alloc(
    config: In<tiledb_config_t>,
    prefix: Str,
    config_iter: OutHandle<tiledb_config_iter_t>,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    make_err(error, config_iter, || Ok(ConfigIter(Mutex::new(Walk::new(config, prefix)?))))
}

/// Reports whether an iterator is at the end.
///
/// @param config_iter The iterator.
/// @param done Receives 1 if it is, else 0.
/// @param error Receives the error, or null on success.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_iter_done(
    config_iter: In<tiledb_config_iter_t>,
    done: Out<i32>,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    call_err(error, || done.set(config_iter.get()?.walk().here().is_none().into()))
}

/// Frees an iterator and sets the pointer to null.
///
/// @param config_iter The iterator.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_iter_free(config_iter: OutHandle<tiledb_config_iter_t>) {
    free(config_iter)
}

/// Returns the current parameter of an iterator: its name without the prefix, and its value. Both are null at the end.
///
/// @param config_iter The iterator.
/// @param param Receives the name without the prefix, valid until the iterator is reset or freed.
/// @param value Receives the value, valid as long.
/// @param error Receives the error, or null on success.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_iter_here(
    config_iter: In<tiledb_config_iter_t>,
    param: OutStr,
    value: OutStr,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    call_err(error, || {
        let config_iter = config_iter.get()?;
        param.check()?;
        value.check()?;
        match config_iter.walk().here() {
            Some((name, text)) => {
                param.set(name.as_c_str())?;
                value.set(text.as_c_str())
            }
            None => {
                param.set_null()?;
                value.set_null()
            }
        }
    })
}

/// Advances an iterator to the next parameter; at the end it does nothing.
///
/// @param config_iter The iterator.
/// @param error Receives the error, or null on success.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_iter_next(
    config_iter: In<tiledb_config_iter_t>,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    call_err(error, || {
        config_iter.get()?.walk().advance();
        Ok(())
    })
}

/// Restarts an iterator, over the current parameters of a configuration.
///
/// @param config The configuration.
/// @param config_iter The iterator.
/// @param prefix The prefix, which is cut off the names; null for all parameters.
/// @param error Receives the error, or null on success.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_iter_reset(
    config: In<tiledb_config_t>,
    config_iter: In<tiledb_config_iter_t>,
    prefix: Str,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    call_err(error, || {
        let walk = Walk::new(config, prefix)?;
        *config_iter.get()?.walk() = walk;
        Ok(())
    })
}

/// Sets all parameters that a text file lists.
///
/// Each line holds a name and a value separated by white space; `#` starts a comment, and a line without a value, or with more
/// than one, is an error that names the file and the line. Parameters that precede the faulty line have been set by then.
/// Values are not validated until they are used.
///
/// @param config The configuration.
/// @param filename The path of a local file, which is opened, not interpreted as a URI of an object store.
/// @param error Receives the error, to be freed with `tiledb_error_free`, or null on success.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_load_from_file(
    config: In<tiledb_config_t>,
    filename: Str,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    call_err(error, || {
        let config = config.get()?;
        match filename.opt_path() {
            Some(path) => config.change(|config| config.load_from_file(&path)),
            None => bail!("C API: Cannot load from file; null filename"),
        }
    })
}

/// Writes the parameters that have a value, sorted by name, to a file that `tiledb_config_load_from_file` reads.
///
/// Secrets (keys, tokens, passwords), empty values and values from the environment are omitted.
///
/// @param config The configuration.
/// @param filename The path of a local file, which is replaced.
/// @param error Receives the error, to be freed with `tiledb_error_free`, or null on success.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_save_to_file(
    config: In<tiledb_config_t>,
    filename: Str,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    call_err(error, || {
        let config = config.get()?.snapshot();
        match filename.opt_path() {
            Some(path) => config.save_to_file(&path),
            None => bail!("C API: Cannot save to file; null filename"),
        }
    })
}

/// Sets a parameter.
///
/// The values of known parameters are validated: a number that cannot be parsed, or a value outside the accepted set, is an
/// error, and the configuration stays as it was. Names that the library does not know are stored for the application's own use;
/// if the name resembles a known parameter, a warning with the closest name is logged. Values of parameters that are parsed
/// later, such as `sm.read_range_oob`, are validated by the function that uses them.
///
/// See also `tiledb_config_unset`, `tiledb_config_load_from_file`; the parameters are listed in the configuration reference.
///
/// @param config The configuration.
/// @param param The name of the parameter.
/// @param value The value as text, for example `"10"`, `"true"`; it is copied.
/// @param error Receives the error, to be freed with `tiledb_error_free`, or null on success.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_set(
    config: In<tiledb_config_t>,
    param: Str,
    value: Str,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    call_err(error, || {
        let config = config.get()?;
        let (param, value) = (param.get("param")?, value.get("value")?);
        config.change(|config| config.set(param, value))?;
        if log::enabled(Level::Warn)
            && let Some(closest) = closest_parameter(param)
        {
            warn_of_unknown(param, closest);
        }
        Ok(())
    })
}

/// Removes the value that was set for a parameter, so that the environment variable, the profile or the default applies again.
///
/// Unsetting a parameter that was not set does nothing.
///
/// @param config The configuration.
/// @param param The name of the parameter.
/// @param error Receives the error, to be freed with `tiledb_error_free`, or null on success.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_config_unset(
    config: In<tiledb_config_t>,
    param: Str,
    error: OutHandle<tiledb_error_t>,
) -> capi_return_t {
    call_err(error, || {
        let config = config.get()?;
        let param = param.get("param")?;
        config.change(|config| {
            config.unset(param);
            Ok(())
        })
    })
}

/// The object of a configuration handle.
pub struct ConfigObject(Mutex<State>);

struct State {
    config: Config,
    /// The values whose addresses were returned to C.
    lent: BTreeMap<String, Name>,
}

impl ConfigObject {
    /// The content of a new configuration handle.
    pub(crate) fn new(config: Config) -> ConfigObject {
        ConfigObject(Mutex::new(State { config, lent: BTreeMap::new() }))
    }

    /// A snapshot of the configuration.
    pub(crate) fn snapshot(&self) -> Config {
        self.state().config.clone()
    }

    fn change(&self, change: impl FnOnce(&mut Config) -> Result<()>) -> Result<()> {
        change(&mut self.state().config)
    }

    /// The value of a parameter, kept alive in the handle until it is requested again and has changed.
    fn lend(&self, param: &str) -> Result<Option<Name>> {
        let State { config, lent } = &mut *self.state();
        let Some(value) = config.try_get(param)? else { return Ok(None) };
        match lent.get(param) {
            Some(name) if **name == *value => Ok(Some(name.clone())),
            _ => {
                let name = Name::new(&value);
                lent.insert(param.to_owned(), name.clone());
                Ok(Some(name))
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What an iterator handle holds.
pub struct ConfigIter(Mutex<Walk>);

impl ConfigIter {
    fn walk(&self) -> MutexGuard<'_, Walk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A list of parameters, and a position in it.
struct Walk {
    entries: Vec<(Name, Name)>,
    at: usize,
}

impl Walk {
    fn new(config: In<tiledb_config_t>, prefix: Str) -> Result<Walk> {
        let config = config.get()?.snapshot();
        config.check_profile()?;
        let entries = config.entries(prefix.opt()?.unwrap_or_default());
        let entries = entries.iter().map(|(name, value)| (Name::new(name), Name::new(value))).collect();
        Ok(Walk { entries, at: 0 })
    }

    fn here(&self) -> Option<&(Name, Name)> {
        self.entries.get(self.at)
    }

    fn advance(&mut self) {
        self.at = self.at.saturating_add(1).min(self.entries.len());
    }
}
