//! Checks names of configuration parameters: the library accepts any, the tool only known ones.

use tiledb::Config;

/// Checks that a parameter is known.
///
/// # Errors
/// What is wrong, with the name that was probably meant.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    if Config::is_parameter(name) {
        return Ok(());
    }
    // A value may have been written where the name belongs.
    let is_name = name.len() < 100 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    if !is_name || !name.contains(['.', '_']) {
        return Err("an argument is not KEY=VALUE with the name of a parameter".to_owned());
    }
    let meant = Config::similar_parameter(name);
    let meant = meant.map_or("docs/configuration.md lists them".to_owned(), |name| format!("{name} is the closest"));
    Err(format!("there is no parameter {name}; {meant}"))
}

/// The names in a file of lines `name value`.
pub(crate) fn names_in(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.split_whitespace().next().filter(|name| !name.starts_with('#')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistyped_names_are_refused_with_the_closest() {
        for (name, meant) in [
            ("sm.mem.totalbudget", "sm.mem.total_budget"),
            ("sm.memory.budget", "sm.memory_budget"),
            ("vfs.s3.regoin", "vfs.s3.region"),
            ("VFS.S3.REGION", "lists them"),
            ("rest.custom_headers.", "rest.custom_headers."),
            ("s3_region_of_everything_else", "lists them"),
        ] {
            let refused = check_name(name).err().unwrap_or_default();
            assert!(refused.contains(name) && refused.contains(meant), "{refused}");
        }
        for name in ["sm.mem.total_budget", "rest.token", "vfs.s3.custom_headers.x-y", "sm.chunk_cache_size"] {
            assert_eq!(check_name(name), Ok(()));
        }
    }

    #[test]
    fn what_may_be_a_secret_is_not_shown() {
        for name in ["wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY", "abc/def+ghi", "", " ", "pass word.x"] {
            let refused = check_name(name).err().unwrap_or_default();
            assert!(!refused.is_empty() && (name.trim().is_empty() || !refused.contains(name)), "{refused}");
        }
    }

    #[test]
    fn names_of_a_file() {
        assert_eq!(names_in("a.b 1\n# c d\n\n  e.f\t2 # g\n").collect::<Vec<_>>(), ["a.b", "e.f"]);
    }
}
