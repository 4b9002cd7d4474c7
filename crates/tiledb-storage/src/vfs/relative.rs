//! Validation of untrusted names that become parts of paths: keys of an object store, members of groups, entries of commit
//! files.
//!
//! Object stores allow any text in a key; as a relative path it could lead out of its base folder (path traversal). The
//! command-line tool includes this file, too, so that both apply the same rule.

/// Checks that a relative name stays below the folder that it is joined to, on every file system: no component is empty,
/// `.` or `..`, and none contains NUL or a separator of this system other than `/`.
///
/// # Errors
/// What is wrong with the name.
pub fn check_relative(name: &str) -> Result<(), &'static str> {
    name.as_bytes().split(|byte| *byte == b'/').try_for_each(check_bytes)
}

/// Checks a name of one component, as [`check_relative`] does; it contains no `/` either.
///
/// # Errors
/// What is wrong with the name.
pub fn check_component(name: &str) -> Result<(), &'static str> {
    check_bytes(name.as_bytes())
}

/// Resolves a relative name by its text alone: without empty components and those that are `.`, and without `..` and the
/// component before it. What is left is a name that [`check_relative`] accepts, or empty for the folder itself.
///
/// # Errors
/// If it leads out of the folder, or a component is rejected for another reason.
pub fn normalize_relative(name: &str) -> Result<String, &'static str> {
    let mut components = Vec::new();
    for component in name.split('/') {
        match component {
            "" | "." => {}
            ".." => _ = components.pop().ok_or("it leads out of the folder by '..'")?,
            _ => {
                check_component(component)?;
                components.push(component);
            }
        }
    }
    Ok(components.join("/"))
}

fn check_bytes(component: &[u8]) -> Result<(), &'static str> {
    match component {
        b"" => Err("it has an empty component"),
        b"." | b".." => Err("it has a component '.' or '..'"),
        _ if contains(component, |byte| byte == 0) => Err("it contains NUL"),
        _ if contains(component, |byte| std::path::is_separator(byte.into())) => {
            Err("it contains a separator of paths")
        }
        _ => Ok(()),
    }
}

/// Whether any byte is of a kind. Visits all bytes without an early exit, so that the loop is vectorized: arrays have many
/// thousands of names.
fn contains(bytes: &[u8], is_kind: impl Fn(u8) -> bool) -> bool {
    bytes.iter().fold(false, |any, byte| any | is_kind(*byte))
}

#[cfg(test)]
mod tests {
    use super::{check_component, check_relative, normalize_relative};

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

    #[test]
    fn names_are_normalized_by_their_text() {
        for (name, normalized) in [
            ("a", "a"),
            ("./a", "a"),
            ("a/.", "a"),
            ("a//b", "a/b"),
            ("//a/", "a"),
            ("././a/./b//", "a/b"),
            ("a/../b", "b"),
            ("a/b/../..", ""),
            ("", ""),
            (".", ""),
            ("/", ""),
            ("...", "..."),
            ("..a/.b", "..a/.b"),
        ] {
            assert_eq!(normalize_relative(name).as_deref(), Ok(normalized), "{name:?}");
            assert!(normalized.is_empty() || check_relative(normalized).is_ok());
        }
        for name in ["..", "../a", "./..", "a/../..", "a/../../a", "//..", "a/b/../../../c", "a\0", "a/\0/..", "../."] {
            assert!(normalize_relative(name).is_err(), "{name:?}");
        }
    }
}
