//! Suggestions for misspelled parameter names, for the log.

use super::{Config, params};

/// Prefixes of the library's own parameters. Other names belong to the caller.
const SECTIONS: [&str; 6] = ["config.", "filestore.", "rest.", "sm.", "ssl.", "vfs."];

/// The known parameter whose name is closest to an unknown one in a section of the library; `None` for known names and those of
/// callers.
pub fn closest_parameter(name: &str) -> Option<&'static str> {
    let is_own = SECTIONS.iter().any(|section| name.starts_with(section));
    if !is_own || params::is_header(name) || params::find(name).is_some() {
        return None;
    }
    params::closest(name).map(|(_, known)| known)
}

/// Whether a name is that of a parameter of the library, or of a header that requests carry.
pub fn is_parameter(name: &str) -> bool {
    params::find(name).is_some() || params::is_header(name)
}

/// The parameter whose name is closest to another name, if at most a quarter of it differs.
pub fn similar_parameter(name: &str) -> Option<&'static str> {
    params::closest(name).filter(|(distance, _)| *distance <= 2 + name.len() / 4).map(|(_, known)| known)
}

impl Config {
    /// The names that were set and are unknown, each with the closest known one.
    pub fn unknown_names(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.0.set.keys().filter_map(|name| Some((&**name, closest_parameter(name)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closest_known_name_is_suggested() {
        assert_eq!(closest_parameter("sm.mem.totalbudget"), Some("sm.mem.total_budget"));
        assert_eq!(closest_parameter("vfs.s3.regoin"), Some("vfs.s3.region"));
        assert_eq!(closest_parameter("config.loging_level"), Some("config.logging_level"));
        for name in ["sm.mem.total_budget", "rest.custom_headers.X-Trace", "vfs.s3.custom_headers.X", "own", ""] {
            assert_eq!(closest_parameter(name), None, "{name}");
        }
        let mut config = Config::new();
        config.set("sm.dedup_coord", "true").unwrap();
        config.set("mine", "1").unwrap();
        assert_eq!(config.unknown_names().collect::<Vec<_>>(), [("sm.dedup_coord", "sm.dedup_coords")]);
    }
}
