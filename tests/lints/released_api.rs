//! What the last release declares in the public interface of the crate `tiledb` stands in `crates/tiledb/api.txt`, or the changelog
//! names it under `Changed` or `Removed`. The last release is the newest tag of Git; without one nothing is compared.

use std::collections::BTreeSet;
use std::process::Command;

use super::api::LIST;

/// A declaration with what it belongs to: `impl Array: pub fn uri(&self) -> &str`.
type Declaration = String;

/// The attribute at the start of a line, and the rest.
fn attribute(line: &str) -> Option<(&str, &str)> {
    let inner = line.strip_prefix("#[")?;
    let end = inner.find("] ")?;
    Some((&inner[..end], &inner[end + 2..]))
}

/// The names that a `pub use` hands on.
fn exported(tree: &str) -> impl Iterator<Item = &str> {
    let names = tree.split(['{', '}', ',']).map(|part| part.trim().rsplit("::").next().unwrap_or_default());
    names.filter(|name| !name.is_empty())
}

/// The declarations of a list, wherever their files are. Each name of a `pub use` and of a `derive` counts by itself.
fn declarations(list: &str) -> BTreeSet<Declaration> {
    let mut declarations = BTreeSet::new();
    let mut owner = "";
    for line in list.lines().skip(1).filter(|line| !line.is_empty() && !line.starts_with('#') || line.starts_with("#["))
    {
        let mut rest = line.trim_start();
        let mut derived = Vec::new();
        let mut conditions = String::new();
        while let Some((attribute, after)) = attribute(rest) {
            if let Some(names) = attribute.strip_prefix("derive(") {
                derived.extend(names.trim_end_matches(')').split(", "));
            } else if attribute.starts_with("cfg") || attribute == "non_exhaustive" {
                conditions += &format!("#[{attribute}] ");
            }
            rest = after;
        }
        if line.starts_with(' ') {
            declarations.insert(format!("{owner}: {conditions}{rest}"));
            continue;
        }
        owner = rest;
        declarations.extend(derived.iter().map(|name| format!("{rest}: {name}")));
        match rest.strip_prefix("pub use ") {
            Some(tree) => declarations.extend(exported(tree).map(|name| format!("pub use {name}"))),
            None => _ = declarations.insert(format!("{conditions}{rest}")),
        }
    }
    declarations
}

/// The identifiers in a text.
fn identifiers(text: &str) -> BTreeSet<&str> {
    text.split(|char: char| !char.is_alphanumeric() && char != '_').filter(|word| !word.is_empty()).collect()
}

/// What a declaration is called: a function, an item, a field or a variant.
fn name(declaration: &str) -> &str {
    let own = declaration.rsplit_once(": pub ").map_or(declaration, |(_, own)| own);
    let words = own.split(|char: char| !char.is_alphanumeric() && char != '_').filter(|word| !word.is_empty());
    let keywords = [
        "pub",
        "fn",
        "const",
        "struct",
        "enum",
        "trait",
        "type",
        "mod",
        "use",
        "impl",
        "non_exhaustive",
        "unsafe",
        "async",
    ];
    words.into_iter().find(|word| !keywords.contains(word)).unwrap_or(own)
}

/// The entries of the changelog that has no release yet, under `Changed` and `Removed`.
fn announced(changelog: &str) -> String {
    let next = changelog.split("\n## ").find(|part| part.starts_with("[Unreleased]")).unwrap_or_default();
    next.split("\n### ").filter(|part| part.starts_with("Changed") || part.starts_with("Removed")).collect()
}

/// Declarations of the release that are no longer there, and that the changelog does not name.
fn unannounced(released: &str, current: &str, changelog: &str) -> Vec<Declaration> {
    let announced = announced(changelog);
    let announced = identifiers(&announced);
    let gone = &declarations(released) - &declarations(current);
    gone.into_iter().filter(|declaration| !announced.contains(name(declaration))).collect()
}

/// What a command of Git prints, unless it fails.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

#[test]
fn changes_of_the_released_api_are_in_the_changelog() {
    let Some(tag) = git(&["describe", "--tags", "--abbrev=0"]) else { return };
    let Some(released) = git(&["show", &format!("{tag}:{LIST}")]) else { return };
    let read =
        |path: &str| std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let unannounced = unannounced(&released, &read(LIST), &read("CHANGELOG.md"));
    assert!(
        unannounced.is_empty(),
        "released with {tag}, changed or removed, and not named in CHANGELOG.md under Changed or Removed:\n{}",
        unannounced.join("\n")
    );
}

#[test]
fn removed_and_changed_declarations_need_an_entry() {
    let released = "List.\n\n# a.rs\n#[derive(Clone, Debug)] pub struct A\n    pub size: u64\nimpl A\n    pub fn open(&self, uri: &str) -> Result<A>\n\
                    \n# lib.rs\npub use a::{A, B}\nimpl Default for A\n";
    let silent = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- `open`, `size`, `B`, `Default`, `A`\n\n## [1.0]\n\n### Changed\n\n- `open`\n";
    assert_eq!(unannounced(released, released, silent), Vec::<String>::new());
    let moved = "List.\n\n# b.rs\nimpl A\n    #[must_use] pub fn open(&self, uri: &str) -> Result<A>\n    pub fn more()\nimpl Default for A\n\
                 #[derive(Debug, Clone, Copy)] pub struct A\n    pub size: u64\npub use a::B\npub use a::C\npub use b::A\n";
    assert_eq!(unannounced(released, moved, silent), Vec::<String>::new());
    let changed = "List.\n\n# a.rs\n#[derive(Clone)] #[non_exhaustive] pub struct A\n    pub size: u32\nimpl A\n    pub fn open(&self, uri: String) -> Result<A>\npub use a::A\n";
    let expected = [
        "impl A: pub fn open(&self, uri: &str) -> Result<A>",
        "impl Default for A",
        "pub struct A",
        "pub struct A: Debug",
        "pub struct A: pub size: u64",
        "pub use B",
    ];
    assert_eq!(unannounced(released, changed, silent), expected);
    let entries = "# Changelog\n\n## [Unreleased]\n\n### Changed\n\n- `A::open` takes a `String`; `size` has 32 bits.\n\n### Removed\n\n- `Default` of `A`, `B`, `Debug`\n\n## [1.0]\n";
    assert_eq!(unannounced(released, changed, entries), Vec::<String>::new());
}
