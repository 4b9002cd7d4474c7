//! Every configuration parameter has an effect, or docs/configuration.md states that it has none, and why: determined
//! from the sources.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, unreachable_pub, reason = "a test stops at once")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

use std::collections::BTreeSet;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The texts between double quotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').skip(1).step_by(2)
}

/// The code of a file: without comments and tests.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let before = text.split("\n#[cfg(test)]\nmod tests").next().unwrap();
    // A comment begins a line or stands behind a blank; other slashes are those of URIs.
    let bare = |line: &'_ str| {
        if line.trim_start().starts_with("//") { "" } else { line.split(" // ").next().unwrap() }.to_owned()
    };
    before.lines().map(bare).collect::<Vec<_>>().join("\n")
}

/// The names of the table of parameters.
fn parameters() -> BTreeSet<String> {
    let text = code(&root().join("crates/tiledb-core/src/config/params.rs"));
    let begins = ["config.", "filestore.", "profile_", "rest.", "sm.", "ssl.", "vfs."];
    let names = text.lines().filter_map(|line| quoted(line).next()).filter(|name| {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._".contains(c);
        begins.iter().any(|begin| name.starts_with(begin)) && name.chars().all(plain)
    });
    names.map(str::to_owned).collect()
}

/// The names that the code reads. What the configuration itself does, checks in advance, is no effect.
fn read() -> BTreeSet<String> {
    let mut folders = vec![root().join("src"), root().join("crates")];
    let mut names = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if !name.ends_with("config/params.rs") && !name.ends_with("config/context_check.rs") {
                names.extend(quoted(&code(&path)).map(str::to_owned));
            }
        }
    }
    names
}

/// The names in the list of those without effect; one that ends in `*` stands for all that begin so.
fn without_effect() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("docs/configuration.md")).unwrap();
    let (_, section) = text.split_once("\n## Accepted, without effect\n").expect("the section");
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let cells: Vec<Vec<&str>> = rows.map(|row| row.trim_matches('|').split(" | ").collect()).collect();
    assert!(cells.iter().all(|row| row.len() == 2 && row[1].trim().len() > 10), "each row has names and a reason");
    cells.iter().flat_map(|row| row[0].split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

#[test]
fn unread_parameters_are_exactly_the_documented_ones() {
    let (parameters, read, listed) = (parameters(), read(), without_effect());
    let covers = |row: &str, name: &str| row.strip_suffix('*').map_or(row == name, |begin| name.starts_with(begin));
    let unread: Vec<&String> = parameters.difference(&read).collect();
    let missing: Vec<_> = unread.iter().filter(|name| !listed.iter().any(|row| covers(row, name))).collect();
    assert!(missing.is_empty(), "the code never reads these, and the documentation does not say so: {missing:?}");
    let wrong: Vec<_> =
        parameters.intersection(&read).filter(|name| listed.iter().any(|row| covers(row, name))).collect();
    assert!(wrong.is_empty(), "the code reads these, which the documentation says have no effect: {wrong:?}");
    let idle: Vec<_> = listed.iter().filter(|row| !parameters.iter().any(|name| covers(row, name))).collect();
    assert!(idle.is_empty(), "no such parameters: {idle:?}");
    assert!(parameters.len() > 150 && parameters.contains("sm.mem.total_budget"));
    println!("{} parameters with effect, {} without", parameters.len() - unread.len(), unread.len());
}
