//! Profiles: named sets of parameters in `profiles.json`, for settings that are shared by several programs, such as the URL
//! and the token of a REST server.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind as IoKind, Write};

use serde_json::{Map, Value};

use crate::error::{Error, ErrorKind, Result, bail};
use crate::plain_file;
use crate::platform::environment::HOME;
use crate::platform::file::CreationMode;
use crate::types::local_path;

const DEFAULT_NAME: &str = "default";
const FILE: &str = "profiles.json";
/// The key and the number of the file's format.
const VERSION: (&str, u64) = ("version", 1);

/// A named set of parameters, which may not be saved yet.
#[derive(Clone, Debug)]
pub struct Profile {
    name: String,
    directory: String,
    parameters: BTreeMap<String, String>,
}

impl Profile {
    /// An empty profile. The default name is `default`; the default directory is `TILEDB_PROFILE_DIR`, or else
    /// `.tiledb` in the home directory.
    ///
    /// # Errors
    /// If no directory is configured or known, and for the name that is reserved for the version entry of the file.
    pub fn new(name: Option<&str>, directory: Option<&str>) -> Result<Profile> {
        let name = name.filter(|name| !name.is_empty()).unwrap_or(DEFAULT_NAME).to_owned();
        if name == VERSION.0 {
            bail!(
                "RestProfile: Failed to create RestProfile; the name '{name}' is reserved for the version of the file '{FILE}'. Choose \
                 another name"
            );
        }
        let mut directory = match directory.filter(|directory| !directory.is_empty()) {
            Some(directory) => directory.to_owned(),
            None => default_directory()?,
        };
        // An empty variable stays empty, as in libtiledb.
        if !directory.is_empty() && !directory.ends_with('/') {
            directory.push('/');
        }
        Ok(Profile { name, directory, parameters: BTreeMap::new() })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The directory of the file, with a slash at its end.
    pub fn directory(&self) -> &str {
        &self.directory
    }

    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).map(String::as_str)
    }

    /// Sets a parameter; any name is fine but the empty one.
    ///
    /// # Errors
    /// For the empty name.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        if name.is_empty() {
            bail!("RestProfile: Failed to retrieve parameter; parameter name must not be empty.");
        }
        self.parameters.insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    /// Loads the parameters of the profile from the file; they override its own.
    ///
    /// # Errors
    /// If the file or the entry is missing or invalid.
    pub fn load(&mut self) -> Result<()> {
        let Some(profiles) = self.read()? else {
            bail!(NotFound, "RestProfile: Failed to load profile; file does not exist.");
        };
        let Some(entry) = profiles.get(&self.name) else {
            bail!(NotFound, "RestProfile: Failed to load profile; profile '{}' does not exist.", self.name);
        };
        let none = Map::new();
        let entry = match entry {
            Value::Object(entry) => entry,
            Value::Null => &none,
            _ => return Err(self.wrong(&format!("profile '{}' is no object", self.name))),
        };
        let parameters = entry.iter().map(|(name, value)| match value {
            Value::String(text) => Ok((name.clone(), text.clone())),
            _ => Err(self.wrong(&format!("the value of '{name}' in profile '{}' is no text", self.name))),
        });
        let parameters = parameters.collect::<Result<Vec<_>>>()?;
        self.parameters.extend(parameters);
        Ok(())
    }

    /// Writes the profile into the file, which is made if needed and readable by its owner only.
    ///
    /// # Errors
    /// If only one of user name and password is set, if the file has such a profile and is not to be
    /// overwritten, and if the file cannot be read or written.
    pub fn save(&self, overwrite: bool) -> Result<()> {
        if self.get("rest.username").is_some() != self.get("rest.password").is_some() {
            bail!(
                "RestProfile: Failed to save profile: 'rest.username' and 'rest.password' must either both be set or \
                 both remain unset. Mixing a default username with a custom password (or vice versa) is not allowed."
            );
        }
        let mut profiles = self.read()?;
        let is_current = |file: &Map<String, Value>| file.get(VERSION.0).and_then(Value::as_u64) == Some(VERSION.1);
        if profiles.as_ref().is_some_and(|file| !file.is_empty() && !is_current(file)) {
            bail!("RestProfile: The version of your local profile.json file is out of date.");
        }
        let profiles = profiles.get_or_insert_default();
        if !overwrite && profiles.contains_key(&self.name) {
            bail!(
                "RestProfile: Failed to save '{}'; This profile already exists. Use the overwrite parameter to \
                 replace it.",
                self.name
            );
        }
        profiles.insert(self.name.clone(), self.to_json());
        profiles.insert(VERSION.0.to_owned(), VERSION.1.into());
        self.write(profiles)
    }

    /// Removes the profile from the file.
    ///
    /// # Errors
    /// If the file or the profile is missing, or the file cannot be written.
    pub fn remove(&self) -> Result<()> {
        let Some(mut profiles) = self.read()? else {
            bail!(NotFound, "RestProfile: Failed to remove profile; file does not exist.");
        };
        if profiles.remove(&self.name).is_none() {
            bail!(NotFound, "RestProfile: Failed to remove profile; profile does not exist. Profile: '{}'", self.name);
        }
        self.write(&profiles)
    }

    /// The profile as JSON, as in the file.
    pub fn dump(&self) -> String {
        format!("{:#}", Value::Object(Map::from_iter([(self.name.clone(), self.to_json())])))
    }

    pub(super) fn into_parameters(self) -> BTreeMap<String, String> {
        self.parameters
    }

    /// The parameters as JSON; null if there are none.
    fn to_json(&self) -> Value {
        let members = self.parameters.iter().map(|(name, value)| (name.clone(), Value::String(value.clone())));
        if self.parameters.is_empty() { Value::Null } else { Value::Object(members.collect()) }
    }

    fn path(&self) -> String {
        format!("{}{FILE}", self.directory)
    }

    /// The profiles of the file, or `None` if there is no file. A file without content, as left by a crash during a write, has
    /// none.
    fn read(&self) -> Result<Option<Map<String, Value>>> {
        let bytes = match plain_file::read(&local_path(&self.path())) {
            Ok(bytes) => plain_file::without_bom(bytes),
            Err(error) if matches!(error.kind(), IoKind::NotFound | IoKind::NotADirectory) => return Ok(None),
            Err(error) => return Err(self.io("read", &error)),
        };
        if bytes.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0) {
            return Ok(Some(Map::new()));
        }
        match serde_json::from_slice(&bytes) {
            Ok(Value::Object(profiles)) => Ok(Some(profiles)),
            Ok(Value::Null) => Ok(Some(Map::new())),
            Ok(_) => Err(self.wrong("it holds no object")),
            Err(error) => Err(self.wrong(&error.to_string())),
        }
    }

    fn write(&self, profiles: &Map<String, Value>) -> Result<()> {
        let text = serde_json::to_string_pretty(profiles).map_err(|error| Error::internal(error.to_string()))?;
        let write = || {
            // The file is replaced as a whole, or other profiles might be lost with this one; where it is a link, what it
            // leads to.
            let path =
                fs::canonicalize(&*local_path(&self.path())).unwrap_or_else(|_| local_path(&self.path()).into_owned());
            let fresh = path.with_file_name(format!("{FILE}.{}.new", std::process::id()));
            let open =
                || fs::OpenOptions::new().write(true).create(true).truncate(true).creation_mode(0o600).open(&fresh);
            let opened = match open() {
                Err(error) if error.kind() == IoKind::NotFound => {
                    fs::create_dir_all(&*local_path(&self.directory))?;
                    open()
                }
                opened => opened,
            };
            let mut file = opened?;
            let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
            let written = written.and_then(|()| fs::rename(&fresh, &path));
            if written.is_err() {
                _ = fs::remove_file(&fresh);
            }
            written
        };
        write().map_err(|error| self.io("write", &error))
    }

    fn wrong(&self, why: &str) -> Error {
        Error::corrupt(format!("RestProfile: Error parsing file '{}'. ({why})", self.path()))
    }

    fn io(&self, what: &str, error: &std::io::Error) -> Error {
        Error::new(ErrorKind::Io, format!("RestProfile: Cannot {what} file '{}'; {error}", self.path()))
    }
}

/// `TILEDB_PROFILE_DIR`, or else `.tiledb` in the home directory.
fn default_directory() -> Result<String> {
    if let Some(directory) = super::variable("TILEDB_PROFILE_DIR") {
        return Ok(directory);
    }
    match super::variable(HOME) {
        Some(home) if !home.is_empty() => Ok(format!("{home}/.tiledb/")),
        _ => bail!("RestProfile: Failed to create RestProfile; ${HOME} is not set."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn profile(directory: &tempfile::TempDir, name: &str) -> Profile {
        Profile::new(Some(name), directory.path().to_str()).unwrap()
    }

    fn text(result: Result<()>) -> String {
        result.unwrap_err().text().replace("RestProfile: ", "")
    }

    #[test]
    fn profiles_live_side_by_side() {
        let directory = tempfile::tempdir().unwrap();
        let mut one = profile(&directory, "one");
        one.set("rest.token", "\"t\n").unwrap();
        one.save(false).unwrap();
        profile(&directory, "").save(false).unwrap();
        let file = fs::read_to_string(directory.path().join(FILE)).unwrap();
        assert_eq!(
            file,
            "{\n  \"default\": null,\n  \"one\": {\n    \"rest.token\": \"\\\"t\\n\"\n  },\n  \"version\": 1\n}"
        );
        let mut again = profile(&directory, "one");
        again.load().unwrap();
        assert_eq!(again.get("rest.token"), Some("\"t\n"));
        assert_eq!(again.dump(), "{\n  \"one\": {\n    \"rest.token\": \"\\\"t\\n\"\n  }\n}");
        one.remove().unwrap();
        assert_eq!(text(again.load()), "Failed to load profile; profile 'one' does not exist.");
        profile(&directory, "default").load().unwrap();
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        let directory = tempfile::tempdir().unwrap();
        let mut one = profile(&directory, "one");
        assert_eq!(text(one.load()), "Failed to load profile; file does not exist.");
        assert_eq!(text(one.remove()), "Failed to remove profile; file does not exist.");
        one.set("rest.username", "u").unwrap();
        assert!(text(one.save(true)).starts_with("Failed to save profile: 'rest.username' and 'rest.password'"));
        one.set("rest.password", "p").unwrap();
        one.save(false).unwrap();
        assert!(text(one.save(false)).starts_with("Failed to save 'one'; This profile already exists."));
        one.save(true).unwrap();
        fs::write(directory.path().join(FILE), "{\"other\": null}").unwrap();
        assert_eq!(text(one.save(true)), "The version of your local profile.json file is out of date.");
        assert_eq!(text(one.remove()), "Failed to remove profile; profile does not exist. Profile: 'one'");
        for wrong in ["{ bad", "[]", "{\"one\": 5}", "{\"one\": {\"a\": 5}}"] {
            fs::write(directory.path().join(FILE), wrong).unwrap();
            assert!(text(one.load()).starts_with("Error parsing file '"));
        }
    }

    #[test]
    fn the_name_of_the_version_is_reserved() {
        let directory = tempfile::tempdir().unwrap();
        let refused = Profile::new(Some("version"), directory.path().to_str()).unwrap_err();
        assert!(refused.text().contains("'version' is reserved"), "{}", refused.text());
        for name in ["Version", "version ", "versions"] {
            let mut one = profile(&directory, name);
            one.set("version", "2").unwrap();
            one.save(false).unwrap();
            let mut again = profile(&directory, name);
            again.load().unwrap();
            assert_eq!(again.get("version"), Some("2"));
        }
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_file() {
        for (content, is_there) in [("{\"version\": 1, \"one\": {\"a\": \"b\"}}", true), ("", false), (" \n", false)] {
            let directory = tempfile::tempdir().unwrap();
            fs::write(directory.path().join(FILE), format!("\u{feff}{content}")).unwrap();
            let mut one = profile(&directory, "one");
            assert_eq!((one.load().is_ok(), one.get("a").is_some()), (is_there, is_there), "{content:?}");
            profile(&directory, "two").save(false).unwrap();
            profile(&directory, "two").load().unwrap();
            assert_eq!(profile(&directory, "one").load().is_ok(), is_there);
        }
    }

    #[test]
    fn a_file_without_content_has_no_profiles() {
        for content in ["", "\n", " \n\t", "\0\0\0\0", "null", "{}"] {
            let directory = tempfile::tempdir().unwrap();
            fs::write(directory.path().join(FILE), content).unwrap();
            let mut one = profile(&directory, "one");
            assert_eq!(text(one.load()), "Failed to load profile; profile 'one' does not exist.", "{content:?}");
            assert_eq!(
                text(one.remove()),
                "Failed to remove profile; profile does not exist. Profile: 'one'",
                "{content:?}"
            );
            one.set("rest.token", "t").unwrap();
            one.save(false).unwrap();
            let mut again = profile(&directory, "one");
            again.load().unwrap();
            assert_eq!(again.get("rest.token"), Some("t"));
        }
    }

    proptest! {
        #[test]
        fn what_is_saved_is_loaded(parameters in proptest::collection::btree_map("\\PC{1,9}", "\\PC{0,9}", 0..5)) {
            let directory = tempfile::tempdir().unwrap();
            let mut saved = profile(&directory, "p");
            for (name, value) in parameters.iter().filter(|(name, _)| !name.starts_with("rest.")) {
                saved.set(name, value).unwrap();
            }
            saved.save(false).unwrap();
            let mut loaded = profile(&directory, "p");
            loaded.load().unwrap();
            prop_assert_eq!(saved.parameters, loaded.parameters);
        }
    }
}
