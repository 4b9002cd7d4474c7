//! The configuration: named parameters with text values.
//!
//! A value comes from, in this order: what was set (directly or by a file), the environment, the
//! built-in default. Only what was set is stored, so a configuration is cheap to make and to copy.

mod file;
mod params;
mod parse;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::error::{Error, Result};

/// A set of parameters. Copies share their contents until one of them is changed.
#[derive(Clone, Default)]
pub struct Config {
    set: Arc<BTreeMap<Box<str>, Box<str>>>,
}

impl Config {
    /// A configuration in which nothing is set.
    pub fn new() -> Config {
        Config::default()
    }

    /// Sets a parameter. A name the library does not know is stored for the client.
    ///
    /// # Errors
    /// For a value that a known parameter cannot have, as far as that is checked so early.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        if let Some(parameter) = params::find(name) {
            parse::check(&parameter.check, value)?;
        }
        self.store(name, value);
        Ok(())
    }

    /// Forgets what was set for a parameter, so that its fallback holds again.
    pub fn unset(&mut self, name: &str) {
        if self.set.contains_key(name) {
            Arc::make_mut(&mut self.set).remove(name);
        }
    }

    /// The effective value of a parameter; none for an unknown name that was not set.
    pub fn get(&self, name: &str) -> Option<String> {
        self.value(name).map(Cow::into_owned)
    }

    /// The effective value of a parameter, empty where there is none.
    pub fn str(&self, name: &str) -> String {
        self.get(name).unwrap_or_default()
    }

    /// The value as an unsigned number of 64 bits.
    ///
    /// # Errors
    /// For a parameter without value and a value that is no such number.
    pub fn u64(&self, name: &str) -> Result<u64> {
        self.parsed(name, parse::parse_u64)
    }

    /// The value as an unsigned number of 32 bits.
    ///
    /// # Errors
    /// For a parameter without value and a value that is no such number.
    pub fn u32(&self, name: &str) -> Result<u32> {
        self.parsed(name, parse::parse_u32)
    }

    /// The value as a signed number of 64 bits.
    ///
    /// # Errors
    /// For a parameter without value and a value that is no such number.
    pub fn i64(&self, name: &str) -> Result<i64> {
        self.parsed(name, parse::parse_i64)
    }

    /// The value as a number of single precision.
    ///
    /// # Errors
    /// For a parameter without value and a value that is no such number.
    pub fn f32(&self, name: &str) -> Result<f32> {
        self.parsed(name, parse::parse_f32)
    }

    /// The value as a number of double precision.
    ///
    /// # Errors
    /// For a parameter without value and a value that is no such number.
    pub fn f64(&self, name: &str) -> Result<f64> {
        self.parsed(name, parse::parse_f64)
    }

    /// The value as a truth value.
    ///
    /// # Errors
    /// For a parameter without value and a value other than `true` and `false`.
    pub fn bool(&self, name: &str) -> Result<bool> {
        self.parsed(name, parse::parse_bool)
    }

    /// The effective values of the parameters whose names begin with `prefix`, sorted by name; the
    /// prefix is cut off the names.
    pub fn entries(&self, prefix: &str) -> Vec<(String, String)> {
        let named = self.names().into_iter().filter_map(|name| Some((name, name.strip_prefix(prefix)?)));
        named.map(|(name, rest)| (rest.to_owned(), self.str(name))).collect()
    }

    /// Whether a parameter was set, so that neither environment nor default count.
    pub fn is_set(&self, name: &str) -> bool {
        self.set.contains_key(name)
    }

    fn store(&mut self, name: &str, value: &str) {
        Arc::make_mut(&mut self.set).insert(name.into(), value.into());
    }

    fn parsed<T>(&self, name: &str, parse: impl Fn(&str) -> Result<T>) -> Result<T> {
        let value =
            self.value(name).ok_or_else(|| Error::invalid(format!("Config: Parameter '{name}' has no value")))?;
        parse(&value).map_err(|reason| {
            let text = format!("Config: Failed to parse config value '{value}' for key '{name}'. Reason: {reason}");
            Error::new(reason.kind(), text)
        })
    }

    /// The effective value: set, else from the environment, else built in.
    fn value(&self, name: &str) -> Option<Cow<'_, str>> {
        if let Some(value) = self.set.get(name) {
            return Some(Cow::Borrowed(value));
        }
        if name == "vfs.s3.region" && (variable("AWS_REGION").is_some() || variable("AWS_DEFAULT_REGION").is_some()) {
            return Some(Cow::Borrowed("")); // the S3 client takes the region from there itself
        }
        self.from_environment(name).map(Cow::Owned).or_else(|| default_of(name).map(Cow::Borrowed))
    }

    /// The stored value: set, else built in.
    fn stored(&self, name: &str) -> Option<&str> {
        self.set.get(name).map(|value| &**value).or_else(|| default_of(name))
    }

    /// The variable `<prefix><NAME>`, where dots become underscores.
    fn from_environment(&self, name: &str) -> Option<String> {
        let mut key = self.stored("config.env_var_prefix").unwrap_or_default().to_owned();
        key.extend(name.chars().map(|c| if c == '.' { '_' } else { c.to_ascii_uppercase() }));
        variable(&key)
    }
}

/// Equal where every parameter has the same stored value; a default that was set explicitly is no
/// difference.
impl PartialEq for Config {
    fn eq(&self, other: &Config) -> bool {
        Arc::ptr_eq(&self.set, &other.set)
            || self.set.keys().chain(other.set.keys()).all(|name| self.stored(name) == other.stored(name))
    }
}

impl Eq for Config {}

/// Names what was set; values may be secret.
impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.set.keys()).finish()
    }
}

fn default_of(name: &str) -> Option<&'static str> {
    match params::find(name)?.default {
        params::Default::Text(text) => Some(text),
        params::Default::Threads => Some(hardware_threads()),
        params::Default::Unset => None,
    }
}

/// The number of hardware threads, as text.
fn hardware_threads() -> &'static str {
    static THREADS: OnceLock<String> = OnceLock::new();
    THREADS.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from).to_string())
}

/// An environment variable; `var_os` panics on names that no environment can hold.
fn variable(key: &str) -> Option<String> {
    if key.is_empty() || key.contains(['=', '\0']) {
        return None;
    }
    std::env::var_os(key).map(|value| value.to_string_lossy().into_owned())
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
        assert_eq!(text, "Error: Invalid SerializationType xml");
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
             [TileDB::Utils] Error: Failed to convert string 'abc' to uint64_t; Invalid argument"
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
    fn odd_names_have_no_environment() {
        let mut config = Config::new();
        for name in ["", "a=b", "a\0b"] {
            config.set("config.env_var_prefix", "").unwrap();
            assert_eq!(config.get(name), None);
        }
    }
}
