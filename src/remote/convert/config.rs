//! Configurations.

use super::Form;
use super::form::{Reading, at, doing, needed};
use crate::config::Config;
use crate::error::Result;
use crate::remote::describe;
use crate::remote::message::{Builder, View};

/// Writes every parameter that has a value.
///
/// # Errors
/// If there is no memory for it.
pub fn write(form: Form, config: &Config) -> Result<Vec<u8>> {
    form.write(|out| fill(out, &config.entries(""))).map_err(doing("serializing config"))
}

/// Reads parameters and sets each of them.
///
/// # Errors
/// If the bytes are no configuration, or a value is none of its parameter.
pub fn read(reading: Reading, bytes: &[u8]) -> Result<Config> {
    reading.read(bytes, of).map_err(doing("deserializing config"))
}

/// Puts parameters into a message.
///
/// # Errors
/// If there is no memory for it.
pub fn fill(out: &mut Builder<'_, describe::Config>, entries: &[(String, String)]) -> Result<()> {
    let mut list = out.list(describe::Config::ENTRIES, entries.len())?;
    for (index, (key, value)) in entries.iter().enumerate() {
        let mut entry = list.get(index)?;
        entry.set_text(describe::KV::KEY, key)?;
        entry.set_text(describe::KV::VALUE, value)?;
    }
    Ok(())
}

/// The configuration of a message.
///
/// # Errors
/// If a value is none of its parameter.
pub fn of(view: View<'_, describe::Config>) -> Result<Config> {
    let mut config = Config::new();
    for entry in view.items(describe::Config::ENTRIES)?.iter() {
        let key = needed("KV.key", entry.text(describe::KV::KEY)?)?;
        let value = entry.text(describe::KV::VALUE)?.unwrap_or_default();
        config.set(key, value).map_err(at("KV.value"))?;
    }
    Ok(config)
}

/// What of a configuration goes to a server: what it can use. Secrets of stores and of the connection stay here, and so do keys: a
/// server has its own.
pub fn for_server(config: &Config) -> Vec<(String, String)> {
    let mut entries = config.entries("");
    let is_key = |name: &str, value: &str| name == "sm.encryption_key" && !value.is_empty();
    let is_told = |name: &str| name.starts_with("sm.") || name.starts_with("rest.load_");
    entries.retain(|(name, value)| is_told(name) && !is_key(name, value));
    entries
}
