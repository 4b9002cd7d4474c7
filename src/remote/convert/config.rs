//! Configurations.

use super::Form;
use super::form::{Reading, at, doing, needed};
use crate::config::Config;
use crate::error::Result;
use crate::remote::describe;
use crate::remote::message::{Builder, View};

/// What of a server's opening of arrays the client decides.
const LOADS: [&str; 4] = [
    "rest.load_enumerations_on_array_open",
    "rest.load_enumerations_on_array_open_all_schemas",
    "rest.load_metadata_on_array_open",
    "rest.load_non_empty_domain_on_array_open",
];
/// The readers of queries. A server takes a client that tells none of them for one of before these readers were.
const READERS: [&str; 3] =
    ["sm.query.dense.reader", "sm.query.sparse_global_order.reader", "sm.query.sparse_unordered_with_dups.reader"];
const KEY: &str = "sm.encryption_key";
const KEY_TYPE: &str = "sm.encryption_type";

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

/// The parameters that a server can use and that are not as they are by themselves, and which readers to take; never a secret of the user or a store. Nor
/// is a key of encrypted arrays: those of a server are encrypted by keys that it has itself, or not at all.
pub fn for_server(config: &Config) -> Vec<(String, String)> {
    let loads = LOADS.iter().filter_map(|name| Some(((*name).to_owned(), config.get(name)?)));
    let stores = config.entries("sm.").into_iter().map(|(rest, value)| (format!("sm.{rest}"), value));
    let is_told = |name: &str| match name {
        KEY | KEY_TYPE => false,
        // How many threads a client has is no matter of the server's.
        "sm.compute_concurrency_level" | "sm.io_concurrency_level" => config.is_set(name),
        _ => true,
    };
    stores
        .chain(loads)
        .filter(|(name, value)| {
            is_told(name) && (READERS.contains(&name.as_str()) || Config::built_in(name) != Some(value.as_str()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_is_told() {
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
        config.set(KEY_TYPE, "AES_256_GCM").unwrap();
        let told = for_server(&config);
        assert!(told.len() > 20);
        for (name, value) in &told {
            assert!(name.starts_with("sm.") || name.starts_with("rest.load_"), "{name}");
            assert_ne!(value, "secret", "{name}");
        }
    }

    #[test]
    fn what_is_as_by_itself_is_not_told() {
        let mut config = Config::new();
        config.set("config.env_var_prefix", "no variable begins like this").unwrap();
        let others = |config: &Config| {
            let mut told = for_server(config);
            let count = told.len();
            told.retain(|(name, _)| !READERS.contains(&name.as_str()));
            assert_eq!(count - told.len(), READERS.len(), "readers are always told");
            told
        };
        assert_eq!(others(&config), []);
        config.set("sm.dedup_coords", "true").unwrap();
        config.set("rest.load_metadata_on_array_open", "false").unwrap();
        let told = [("sm.dedup_coords", "true"), ("rest.load_metadata_on_array_open", "false")];
        assert_eq!(others(&config), told.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}
