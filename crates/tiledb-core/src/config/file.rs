//! Configuration files: one `name value` per line, `#` begins a comment line.

use std::fmt::Write as _;

use super::params::PARAMETERS;
use super::secrets::is_saved;
use super::{Config, params};
use crate::error::{Error, ErrorKind, Result, bail};
use crate::plain_file;
use crate::sort;
use crate::types::local_path;

impl Config {
    /// Loads parameters from a file; they override those already set. Values are not validated until they are used.
    ///
    /// # Errors
    /// For an empty path, a file that cannot be read, and a line that is not `name value`; the parameters of earlier
    /// lines remain set.
    pub fn load_from_file(&mut self, path: &str) -> Result<()> {
        if path.is_empty() {
            bail!("Config: Cannot load from file; File path is empty");
        }
        let bytes = plain_file::read(&local_path(path))
            .map_err(|_| Error::new(ErrorKind::Io, format!("Config: Failed to open config file '{path}'")))?;
        let bytes = plain_file::without_bom(bytes);
        for (number, line) in String::from_utf8_lossy(&bytes).split('\n').enumerate() {
            let refuse = |why: &str| {
                Error::invalid(format!("Config: Failed to parse config file '{path}'; {why} (line: {number})"))
            };
            let mut words =
                line.split(|c: char| c.is_ascii_whitespace() || c == '\x0b').filter(|word| !word.is_empty());
            let Some(name) = words.next().filter(|name| !name.starts_with('#')) else { continue };
            let value = words.next().ok_or_else(|| refuse("Missing parameter value"))?;
            if words.next().is_some_and(|word| !word.starts_with('#')) {
                return Err(refuse("Invalid line format"));
            }
            self.store(name, value);
        }
        Ok(())
    }

    /// Writes the parameters that have a value, set or built in, sorted by name; neither secrets nor
    /// what the environment gives. A new file can be read by its owner only.
    ///
    /// # Errors
    /// For an empty path and a file that cannot be written.
    pub fn save_to_file(&self, path: &str) -> Result<()> {
        if path.is_empty() {
            bail!("Config: Cannot load from file; File path is empty");
        }
        let mut text = String::new();
        for name in self.names() {
            let value = self.stored(name).unwrap_or_default();
            if !value.is_empty() && is_saved(name) {
                let _ = writeln!(text, "{name} {value}");
            }
        }
        plain_file::write_private(&local_path(path), text.as_bytes())
            .map_err(|_| Error::new(ErrorKind::Io, format!("Config: Failed to open config file '{path}' for writing")))
    }

    /// The names that are listed: the built-in ones that have a value and those that were set.
    pub(super) fn names(&self) -> Vec<&str> {
        let listed = PARAMETERS.iter().filter(|parameter| !matches!(parameter.default, params::DefaultValue::Unset));
        let mut names: Vec<&str> =
            listed.map(|parameter| parameter.name).chain(self.0.set.keys().map(|key| &**key)).collect();
        sort::by(&mut names, Ord::cmp);
        names.dedup();
        names
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use proptest::prelude::*;

    fn load(text: &str) -> (Config, Option<String>) {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        let path = file.path().to_str().unwrap();
        let mut config = Config::new();
        let error = config.load_from_file(path).err().map(|error| error.text().replace(path, "F"));
        (config, error)
    }

    #[test]
    fn blanks_and_comments_are_skipped() {
        let (config, error) = load("# c\n\n  \t#x y z\n\ta.b \t1  # why\r\nc#d #1\na.b 2\n");
        assert_eq!(error, None);
        assert_eq!(config.get("a.b").as_deref(), Some("2"));
        assert_eq!(config.get("c#d").as_deref(), Some("#1"));
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_line() {
        for (text, is_set) in
            [("\u{feff}a.b 1\n", true), ("\u{feff}# comment of words\na.b 1\n", true), ("\u{feff}", false)]
        {
            let (config, error) = load(text);
            assert_eq!((config.get("a.b").is_some(), error), (is_set, None), "{text:?}");
        }
    }

    #[test]
    fn a_wrong_line_is_named_and_ends_the_load() {
        let (config, error) = load("a.b 1\n\nx y z\nc.d 1\n");
        assert_eq!(error.unwrap(), "Config: Failed to parse config file 'F'; Invalid line format (line: 2)");
        assert_eq!((config.get("a.b").as_deref(), config.get("c.d")), (Some("1"), None));
        let (_, error) = load("a.b 1\nc.d");
        assert_eq!(error.unwrap(), "Config: Failed to parse config file 'F'; Missing parameter value (line: 1)");
    }

    #[test]
    fn a_path_that_cannot_be_opened_is_named() {
        let mut config = Config::new();
        let text = config.load_from_file("/none/x").unwrap_err().text().to_owned();
        assert_eq!(text, "Config: Failed to open config file '/none/x'");
        let text = config.save_to_file("/none/x").unwrap_err().text().to_owned();
        assert_eq!(text, "Config: Failed to open config file '/none/x' for writing");
    }

    #[test]
    fn secrets_and_empty_values_are_not_saved() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path().to_str().unwrap();
        let mut config = Config::new();
        let headers = ["rest.custom_headers.Authorization", "vfs.s3.custom_headers.x-key"];
        let accounts = ["vfs.gcs.external_account_configuration", "vfs.gcs.workload_identity_configuration"];
        for name in ["rest.token", "vfs.s3.aws_secret_access_key", "sm.encryption_key", "mine"]
            .into_iter()
            .chain(headers)
            .chain(accounts)
        {
            config.set(name, "hidden").unwrap();
        }
        config.save_to_file(path).unwrap();
        let text = fs::read_to_string(path).unwrap();
        assert!(text.contains("mine hidden\n"));
        assert_eq!(text.matches("hidden").count(), 1, "{text}");
        assert!(!text.contains("vfs.s3.sse"));
    }

    proptest! {
        #[test]
        fn what_is_saved_is_loaded(entries in proptest::collection::btree_map("[a-z]{1,5}(\\.[a-z_]{1,5}){1,2}", "[!-~]{1,9}", 0..9)) {
            let file = tempfile::NamedTempFile::new().unwrap();
            let path = file.path().to_str().unwrap();
            let mut config = Config::new();
            for (name, value) in &entries {
                config.set(name, value).unwrap();
            }
            config.save_to_file(path).unwrap();
            let mut loaded = Config::new();
            loaded.load_from_file(path).unwrap();
            prop_assert!(config == loaded);
        }

        #[test]
        fn any_file_is_judged_without_panic(text in "[ -~\\n\\t#]*") {
            let _ = load(&text);
        }
    }
}
