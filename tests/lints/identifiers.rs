//! Locals, fields, functions and constants are named after their subject: no participles that could name anything, in sources and
//! in tests.

use std::collections::BTreeMap;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};

use super::house;

/// Folders with Rust sources.
const FOLDERS: &[&str] = &["benches", "cli", "crates", "fuzz", "src", "tests"];

/// Words that name no subject, as any part of a name.
const VAGUE: &[&str] = &["asked", "given", "held", "kept", "lent", "looked", "seen", "told", "wanted"];

/// Words that name no subject if nothing is beside them.
const VAGUE_ALONE: &[&str] = &["found"];

/// Folders that are not done yet, with the number of such names in them (each counts once a file), which may only fall.
const PENDING: &[(&str, usize)] = &[
    ("cli/src/", 29),
    ("crates/tiledb/", 7),
    ("crates/tiledb-maintain/", 47),
    ("src/capi/", 30),
    ("tests/simulation/", 1),
];

/// True for names of locals, fields, functions, modules and constants; types are in `names.rs`.
fn is_vague(name: &str) -> bool {
    let is_type = name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
    let name = name.to_lowercase();
    // To look up is a verb of its own.
    let name = name.replace("looked_up", "");
    !is_type && (VAGUE_ALONE.contains(&name.as_str()) || name.split('_').any(|word| VAGUE.contains(&word)))
}

/// Collects the vague names with the first line of each. Fields and methods count where they are declared.
fn collect(tokens: TokenStream, names: &mut BTreeMap<String, usize>) {
    let (mut before, mut last) = (' ', ' ');
    for token in tokens {
        match &token {
            TokenTree::Ident(name) => {
                let name_text = name.to_string();
                let is_use_of_field = last == '.' && before != '.';
                if !is_use_of_field && is_vague(&name_text) {
                    names.entry(name_text).or_insert(name.span().start().line);
                }
            }
            TokenTree::Group(group) => collect(group.stream(), names),
            TokenTree::Punct(_) | TokenTree::Literal(_) => (),
        }
        (before, last) = (last, if let TokenTree::Punct(punct) = &token { punct.as_char() } else { ' ' });
    }
}

/// The vague names of a file.
fn vague(path: &str, text: &str) -> Vec<String> {
    let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut names = BTreeMap::new();
    collect(tokens, &mut names);
    names.into_iter().map(|(name, line)| format!("{path}:{line}: `{name}`")).collect()
}

/// What exceeds the numbers of the pending folders, and entries that are no longer needed.
fn wrong(files: &[(String, String)], pending: &[(&str, usize)]) -> Vec<String> {
    let mut counts: BTreeMap<&str, Vec<String>> = pending.iter().map(|(folder, _)| (*folder, Vec::new())).collect();
    let mut wrong = Vec::new();
    for (path, text) in files {
        let folder = pending.iter().find(|(folder, _)| path.starts_with(folder));
        match folder.and_then(|(folder, _)| counts.get_mut(folder)) {
            Some(names) => names.extend(vague(path, text)),
            None => wrong.extend(vague(path, text)),
        }
    }
    for (folder, limit) in pending {
        let names = &counts[folder];
        if names.len() > *limit {
            wrong.push(format!("{folder}: {} names instead of at most {limit}:\n{}", names.len(), names.join("\n")));
        } else if names.is_empty() {
            wrong.push(format!("{folder}: no such names are left; remove its line"));
        }
    }
    wrong
}

#[test]
fn identifiers_have_names_of_their_subjects() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let paths = FOLDERS.iter().flat_map(|folder| house::files(&root.join(folder)));
    let files: Vec<(String, String)> = paths
        .filter(|path| !path.components().any(|part| part.as_os_str() == "target"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            (path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/"), text)
        })
        .collect();
    let wrong = wrong(&files, PENDING);
    assert!(wrong.is_empty(), "{} places:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn vague_identifier_is_reported_with_its_first_line() {
    for (text, name) in [
        ("fn f() {\n    let told = 1;\n    g(told);\n}", "2: `told`"),
        ("struct S {\n    ranges: u8,\n    lent_bytes: u8,\n}", "3: `lent_bytes`"),
        ("fn is_given() {}", "1: `is_given`"),
        ("const HELD: u8 = 1;", "1: `HELD`"),
        ("fn f() { g(|found| found + 1) }", "1: `found`"),
        ("fn f() { macro_call!(let wanted = 1) }", "1: `wanted`"),
        ("fn f() { S { x, ..given } }", "1: `given`"),
    ] {
        assert_eq!(vague("a.rs", text), [format!("a.rs:{name}")], "{text}");
    }
    for text in [
        "fn f() { a.told(b.held) }",
        "enum Found { Missing }",
        "fn damage_is_found() {}",
        "fn names_are_looked_up() {}",
        "/// What is told.\nfn f() { \"told {lent}\" }",
    ] {
        assert!(vague("a.rs", text).is_empty(), "{text}");
    }
}

#[test]
fn pending_folder_with_more_names_or_none_is_reported() {
    let files = [("src/a.rs".to_owned(), "fn f(told: u8, lent: u8) {}".to_owned()), ("b.rs".to_owned(), String::new())];
    assert_eq!(wrong(&files, &[]).len(), 2);
    assert_eq!(wrong(&files, &[("src/", 1)]).len(), 1);
    assert!(wrong(&files, &[("src/", 2)]).is_empty());
    assert!(wrong(&files, &[("src/", 3)]).is_empty());
    assert_eq!(wrong(&files, &[("src/", 2), ("b.rs", 1)]).len(), 1);
}
