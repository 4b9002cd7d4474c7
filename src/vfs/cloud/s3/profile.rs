//! The files of Amazon's tools: `~/.aws/credentials` and `~/.aws/config`.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// What the files say of one profile.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Profile {
    pub(super) name: String,
    values: BTreeMap<String, String>,
    /// The files that were looked into.
    pub(super) files: Vec<PathBuf>,
}

impl Profile {
    /// The profile that the environment names, or `default`. What cannot be read says nothing.
    pub(super) fn load() -> Profile {
        let name = variable("AWS_PROFILE").or_else(|| variable("AWS_DEFAULT_PROFILE"));
        let name = name.unwrap_or_else(|| "default".to_owned());
        let home = |file: &str| Some(PathBuf::from(std::env::var_os("HOME")?).join(".aws").join(file));
        let file = |chosen: &str, usual: &str| variable(chosen).map(PathBuf::from).or_else(|| home(usual));
        let files = [file("AWS_CONFIG_FILE", "config"), file("AWS_SHARED_CREDENTIALS_FILE", "credentials")];
        let mut profile = Profile { name, ..Profile::default() };
        for file in files.into_iter().flatten() {
            if let Ok(text) = std::fs::read_to_string(&file) {
                profile.read(&text);
            }
            profile.files.push(file);
        }
        profile
    }

    /// Takes over what a file says of this profile; what comes later wins.
    fn read(&mut self, text: &str) {
        let mut inside = false;
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with(['#', ';']) {
                continue;
            }
            if let Some(section) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
                let section = section.trim();
                inside = section.strip_prefix("profile ").unwrap_or(section).trim() == self.name;
            } else if let Some((name, value)) = line.split_once('=').filter(|_| inside) {
                self.values.insert(name.trim().to_ascii_lowercase(), value.trim().to_owned());
            }
        }
    }

    /// A value of the profile that says something.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }
}

/// A variable of the environment that says something.
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_read() {
        let mut profile = Profile { name: "work".to_owned(), ..Profile::default() };
        profile.read("[default]\nregion = a\n\n# x\n[profile work]\nRegion=b \n ; y\naws_access_key_id = k=1\n");
        profile.read("[work]\nregion = c\n[other]\naws_secret_access_key = s\n");
        assert_eq!(profile.get("region"), Some("c"));
        assert_eq!(profile.get("aws_access_key_id"), Some("k=1"));
        assert_eq!(profile.get("aws_secret_access_key"), None);
    }
}
