//! The AWS configuration files `~/.aws/credentials` and `~/.aws/config`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::super::ambient::{home, read_text, variable};

/// Contents of the files.
#[derive(Debug, Default)]
pub(super) struct ProfileFiles {
    /// The values of `profile NAME` and `sso-session NAME`.
    sections: BTreeMap<String, ProfileSection>,
    /// The files that were read.
    paths: Vec<PathBuf>,
    /// The active profile: that of the environment, or `default`.
    pub(super) chosen: String,
}

/// Settings of one profile.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ProfileSection(BTreeMap<String, String>);

impl ProfileSection {
    /// A non-empty value.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// As [`ProfileSection::get`], owned.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.get(name).map(str::to_owned)
    }
}

impl ProfileFiles {
    /// Reads the files; unreadable ones are ignored.
    pub(super) fn load() -> ProfileFiles {
        let chosen = variable("AWS_PROFILE").or_else(|| variable("AWS_DEFAULT_PROFILE"));
        let mut files =
            ProfileFiles { chosen: chosen.unwrap_or_else(|| "default".to_owned()), ..ProfileFiles::default() };
        let file = |named: &str, usual: &str| variable(named).map(PathBuf::from).or_else(|| home(usual));
        let config = file("AWS_CONFIG_FILE", ".aws/config");
        let credentials = file("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials");
        for path in [config, credentials].into_iter().flatten() {
            if let Ok(text) = read_text(&path) {
                files.read(&text);
            }
            files.paths.push(path);
        }
        files
    }

    /// Merges a file; later values win. Indented lines are nested settings of other tools.
    fn read(&mut self, text: &str) {
        let (mut section, mut named) = (None, false);
        for line in text.lines() {
            let inner = line.trim();
            if inner.is_empty() || inner.starts_with(['#', ';']) {
                continue;
            }
            if let Some(name) = inner.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
                (section, named) = (Some(section_name(name)), false);
            } else if let (Some(section), Some((name, value))) = (&section, inner.split_once('='))
                && !(named && line.starts_with([' ', '\t']))
            {
                let values = &mut self.sections.entry(section.clone()).or_default().0;
                values.insert(name.trim().to_ascii_lowercase(), value.trim().to_owned());
                named = true;
            }
        }
    }

    /// A profile.
    ///
    /// # Errors
    /// States where it was searched.
    pub(super) fn profile(&self, name: &str) -> Result<&ProfileSection, String> {
        self.sections.get(&format!("profile {name}")).ok_or_else(|| {
            let paths: Vec<String> = self.paths.iter().map(|path| path.display().to_string()).collect();
            let paths = if paths.is_empty() { "no file, as HOME is not set".to_owned() } else { paths.join(" or ") };
            format!("there is no profile '{name}' in {paths}")
        })
    }

    /// The selected profile; an empty one if it does not exist.
    pub(super) fn chosen(&self) -> &ProfileSection {
        const EMPTY: &ProfileSection = &ProfileSection(BTreeMap::new());
        self.profile(&self.chosen).unwrap_or(EMPTY)
    }

    /// A session of single sign-on that profiles share.
    pub(super) fn sso_session(&self, name: &str) -> Option<&ProfileSection> {
        self.sections.get(&format!("sso-session {name}"))
    }

    #[cfg(test)]
    pub(super) fn of(text: &str) -> ProfileFiles {
        let mut files = ProfileFiles { chosen: "default".to_owned(), ..ProfileFiles::default() };
        files.read(text);
        files
    }
}

/// Profiles are called `[profile NAME]` in one file and `[NAME]` in the other.
fn section_name(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.as_slice() {
        ["profile", name @ ..] if !name.is_empty() => format!("profile {}", name.join(" ")),
        ["sso-session", name] => format!("sso-session {name}"),
        ["services", name] => format!("services {name}"),
        name => format!("profile {}", name.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_read() {
        let files = ProfileFiles::of(
            "[default]\nregion = a\n\n# x\n[profile work]\nRegion=b \n ; y\naws_access_key_id = k=1\ns3 =\n  region = no\n  \
             aws_secret_access_key = no\n[sso-session s]\nsso_region = r\n[work]\nregion = c\n[other]\n  a = indented\n",
        );
        let work = files.profile("work").unwrap();
        assert_eq!((work.get("region"), work.get("aws_access_key_id")), (Some("c"), Some("k=1")));
        assert_eq!((work.get("aws_secret_access_key"), work.get("s3")), (None, None));
        assert_eq!(files.chosen().get("region"), Some("a"));
        assert_eq!(files.profile("other").unwrap().get("a"), Some("indented"));
        assert_eq!(files.sso_session("s").unwrap().get("sso_region"), Some("r"));
        assert!(files.profile("none").is_err() && files.sso_session("work").is_none());
    }
}
