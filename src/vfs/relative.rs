//! Names from outside that become parts of paths: keys of an object store, members of groups, entries of commit files.
//!
//! Object stores allow any text in a key; as a path it could lead out of the folder that it is put below (path traversal).
//! The command-line tool includes this file too, so that there is one rule.

/// Checks that a relative name stays below the folder that it is joined to, on every file system: no component is empty,
/// `.` or `..`, and none contains NUL or a separator of this system other than `/`.
///
/// # Errors
/// What is wrong with the name.
pub fn check_relative(name: &str) -> Result<(), &'static str> {
    name.split('/').try_for_each(check_component)
}

/// Checks a name of one component, as [`check_relative`] does; it contains no `/` either.
///
/// # Errors
/// What is wrong with the name.
pub fn check_component(name: &str) -> Result<(), &'static str> {
    match name {
        "" => Err("it has an empty component"),
        "." | ".." => Err("it has a component '.' or '..'"),
        _ if name.contains('\0') => Err("it contains NUL"),
        _ if name.contains(std::path::is_separator) => Err("it contains a separator of paths"),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{check_component, check_relative};

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        let hostile = [
            "",
            ".",
            "..",
            "/",
            "/a",
            "a/",
            "a//b",
            "./a",
            "a/.",
            "a/./b",
            "../a",
            "a/..",
            "a/../b",
            "a/../../b",
            "a\0b",
            "a/b\0",
            "\0",
            "//",
            "a/b/../../../c",
        ];
        for name in hostile {
            assert!(check_relative(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn names_that_only_look_so_are_fine() {
        let fine =
            ["a", "a/b", "...", "..a", "a..", ".a", "a.", "a/.b/c", "%2e%2e/%2e%2e", "é/\u{202e}", "a\nb", " ", "~"];
        for name in fine {
            assert_eq!(check_relative(name), Ok(()), "{name:?}");
            assert_eq!(check_component(name).is_ok(), !name.contains('/'), "{name:?}");
        }
    }
}
