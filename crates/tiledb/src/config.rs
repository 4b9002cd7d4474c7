//! Configurations.

use std::fmt;
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
use tiledb_core::config as engine;
use tiledb_core::types::text_of_path;

/// A configuration: parameters by name, such as the memory budget, the number of threads or the credentials of an object store.
///
/// Parameters that are not set come from the environment (`TILEDB_SM_MEM_TOTAL_BUDGET`), from the profile, or from their defaults.
/// The names are those of the C interface, which `docs/configuration.md` of the project lists with types and defaults.
///
/// ```
/// use tiledb::{Config, Context};
///
/// let config = Config::builder().set("sm.mem.total_budget", 1 << 30).set("sm.compute_concurrency_level", 4).build()?;
/// assert_eq!(config.get("sm.mem.total_budget").as_deref(), Some("1073741824"));
/// let ctx = Context::with_config(config)?;
/// # Ok::<(), tiledb::Error>(())
/// ```
///
/// A misspelled name is an error that names the closest parameter:
///
/// ```
/// # use tiledb::Config;
/// let error = Config::builder().set("vfs.s3.regoin", "eu-west-1").build().unwrap_err();
/// assert!(error.to_string().contains("vfs.s3.region"));
/// ```
#[derive(Clone, Default)]
pub struct Config(pub(crate) engine::Config);

/// Bytes of a key of AES-256-GCM.
const KEY_BYTES: usize = 32;

/// Collects the parameters of a [`Config`].
#[must_use = "a builder does nothing before `build`"]
pub struct ConfigBuilder {
    config: engine::Config,
    error: Option<Error>,
}

impl Config {
    /// A configuration in which nothing is set.
    pub fn new() -> Config {
        Config::default()
    }

    /// Begins a configuration.
    pub fn builder() -> ConfigBuilder {
        ConfigBuilder { config: engine::Config::new(), error: None }
    }

    /// Loads the parameters of a file with lines such as `sm.mem.total_budget 1073741824`.
    ///
    /// # Errors
    /// If the file cannot be read, or has an invalid line or value.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Config> {
        let mut config = engine::Config::new();
        config.load_from_file(&text_of_path(path.as_ref().as_os_str().as_encoded_bytes()))?;
        Ok(Config(config))
    }

    /// Writes the parameters that were set or have a default to a file; secrets are left out.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        Ok(self.0.save_to_file(&text_of_path(path.as_ref().as_os_str().as_encoded_bytes()))?)
    }

    /// The value of a parameter: as it was set, or from the environment, the profile or its default.
    pub fn get(&self, name: &str) -> Option<String> {
        self.0.get(name)
    }

    /// The parameters whose names start with `prefix`, with the rest of their names and their values.
    pub fn iter(&self, prefix: &str) -> impl Iterator<Item = (String, String)> + use<> {
        self.0.entries(prefix).into_iter()
    }

    /// Whether a name is that of a parameter, or of a header that requests carry (`rest.custom_headers.NAME`).
    ///
    /// ```
    /// use tiledb::Config;
    ///
    /// assert!(Config::is_parameter("sm.mem.total_budget") && !Config::is_parameter("sm.mem.budget"));
    /// ```
    pub fn is_parameter(name: &str) -> bool {
        engine::is_parameter(name)
    }

    /// Whether the value of a parameter is a credential, which is not to be shown.
    ///
    /// ```
    /// use tiledb::Config;
    ///
    /// assert!(Config::is_secret("rest.token") && !Config::is_secret("vfs.s3.aws_role_arn"));
    /// ```
    pub fn is_secret(name: &str) -> bool {
        engine::is_secret_parameter(name)
    }

    /// The parameter that was probably meant by a misspelled name.
    ///
    /// ```
    /// use tiledb::Config;
    ///
    /// assert_eq!(Config::similar_parameter("vfs.s3.regoin"), Some("vfs.s3.region"));
    /// assert_eq!(Config::similar_parameter("something else"), None);
    /// ```
    pub fn similar_parameter(name: &str) -> Option<&'static str> {
        engine::similar_parameter(name)
    }

    /// Begins a configuration that has the parameters of this one.
    pub fn to_builder(&self) -> ConfigBuilder {
        ConfigBuilder { config: self.0.clone(), error: None }
    }
}

/// Shows no values: there may be credentials among them.
impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config").finish_non_exhaustive()
    }
}

impl PartialEq for Config {
    fn eq(&self, other: &Config) -> bool {
        self.0 == other.0
    }
}

impl ConfigBuilder {
    /// Sets a parameter. The value is a number, a Boolean or a text.
    pub fn set(mut self, name: &str, value: impl ToString) -> ConfigBuilder {
        if self.error.is_none() {
            self.error = self.try_set(name, &value.to_string()).err();
        }
        self
    }

    /// Sets the parameters of a file with lines such as `sm.mem.total_budget 1073741824`.
    pub fn file(mut self, path: impl AsRef<Path>) -> ConfigBuilder {
        if self.error.is_none() {
            let path = text_of_path(path.as_ref().as_os_str().as_encoded_bytes());
            self.error = self.config.load_from_file(&path).err().map(Error::from);
        }
        self
    }

    fn try_set(&mut self, name: &str, value: &str) -> Result<()> {
        if let Some(closest) = engine::closest_parameter(name) {
            return Err(Error::invalid(format!(
                "Config: There is no parameter '{name}'; the closest one is '{closest}'"
            )));
        }
        Ok(self.config.set(name, value)?)
    }

    /// Sets the key with which arrays are encrypted (AES-256-GCM): 32 bytes.
    pub fn encryption_key(mut self, key: &str) -> ConfigBuilder {
        if key.len() != KEY_BYTES {
            let message = format!("Config: an encryption key has {KEY_BYTES} bytes, not {}", key.len());
            self.error.get_or_insert_with(|| Error::new(ErrorKind::EncryptionKey, message));
        }
        self.set("sm.encryption_type", "AES_256_GCM").set("sm.encryption_key", key)
    }

    /// Sets the memory budget in bytes (`sm.mem.total_budget`).
    pub fn memory_budget(self, bytes: u64) -> ConfigBuilder {
        self.set("sm.mem.total_budget", bytes)
    }

    /// Sets the number of threads that compute (`sm.compute_concurrency_level`).
    pub fn threads(self, threads: u32) -> ConfigBuilder {
        self.set("sm.compute_concurrency_level", threads)
    }

    /// The configuration.
    ///
    /// # Errors
    /// For a name that is not a parameter, and for an invalid value.
    pub fn build(self) -> Result<Config> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(Config(self.config)),
        }
    }
}
