//! Serialization of configurations.

use super::SerializationType;
use super::format::{Deserializer, in_field, required, while_doing};
use crate::encoding::{Builder, View};
use crate::messages;
use tiledb_core::config::Config;
use tiledb_core::error::Result;

const KEY: &str = "sm.encryption_key";

/// Writes every parameter that has a value.
///
/// # Errors
/// If memory does not suffice.
pub fn write(form: SerializationType, config: &Config) -> Result<Vec<u8>> {
    form.write(|out| fill(out, &config.entries(""))).map_err(while_doing("serializing config"))
}

/// Reads parameters and sets each of them.
///
/// # Errors
/// If the bytes are no configuration, or a value is none of its parameter.
pub fn read(reading: Deserializer, bytes: &[u8]) -> Result<Config> {
    reading.read(bytes, of).map_err(while_doing("deserializing config"))
}

/// Puts parameters into a message.
///
/// # Errors
/// If memory does not suffice.
pub(crate) fn fill(out: &mut Builder<'_, messages::Config>, entries: &[(String, String)]) -> Result<()> {
    let mut list = out.list(messages::Config::ENTRIES, entries.len())?;
    for (index, (key, value)) in entries.iter().enumerate() {
        let mut entry = list.get(index)?;
        entry.set_text(messages::KV::KEY, key)?;
        entry.set_text(messages::KV::VALUE, value)?;
    }
    Ok(())
}

/// The configuration of a message.
///
/// # Errors
/// If a value is none of its parameter.
pub(crate) fn of(view: View<'_, messages::Config>) -> Result<Config> {
    let mut config = Config::new();
    for entry in view.items(messages::Config::ENTRIES)?.iter() {
        let key = required("KV.key", entry.text(messages::KV::KEY)?)?;
        let value = entry.text(messages::KV::VALUE)?.unwrap_or_default();
        config.set(key, value).map_err(in_field("KV.value"))?;
    }
    Ok(config)
}

/// The parameters of a configuration that are sent to a server, in requests and in messages of C functions: those that
/// it uses, as in libtiledb. A server takes a client that does not name its readers for an older version. Credentials
/// of stores and settings of the connection are not sent, nor are encryption keys: a server has its own.
pub fn for_server(config: &Config) -> Vec<(String, String)> {
    let mut entries = config.entries("");
    let is_key = |name: &str, value: &str| name == KEY && !value.is_empty();
    let is_sent = |name: &str| name.starts_with("sm.") || name.starts_with("rest.load_");
    entries.retain(|(name, value)| is_sent(name) && !is_key(name, value));
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_sent() {
        let mut config = Config::new();
        for (name, _) in Config::new().entries("") {
            let value = match config.get(&name).as_deref() {
                Some("true" | "false") => "true".to_owned(),
                Some(text) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => "7".to_owned(),
                Some("") | None => format!("set-{name}"),
                Some(other) => other.to_owned(),
            };
            let _ = config.set(&name, &value);
        }
        for name in [
            "rest.token",
            "rest.password",
            "rest.username",
            "rest.custom_headers.x",
            "vfs.s3.custom_headers.y",
            "my.own",
        ] {
            config.set(name, "secret").unwrap();
        }
        config.set(KEY, "secret").unwrap();
        config.set("sm.encryption_type", "AES_256_GCM").unwrap();
        let sent = for_server(&config);
        assert!(sent.len() > 20);
        for (name, value) in &sent {
            assert!(name.starts_with("sm.") || name.starts_with("rest.load_"), "{name}");
            assert_ne!(value, "secret", "{name}");
        }
    }
}
