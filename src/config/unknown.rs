//! Parameter names that the library does not know: misspelled ones are named in the log.

use super::{Config, params};

/// What names of the library's own parameters begin with. Other names are the caller's own.
const SECTIONS: [&str; 6] = ["config.", "filestore.", "rest.", "sm.", "ssl.", "vfs."];

/// Below these prefixes any name is a parameter.
const HEADERS: [&str; 2] = ["rest.custom_headers.", "vfs.s3.custom_headers."];

/// The known parameter whose name is closest to an unknown one in a section of the library; `None` for known names and those of
/// callers.
pub fn closest_parameter(name: &str) -> Option<&'static str> {
    let begins_with = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    if !begins_with(&SECTIONS) || begins_with(&HEADERS) || params::find(name).is_some() {
        return None;
    }
    params::PARAMETERS.iter().map(|known| known.name).min_by_key(|known| edit_distance(name, known))
}

impl Config {
    /// The names that were set and are unknown, each with the closest known one.
    pub fn unknown_names(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.0.set.keys().filter_map(|name| Some((&**name, closest_parameter(name)?)))
    }
}

/// The least number of inserted, deleted and replaced bytes between two texts (Levenshtein).
fn edit_distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, b) in other.bytes().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_known_name_is_found() {
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

    #[test]
    fn distances_are_those_of_levenshtein() {
        for (one, other, distance) in [("", "", 0), ("a", "", 1), ("kitten", "sitting", 3), ("flaw", "lawn", 2)] {
            assert_eq!((edit_distance(one, other), edit_distance(other, one)), (distance, distance));
        }
    }
}
