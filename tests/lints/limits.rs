//! Numbers that divide work are internal limits (`crates/tiledb-core/src/limits/tables`), which tests replace by tiny ones. Every
//! other constant that is a number or a duration is on a reviewed list, `constants.txt`, with its class and the reason.

use std::collections::BTreeMap;

use super::house::{HOUSE, House};

const LIST: &str = include_str!("constants.txt");

/// Why a constant is no internal limit.
const CLASSES: &[&str] = &["layout", "kernel", "memory", "cost", "outcome", "protection", "time"];

/// The tables, and test arrays of other crates.
const EXCLUDED: &[&str] = &["crates/tiledb-core/src/limits/"];

/// A line of the list: a class, a file or folder, names of constants or `*`, and a reason.
struct Entry<'a> {
    line: usize,
    class: &'a str,
    place: &'a str,
    names: Vec<&'a str>,
    reason: &'a str,
}

impl Entry<'_> {
    fn is_for(&self, path: &str) -> bool {
        path == self.place || self.place.ends_with('/') && path.starts_with(self.place)
    }
}

fn entries(list: &str) -> Vec<Entry<'_>> {
    let lines = list.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(number, line)| {
            let mut parts = line.split(" | ");
            let [class, place, names, reason] = [(); 4].map(|()| parts.next().unwrap_or_default().trim());
            Entry { line: number + 1, class, place, names: names.split_whitespace().collect(), reason }
        })
        .collect()
}

/// Constants that are not on the list, and lines of the list that are wrong or match no constant.
fn wrong(house: &House, list: &str) -> Vec<String> {
    let entries = entries(list);
    let mut uses: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for file in house.files.iter().filter(|file| !EXCLUDED.iter().any(|place| file.path.starts_with(place))) {
        for (line, name) in &file.numbers {
            let listed = entries.iter().filter(|entry| entry.is_for(&file.path)).find_map(|entry| {
                let listed = entry.names.iter().find(|listed| **listed == "*" || *listed == name)?;
                Some((entry.line, *listed))
            });
            match listed {
                Some(listed) => *uses.entry(listed).or_default() += 1,
                None => wrong.push(format!("{}:{line}: {name}", file.path)),
            }
        }
    }
    for entry in &entries {
        if !CLASSES.contains(&entry.class) || entry.reason.is_empty() {
            wrong.push(format!("constants.txt:{}: no class and reason", entry.line));
        }
        let unused = entry.names.iter().filter(|name| !uses.contains_key(&(entry.line, **name)));
        wrong.extend(unused.map(|name| format!("constants.txt:{}: there is no {name} in {}", entry.line, entry.place)));
    }
    wrong
}

#[test]
fn numbers_that_divide_work_are_internal_limits() {
    let wrong = wrong(&HOUSE, LIST);
    assert!(
        wrong.is_empty(),
        "move what limits how much is processed at a time to crates/tiledb-core/src/limits/tables; anything else belongs on \
         tests/lints/constants.txt:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn constant_that_is_not_listed_is_reported_with_its_line() {
    let path = "crates/tiledb-query/src/x.rs";
    let text = "const A: u64 = 1;\nfn f() { const B: usize = 2; }\n#[cfg(test)] mod tests { const C: u8 = 3; }\n\
                struct S; impl S { const D: Duration = Duration::ZERO; }\nconst E: &str = \"\"; fn g<const N: usize>() {}";
    let house = House::planted(&[(path, text)]);
    let listed = format!("cost | {path} | A D | a reason");
    assert_eq!(wrong(&house, &listed), [format!("{path}:2: B")]);
    assert_eq!(wrong(&house, "cost | crates/tiledb-query/src/ | * | a reason"), Vec::<String>::new());
    assert_eq!(wrong(&house, ""), [format!("{path}:1: A"), format!("{path}:2: B"), format!("{path}:4: D")]);
}

#[test]
fn list_entry_without_reason_or_constant_is_reported() {
    let house = House::planted(&[("crates/tiledb-query/src/x.rs", "const A: u64 = 1;")]);
    let of = |list: &str| wrong(&house, list).len();
    assert_eq!(of("cost | crates/tiledb-query/src/x.rs | A | a reason"), 0);
    assert_eq!(of("cost | crates/tiledb-query/src/x.rs | A"), 1);
    assert_eq!(of("other | crates/tiledb-query/src/x.rs | A | a reason"), 1);
    assert_eq!(of("cost | crates/tiledb-query/src/x.rs | A B | a reason"), 1);
}
