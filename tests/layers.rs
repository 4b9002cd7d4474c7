//! The rules of the house, read from the sources: the order of the layers, where `unsafe` may stand,
//! how long a file may be, and that format versions are compared by name.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, unreachable_pub, reason = "a test stops at once")]

use std::path::{Path, PathBuf};

/// The layers from left to right; a module uses modules to its left, and its own.
const ORDER: [&str; 28] = [
    "error",
    "memory",
    "types",
    "wire",
    "config",
    "budget",
    "pool",
    "stats",
    "log",
    "codec",
    "crypto",
    "vfs",
    "resources",
    "filter",
    "tile",
    "schema",
    "condition",
    "fragment",
    "array",
    "query",
    "object",
    "group",
    "maintain",
    "filestore",
    "remote",
    "capi",
    "lib",
    "main",
];

/// Where `unsafe` blocks may stand.
const UNSAFE: [&str; 6] = [
    "src/codec/",
    "src/capi/boundary/",
    "src/config/environment.rs",
    "src/memory/reserve.rs",
    "src/query/buffers.rs",
    "src/query/read/copy.rs",
];

/// Files that may be longer than 600 lines, with the reason.
const LONG: [(&str, &str); 0] = [];

struct Source {
    path: String,
    /// The lines without comments.
    code: Vec<String>,
    lines: usize,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut directories = vec![root.join("src")];
    let mut found: Vec<PathBuf> = Vec::new();
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found.into_iter().map(|path| source(root, &path)).collect()
}

fn source(root: &Path, path: &Path) -> Source {
    let text = std::fs::read_to_string(path).unwrap();
    let without_comment = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    let code = text.lines().map(without_comment).collect();
    Source { path: path.strip_prefix(root).unwrap().display().to_string(), code, lines: text.lines().count() }
}

fn place(module: &str) -> Option<usize> {
    ORDER.iter().position(|name| *name == module)
}

/// The modules named after `crate::` in a line, also in braces.
fn used(line: &str) -> Vec<String> {
    let mut modules = Vec::new();
    for rest in line.split("crate::").skip(1) {
        let list = rest.strip_prefix('{').map_or(rest, |rest| rest);
        let inside = if rest.starts_with('{') { list.split(',').collect() } else { vec![list] };
        let word =
            |text: &str| text.trim().split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("").to_owned();
        modules.extend(inside.into_iter().map(word));
    }
    modules
}

#[test]
fn modules_use_only_modules_to_their_left() {
    let mut wrong = Vec::new();
    for source in sources() {
        let own = source.path.trim_start_matches("src/").split('/').next().unwrap().trim_end_matches(".rs");
        let Some(own_place) = place(own) else {
            wrong.push(format!("{}: module `{own}` has no place in the order of tests/layers.rs", source.path));
            continue;
        };
        for (number, line) in source.code.iter().enumerate() {
            for module in used(line) {
                if place(&module).is_some_and(|p| p > own_place) {
                    wrong.push(format!("{}:{}: `{own}` may not use `{module}`", source.path, number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn unsafe_stands_only_where_it_may() {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| !UNSAFE.iter().any(|place| source.path.starts_with(place))) {
        for (number, line) in source.code.iter().enumerate() {
            if ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern", "unsafe trait"]
                .iter()
                .any(|u| line.contains(u))
            {
                wrong.push(format!("{}:{}: {}", source.path, number + 1, line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_are_short() {
    let allowed = |path: &str| LONG.iter().any(|(long, _)| *long == path);
    let wrong: Vec<_> = sources()
        .into_iter()
        .filter(|s| s.lines > 600 && !allowed(&s.path))
        .map(|s| format!("{}: {} lines", s.path, s.lines))
        .collect();
    assert!(wrong.is_empty(), "longer than 600 lines: {wrong:?}");
}

#[test]
fn format_versions_are_compared_by_name() {
    let operators = ["<=", ">=", "==", "!=", "<", ">"];
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| source.path != "src/types/format_version.rs") {
        for (number, line) in source.code.iter().enumerate() {
            let bare = line.match_indices("version").any(|(at, _)| {
                let rest = line[at + "version".len()..].trim_start_matches(['(', ')', '.', '0']).trim_start();
                operators
                    .iter()
                    .find_map(|o| rest.strip_prefix(o))
                    .is_some_and(|rest| rest.trim_start().starts_with(|c: char| c.is_ascii_digit()))
            });
            if bare {
                wrong.push(format!("{}:{}: {}", source.path, number + 1, line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "give the version a name in src/types/format_version.rs:\n{}", wrong.join("\n"));
}
