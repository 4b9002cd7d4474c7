//! Names and comments: no names that identify no subject, no two types with the same name, no comment that only repeats
//! the name of its item.

use std::collections::BTreeMap;

use super::house::{HOUSE, House};

/// Words that name no subject. `docs/concepts.md` has the terms.
pub const VAGUE: &[&str] = &[
    "apart", "asked", "behind", "borrowed", "done", "given", "held", "kept", "lent", "looked", "made", "mended",
    "seen", "told", "together", "wanted",
];

/// Words that say nothing beside a name.
const FILLERS: &[&str] =
    &["a", "an", "its", "of", "the", "this", "all", "as", "is", "for", "to", "in", "each", "their"];

/// The words of a name in camel case or snake case.
pub fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in name.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() {
            words.push(String::new());
        }
        if letter.is_alphanumeric() {
            words.last_mut().unwrap().extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The type that a line declares, if others can see it.
fn declared(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub")?;
    let rest = rest.strip_prefix('(').map_or(Some(rest), |rest| Some(rest.split_once(')')?.1))?.trim_start();
    let (kind, rest) = rest.split_once(' ')?;
    let of_type = ["struct", "enum", "trait", "union", "type"].contains(&kind);
    let name = rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next();
    // A name that a macro is given is empty here.
    name.filter(|name| of_type && !name.is_empty())
}

/// The name of the item, field or variant that a line begins.
fn named(line: &str) -> Option<&str> {
    let words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty());
    let keywords =
        ["pub", "crate", "super", "fn", "struct", "enum", "trait", "type", "const", "static", "mod", "unsafe", "async"];
    words.into_iter().find(|word| !keywords.contains(word))
}

fn repeats(comment: &str, name: &str) -> bool {
    let name = words(name);
    let of_comment = comment.split(|letter: char| !letter.is_alphanumeric()).map(str::to_lowercase);
    let of_comment: Vec<String> =
        of_comment.filter(|word| !word.is_empty() && !FILLERS.contains(&word.as_str())).collect();
    let is_same = |word: &String| {
        name.iter().any(|other| {
            let shared = word.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
            word == other || shared >= 4 && shared + 1 >= word.len().min(other.len())
        })
    };
    !of_comment.is_empty() && of_comment.iter().all(is_same)
}

fn vague(house: &House) -> Vec<String> {
    let mut wrong = Vec::new();
    for file in &house.files {
        let stem = file.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
        if words(stem).iter().any(|word| VAGUE.contains(&word.as_str())) {
            wrong.push(format!("{}: the file is named after no subject", file.path));
        }
        for (at, line) in file.text.lines().enumerate() {
            let name = declared(line).filter(|name| words(name).iter().any(|word| VAGUE.contains(&word.as_str())));
            wrong.extend(name.map(|name| format!("{}:{}: `{name}`", file.path, at + 1)));
        }
    }
    wrong
}

fn twice(house: &House) -> Vec<String> {
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for file in &house.files {
        // A handle of the C interface, and a type of the public crate, may have the name of what it holds. Types of traits repeat
        // by their nature, and those of one system are those of the other.
        let may_repeat = ["src/capi/", "crates/tiledb/"].iter().any(|place| file.path.starts_with(place))
            || ["/platform/windows/", "/platform/wasm/"].iter().any(|place| file.path.contains(place));
        for (at, line) in file.text.lines().enumerate().filter(|_| !may_repeat) {
            if let Some(name) = declared(line) {
                places.entry(name).or_default().push(format!("{}:{}", file.path, at + 1));
            }
        }
    }
    let twice = places.into_iter().filter(|(_, places)| places.len() > 1);
    twice.map(|(name, places)| format!("`{name}`: {}", places.join(", "))).collect()
}

fn repeated(house: &House) -> Vec<String> {
    let mut wrong = Vec::new();
    // Every item of the public interfaces is described, however obvious its name.
    let is_public = |path: &str| path.starts_with("src/capi/") || path.starts_with("crates/tiledb/");
    for file in house.files.iter().filter(|file| !is_public(&file.path)) {
        let lines: Vec<&str> = file.text.lines().map(str::trim_start).collect();
        for at in 1..lines.len().saturating_sub(1) {
            let Some(comment) = lines[at].strip_prefix("/// ") else { continue };
            let is_alone = !lines[at - 1].starts_with("///") && !lines[at + 1].starts_with("///");
            let item = lines[at + 1..].iter().find(|line| !line.starts_with("#["));
            if is_alone && item.and_then(|item| named(item)).is_some_and(|name| repeats(comment, name)) {
                wrong.push(format!("{}:{}: {comment}", file.path, at + 1));
            }
        }
    }
    wrong
}

#[test]
fn files_and_types_have_names_of_the_field() {
    let wrong = vague(&HOUSE);
    assert!(wrong.is_empty(), "{} names:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn types_have_names_of_their_own() {
    let wrong = twice(&HOUSE);
    assert!(wrong.is_empty(), "{} names:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn comments_say_more_than_names() {
    let wrong = repeated(&HOUSE);
    assert!(wrong.is_empty(), "{} comments:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn forbidden_names_and_comments_are_reported() {
    let planted = |path: &str, text: &str| House::planted(&[(path, text)]);
    for text in [
        "pub struct Told;",
        "pub(crate) enum LentCells { A }",
        "pub trait CellsGiven {}",
        "mod x {\n    pub type Kept = u8;\n}",
    ] {
        assert_eq!(vague(&planted("src/arrow/x.rs", text)).len(), 1, "{text}");
    }
    assert_eq!(vague(&planted("src/arrow/given.rs", "")).len(), 1);
    for text in ["struct Told;", "pub struct Threshold;", "pub fn told() {}"] {
        assert!(vague(&planted("src/arrow/x.rs", text)).is_empty(), "{text}");
    }
    assert_eq!(twice(&planted("src/arrow/x.rs", "pub struct A;\nmod y {\n    pub(super) enum A {}\n}")).len(), 1);
    assert!(twice(&planted("src/arrow/x.rs", "pub struct A;\nstruct B;\nmod y {\n    struct B;\n}")).is_empty());
    for text in [
        "/// Its configuration.\n    config: Config,",
        "/// The cell order.\n    #[allow(x)]\n    pub cell_order: Layout,",
    ] {
        let text = format!("struct S {{\n    {text}\n}}\n");
        assert_eq!(repeated(&planted("src/arrow/x.rs", &text)).len(), 1, "{text}");
    }
    for text in ["/// In bytes.\n    size: u64,", "/// The order of cells in a tile.\n    cell_order: Layout,"] {
        let text = format!("struct S {{\n    {text}\n}}\n");
        assert!(repeated(&planted("src/arrow/x.rs", &text)).is_empty(), "{text}");
    }
}
