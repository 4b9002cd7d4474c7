//! The configuration: named parameters with text values.
//!
//! Order of precedence of a value: set explicitly (directly or by a file), environment, profile, built-in default.
//! Only explicitly set values are stored, so a configuration is cheap to create and to copy.

mod context_check;
mod environment;
mod file;
mod operation;
mod params;
mod parse;
mod profile;
mod secrets;
mod settings;
mod settings_cache;
mod suggestions;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::error::{Error, Result, bail};
use crate::types::FormatVersion;
use environment::variable;

pub use profile::Profile;
pub use secrets::is_secret as is_secret_parameter;
pub use settings::Settings;
pub use suggestions::{closest_parameter, is_parameter, similar_parameter};

/// A set of parameters. Copies share their contents until one of them is changed.
#[derive(Clone, Default)]
pub struct Config(Arc<Inner>, Scan);

/// Whether the environment has parameters, if that is known; copies do not know it.
#[derive(Default)]
struct Scan(Option<bool>);

impl Clone for Scan {
    fn clone(&self) -> Scan {
        Scan(None)
    }
}

/// Source of a parameter's value, in order of precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ValueSource {
    /// The program, directly or by a file.
    Program,
    Environment,
    Profile,
    /// Built-in default; none for most.
    Default,
}

#[derive(Clone, Default)]
struct Inner {
    set: BTreeMap<Box<str>, Box<str>>,
    /// The profile's parameters, loaded on first use; `None` if an explicitly configured profile cannot be loaded.
    profile: OnceLock<Option<BTreeMap<String, String>>>,
    parsed: settings_cache::SettingsCache,
}

impl Config {
    /// A configuration in which nothing is set.
    pub fn new() -> Config {
        Config::default()
    }

    /// The same configuration for a call that looks up many parameters: the environment is scanned once. It must not
    /// outlive the call, since the environment may change; a copy of it may.
    pub fn for_one_call(&self) -> Config {
        Config(Arc::clone(&self.0), Scan(Some(environment::has_any(self.prefix()))))
    }

    /// Sets a parameter. Unknown names are stored for the client.
    ///
    /// # Errors
    /// For an invalid value of a parameter that is validated when it is set.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        if let Some(parameter) = params::find(name) {
            parse::check(&parameter.check, value).map_err(|error| parse::of_parameter(&error, parameter, value))?;
        }
        self.store(name, value);
        Ok(())
    }

    /// Removes the value of a parameter, so that the fallback applies again.
    pub fn unset(&mut self, name: &str) {
        if self.is_set(name) {
            self.change(name).remove(name);
        }
    }

    /// Adds the explicitly set values of `other`, which take precedence.
    pub fn inherit(&mut self, other: &Config) {
        for (name, value) in &other.0.set {
            self.store(name, value);
        }
    }

    /// The effective value of a parameter; none for an unknown name that was not set.
    pub fn get(&self, name: &str) -> Option<String> {
        self.value(name).map(Cow::into_owned)
    }

    /// As [`Config::get`], but fails if an explicitly configured profile cannot be loaded.
    ///
    /// # Errors
    /// If neither `set` nor the environment provides a value and the profile cannot be loaded.
    pub fn try_get(&self, name: &str) -> Result<Option<String>> {
        if self.explicit_value(name).is_none() {
            self.check_profile()?;
        }
        Ok(self.get(name))
    }

    /// Checks that the profile can be loaded, if one is configured explicitly.
    ///
    /// # Errors
    /// If it cannot.
    pub fn check_profile(&self) -> Result<()> {
        if self.profile().is_none() {
            bail!("Config: Failed to load the REST profile. Please check the profile name and directory parameters.");
        }
        Ok(())
    }

    /// The effective value of a parameter; empty if it has none.
    pub fn str(&self, name: &str) -> String {
        self.get(name).unwrap_or_default()
    }

    /// The value as an unsigned number of 64 bits.
    ///
    /// # Errors
    /// If the parameter has no value, or its value is not such a number.
    pub fn u64(&self, name: &str) -> Result<u64> {
        self.parsed(name, parse::parse_u64, parse::U64)
    }

    /// The value as an unsigned number of 32 bits.
    ///
    /// # Errors
    /// If the parameter has no value, or its value is not such a number.
    pub fn u32(&self, name: &str) -> Result<u32> {
        self.parsed(name, parse::parse_u32, parse::U32)
    }

    /// The value as a number of single precision.
    ///
    /// # Errors
    /// If the parameter has no value, or its value is not such a number.
    pub fn f32(&self, name: &str) -> Result<f32> {
        self.parsed(name, parse::parse_f32, parse::REAL)
    }

    /// The value as a number of double precision.
    ///
    /// # Errors
    /// If the parameter has no value, or its value is not such a number.
    pub fn f64(&self, name: &str) -> Result<f64> {
        self.parsed(name, parse::parse_f64, parse::REAL)
    }

    /// The value as a truth value.
    ///
    /// # Errors
    /// For a parameter without value and a value other than `true` and `false`.
    pub fn bool(&self, name: &str) -> Result<bool> {
        self.parsed(name, parse::parse_bool, parse::BOOL)
    }

    /// The format version of new arrays, fragments and groups that the configuration requests (`sm.write_format_version`);
    /// `None` for the current one.
    ///
    /// # Errors
    /// For a version that cannot be written.
    pub fn write_format_version(&self) -> Result<Option<FormatVersion>> {
        const NAME: &str = "sm.write_format_version";
        if self.source(NAME) == ValueSource::Default {
            return Ok(None);
        }
        let version = FormatVersion::writable(self.u32(NAME)?);
        version.map(Some).map_err(|error| Error::invalid(format!("{}: parameter '{NAME}'", error.text())))
    }

    /// The effective values of the parameters whose names begin with `prefix`, sorted by name; the
    /// prefix is cut off the names.
    pub fn entries(&self, prefix: &str) -> Vec<(String, String)> {
        let named = self.names().into_iter().filter_map(|name| Some((name, name.strip_prefix(prefix)?)));
        named.map(|(name, rest)| (rest.to_owned(), self.str(name))).collect()
    }

    /// Whether a parameter was set, so that neither environment nor default count.
    #[inline]
    pub fn is_set(&self, name: &str) -> bool {
        self.0.set.contains_key(name)
    }

    /// The source of a parameter's value.
    pub fn source(&self, name: &str) -> ValueSource {
        if self.is_set(name) {
            ValueSource::Program
        } else if self.in_environment(name).is_some() {
            ValueSource::Environment
        } else if self.in_profile(name).is_some() {
            ValueSource::Profile
        } else {
            ValueSource::Default
        }
    }

    fn store(&mut self, name: &str, value: &str) {
        self.change(name).insert(name.into(), value.into());
    }

    /// The explicitly set values, for modification of `name`; invalidates dependent caches.
    fn change(&mut self, name: &str) -> &mut BTreeMap<Box<str>, Box<str>> {
        self.1 = Scan(None);
        let inner = Arc::make_mut(&mut self.0);
        inner.parsed = settings_cache::SettingsCache::default();
        if chooses_profile(name) {
            inner.profile = OnceLock::new();
        }
        &mut inner.set
    }

    /// The value as `parse` reads it; errors append `accepted`.
    fn parsed<T>(&self, name: &str, parse: fn(&str) -> Result<T>, accepted: &str) -> Result<T> {
        let value =
            self.value(name).ok_or_else(|| Error::invalid(format!("Config: Parameter '{name}' has no value")))?;
        parse(&value).map_err(|reason| {
            let text =
                format!("Config: Failed to parse config value '{value}' for key '{name}'. Reason: {reason}{accepted}");
            Error::new(reason.kind(), text)
        })
    }

    /// The effective value.
    fn value(&self, name: &str) -> Option<Cow<'_, str>> {
        self.explicit_value(name).or_else(|| self.in_profile(name)).or_else(|| default_of(name).map(Cow::Borrowed))
    }

    /// The value that was set, or else that of the environment.
    fn explicit_value(&self, name: &str) -> Option<Cow<'_, str>> {
        if let Some(value) = self.0.set.get(name) {
            return Some(Cow::Borrowed(value));
        }
        if name == "vfs.s3.region" && (variable("AWS_REGION").is_some() || variable("AWS_DEFAULT_REGION").is_some()) {
            return Some(Cow::Borrowed("")); // the S3 client takes the region from there itself
        }
        self.in_environment(name).map(Cow::Owned)
    }

    fn in_profile(&self, name: &str) -> Option<Cow<'_, str>> {
        if chooses_profile(name) {
            return None;
        }
        Some(Cow::Borrowed(self.profile()?.get(name)?))
    }

    /// The profile's parameters: empty if there is no default profile, `None` if the requested profile
    /// cannot be loaded.
    fn profile(&self) -> Option<&BTreeMap<String, String>> {
        let load = || {
            let explicit = |name| self.explicit_value(name).filter(|value| !value.is_empty());
            let (name, directory) = (explicit("profile_name"), explicit("profile_dir"));
            let load = |mut profile: Profile| profile.load().map(|()| profile.into_parameters());
            match Profile::new(name.as_deref(), directory.as_deref()).and_then(load) {
                Ok(parameters) => Some(parameters),
                Err(_) if name.is_none() && directory.is_none() => Some(BTreeMap::new()),
                Err(_) => None,
            }
        };
        self.0.profile.get_or_init(load).as_ref()
    }

    /// The stored value: set, else built in.
    fn stored(&self, name: &str) -> Option<&str> {
        self.0.set.get(name).map(|value| &**value).or_else(|| default_of(name))
    }

    /// Prefix of environment variables.
    fn prefix(&self) -> &str {
        self.0.set.get("config.env_var_prefix").map_or(params::ENVIRONMENT_PREFIX, |prefix| prefix)
    }

    /// The variable `<prefix><NAME>`, where dots become underscores.
    fn in_environment(&self, name: &str) -> Option<String> {
        let prefix = self.prefix();
        if !self.1.0.unwrap_or_else(|| environment::has_any(prefix)) {
            return None;
        }
        // Assembled from whole parts, for speed: every query looks up parameters.
        let mut key = String::with_capacity(prefix.len() + name.len());
        key.push_str(prefix);
        for (number, part) in name.split('.').enumerate() {
            key.push_str(if number == 0 { "" } else { "_" });
            key.push_str(part);
        }
        key[prefix.len()..].make_ascii_uppercase();
        variable(&key)
    }
}

/// Equal where every parameter has the same stored value; a default that was set explicitly is no
/// difference.
impl PartialEq for Config {
    fn eq(&self, other: &Config) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || self.0.set.keys().chain(other.0.set.keys()).all(|name| self.stored(name) == other.stored(name))
    }
}

impl Eq for Config {}

/// Prints only the names of set parameters, since values may be secret.
impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.set.keys()).finish()
    }
}

/// Whether the profile depends on this parameter, which therefore cannot come from it.
fn chooses_profile(name: &str) -> bool {
    matches!(name, "profile_name" | "profile_dir" | "config.env_var_prefix")
}

fn default_of(name: &str) -> Option<&'static str> {
    match params::find(name)?.default {
        params::DefaultValue::Text(text) => Some(text),
        params::DefaultValue::Threads => Some(hardware_threads_text()),
        params::DefaultValue::Unset => None,
    }
}

/// The number of hardware threads, queried once: the query costs more than creating a context.
pub fn hardware_threads() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

fn hardware_threads_text() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| hardware_threads().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_wins_and_unset_returns_to_the_default() {
        let mut config = Config::new();
        assert_eq!(config.get("sm.dedup_coords").as_deref(), Some("false"));
        config.set("sm.dedup_coords", "TRUE").unwrap();
        let copy = config.clone();
        config.unset("sm.dedup_coords");
        assert!(!config.bool("sm.dedup_coords").unwrap());
        assert!(copy.bool("sm.dedup_coords").unwrap());
        assert!(config == Config::new() && config != copy);
        assert_eq!(config.get("no.such"), None);
    }

    #[test]
    fn a_default_set_explicitly_is_no_difference() {
        let mut config = Config::new();
        config.set("sm.dedup_coords", "false").unwrap();
        assert!(config == Config::new());
        config.set("mine", "").unwrap();
        assert!(config != Config::new());
    }

    #[test]
    fn a_refused_value_changes_nothing() {
        let mut config = Config::new();
        let text = config.set("rest.server_serialization_format", "xml").unwrap_err().text().to_owned();
        assert_eq!(
            text,
            "Error: Invalid SerializationType xml: parameter 'rest.server_serialization_format' cannot be 'xml'; use one of \
             'CAPNP', 'JSON'"
        );
        assert_eq!(config.str("rest.server_serialization_format"), "CAPNP");
        config.set("vfs.azure.is_data_lake_endpoint", "").unwrap();
        config.set("vfs.azure.is_data_lake_endpoint", "x").unwrap_err();
    }

    #[test]
    fn a_value_that_cannot_be_read_is_named() {
        let mut config = Config::new();
        config.set("sm.mem.total_budget", "abc").unwrap();
        assert_eq!(
            config.u64("sm.mem.total_budget").unwrap_err().text(),
            "Config: Failed to parse config value 'abc' for key 'sm.mem.total_budget'. Reason: \
             [TileDB::Utils] Error: Failed to convert string 'abc' to uint64_t; Invalid argument; use decimal digits, at \
             most 18446744073709551615"
        );
    }

    #[test]
    fn entries_are_sorted_and_cut() {
        let mut config = Config::new();
        assert_eq!(config.entries("").len(), 154);
        config.set("sm.mem.mine", "1").unwrap();
        config.set("rest.token", "t").unwrap();
        let names: Vec<String> = config.entries("sm.mem.m").into_iter().map(|entry| entry.0).collect();
        assert_eq!(names, ["alloc_trim", "ine"]);
        let all = config.entries("");
        assert_eq!(all.len(), 156);
        assert!(all.is_sorted());
        assert!(config.entries("nope").is_empty());
    }

    #[test]
    fn every_default_passes_its_own_check() {
        for (name, value) in Config::new().entries("") {
            Config::new().set(&name, &value).unwrap();
        }
    }

    #[test]
    fn a_profile_gives_what_was_not_set() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().to_str().unwrap();
        let mut profile = Profile::new(Some("p"), Some(path)).unwrap();
        profile.set("rest.server_address", "http://p").unwrap();
        profile.set("mine", "1").unwrap();
        profile.save(false).unwrap();

        let mut config = Config::new();
        config.set("profile_name", "p").unwrap();
        config.set("profile_dir", path).unwrap();
        assert_eq!(config.get("mine").as_deref(), Some("1"));
        assert_eq!(config.str("rest.server_address"), "http://p");
        config.set("rest.server_address", "http://q").unwrap();
        assert_eq!(config.str("rest.server_address"), "http://q");

        config.set("profile_name", "none").unwrap();
        assert_eq!(config.get("mine"), None);
        assert!(config.try_get("mine").unwrap_err().text().starts_with("Config: Failed to load the REST profile."));
        assert!(config.try_get("rest.server_address").unwrap().is_some());
    }

    #[test]
    fn odd_names_have_no_environment() {
        let mut config = Config::new();
        for name in ["", "a=b", "a\0b"] {
            config.set("config.env_var_prefix", "").unwrap();
            assert_eq!(config.get(name), None);
        }
    }
}
