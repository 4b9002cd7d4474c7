//! Names of fields, functions, constants and bindings that identify no subject, in sources, tests and Python. How many there are may
//! only fall.

use std::collections::BTreeMap;

use syn::visit::{self, Visit};

use super::house::{files_of, root_files};
use super::names::{VAGUE, words};

/// Words that name no subject in these names either.
const MORE: [&str; 2] = ["found", "most"];

/// What is counted, where, and the greatest number.
const LIMITS: [(&str, &str, usize); 13] = [
    ("sources", "fields", 60),
    ("sources", "functions", 131),
    ("sources", "constants", 35),
    ("sources", "bindings", 877),
    ("tests", "fields", 21),
    ("tests", "functions", 46),
    ("tests", "constants", 11),
    ("tests", "bindings", 595),
    ("cli", "fields", 8),
    ("cli", "functions", 7),
    ("cli", "constants", 1),
    ("cli", "bindings", 101),
    ("python", "bindings", 524),
];

type Counts = BTreeMap<&'static str, usize>;

fn is_vague(name: &str) -> bool {
    let is_constant = !name.contains(char::is_lowercase);
    let name = if is_constant { name.to_lowercase() } else { name.to_owned() };
    words(&name).iter().any(|word| VAGUE.contains(&word.as_str()) || MORE.contains(&word.as_str()))
}

/// Counts vague names by the kind of the item.
#[derive(Default)]
struct Names(Counts);

impl Names {
    fn name(&mut self, kind: &'static str, name: &syn::Ident) {
        *self.0.entry(kind).or_default() += usize::from(is_vague(&name.to_string()));
    }
}

impl<'a> Visit<'a> for Names {
    fn visit_field(&mut self, field: &'a syn::Field) {
        field.ident.iter().for_each(|name| self.name("fields", name));
        visit::visit_field(self, field);
    }

    fn visit_signature(&mut self, signature: &'a syn::Signature) {
        self.name("functions", &signature.ident);
        visit::visit_signature(self, signature);
    }

    fn visit_item_const(&mut self, item: &'a syn::ItemConst) {
        self.name("constants", &item.ident);
        visit::visit_item_const(self, item);
    }

    fn visit_impl_item_const(&mut self, item: &'a syn::ImplItemConst) {
        self.name("constants", &item.ident);
        visit::visit_impl_item_const(self, item);
    }

    fn visit_item_static(&mut self, item: &'a syn::ItemStatic) {
        self.name("constants", &item.ident);
        visit::visit_item_static(self, item);
    }

    fn visit_pat_ident(&mut self, pattern: &'a syn::PatIdent) {
        self.name("bindings", &pattern.ident);
        visit::visit_pat_ident(self, pattern);
    }
}

fn of_rust(text: &str) -> Counts {
    let mut names = Names::default();
    names.visit_file(&syn::parse_file(text).unwrap());
    names.0
}

/// Functions, parameters without defaults, and what is assigned or iterated in Python.
fn of_python(text: &str) -> usize {
    let name = |text: &str| -> String { text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let lines = text.lines().map(str::trim_start);
    let declared = lines.flat_map(|line| {
        let assigned = line.split_once(" = ").map(|(names, _)| names).filter(|names| !names.contains(['(', '[', '"']));
        let iterated = line.split_once("for ").and_then(|(_, rest)| Some(rest.split_once(" in ")?.0));
        let function = line.strip_prefix("def ");
        let names = [assigned, iterated, function].into_iter().flatten().flat_map(|names| names.split(", "));
        names.map(|text| name(text.trim_start_matches('('))).collect::<Vec<_>>()
    });
    declared.filter(|name| is_vague(name)).count()
}

fn all() -> BTreeMap<(&'static str, &'static str), usize> {
    let mut all: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (place, folders) in [("sources", &["src/", "crates/"][..]), ("tests", &["tests/"]), ("cli", &["cli/"])] {
        for (_, text) in folders.iter().flat_map(|folder| root_files(folder)) {
            for (kind, count) in of_rust(&text) {
                *all.entry((place, kind)).or_default() += count;
            }
        }
    }
    let python = ["packages/python", "tools"].into_iter().flat_map(|folder| files_of(folder, "py"));
    all.insert(("python", "bindings"), python.map(|(_, text)| of_python(&text)).sum());
    all
}

#[test]
fn names_without_a_subject_become_fewer() {
    let all = all();
    let count = |place, kind| all.get(&(place, kind)).copied().unwrap_or_default();
    let wrong: Vec<String> = LIMITS
        .iter()
        .filter(|(place, kind, limit)| count(place, kind) > *limit)
        .map(|(place, kind, limit)| format!("{kind} in {place}: {}, at most {limit}", count(place, kind)))
        .collect();
    assert!(wrong.is_empty(), "name what it is (docs/concepts.md), not what was done to it:\n{}", wrong.join("\n"));
}

#[test]
fn names_of_each_kind_are_counted() {
    let rust = "const MOST_CELLS: u8 = 1; struct S { told: u8, cells: u8 } fn found_cells(wanted: u8) { let kept = wanted; let most = 1; \
                static LENT: u8 = 1; }";
    let expected = [("bindings", 3), ("constants", 2), ("fields", 1), ("functions", 1)];
    assert_eq!(of_rust(rust), expected.into());
    let python = "def told(wanted):\n    found, cells = 1, 2\n    for kept in found:\n        x[\"asked\"] = 1\n    cells = found(made = 2)\n";
    assert_eq!(of_python(python), 3);
}
