//! What of a configuration a server is told.

use crate::config::Config;

/// What of a server's opening of arrays the client decides.
const LOADS: [&str; 4] = [
    "rest.load_enumerations_on_array_open",
    "rest.load_enumerations_on_array_open_all_schemas",
    "rest.load_metadata_on_array_open",
    "rest.load_non_empty_domain_on_array_open",
];
const KEY: &str = "sm.encryption_key";
const KEY_TYPE: &str = "sm.encryption_type";

/// The parameters that a server can use and that are not as they are by themselves; never a secret of the user or a store. Nor
/// is a key of encrypted arrays: those of a server are encrypted by keys that it has itself, or not at all.
pub(super) fn sent(config: &Config) -> Vec<(String, String)> {
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
        .filter(|(name, value)| is_told(name) && Config::built_in(name) != Some(value.as_str()))
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
        let told = sent(&config);
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
        assert_eq!(sent(&config), []);
        config.set("sm.dedup_coords", "true").unwrap();
        config.set("rest.load_metadata_on_array_open", "false").unwrap();
        let told = [("sm.dedup_coords", "true"), ("rest.load_metadata_on_array_open", "false")];
        assert_eq!(sent(&config), told.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}
