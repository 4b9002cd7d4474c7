//! The C interface stands on the crate `tiledb`: how many of its files use the crates of the engine below may only fall.

use std::collections::{BTreeMap, BTreeSet};

use super::edges::{self, EDGES, Edge};
use super::house::House;

/// The crates of the engine that the C interface still uses, with the number of its files that do. `core` has plain types such as
/// errors, datatypes and names, which both share; `arrow` the pointers of the Arrow C interface.
const LIMITS: [(&str, usize); 7] =
    [("array", 24), ("cells", 10), ("filters", 3), ("query", 5), ("rest", 9), ("storage", 11), ("arrow", 2)];

/// Crates that the C interface may use.
const FREE: [&str; 3] = ["core", "tiledb", "capi"];

/// The files of the C interface by the crate of the engine that they use.
fn uses(all: &[Edge]) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut uses: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let edges = all.iter().filter(|edge| edge.folder.is_empty() && edge.user == "capi" && edge.used != edges::OWN);
    for edge in edges.filter(|edge| !FREE.contains(&edge.used.as_str())) {
        uses.entry(&edge.used).or_default().insert(&edge.path);
    }
    uses
}

fn wrong(all: &[Edge], limits: &[(&str, usize)]) -> Vec<String> {
    let uses = uses(all);
    let names: BTreeSet<&str> = uses.keys().copied().chain(limits.iter().map(|(name, _)| *name)).collect();
    let count = |name: &str| uses.get(name).map_or(0, BTreeSet::len);
    let limit = |name: &str| limits.iter().find(|(listed, _)| *listed == name).map_or(0, |(_, limit)| *limit);
    let wrong = names.into_iter().filter(|name| count(name) != limit(name));
    wrong
        .map(|name| match count(name) > limit(name) {
            true => format!(
                "{} files of the C interface use tiledb-{name}, not {}: call the crate `tiledb` instead: {:?}",
                count(name),
                limit(name),
                uses.get(name)
            ),
            false => format!("only {} files use tiledb-{name}: lower the limit", count(name)),
        })
        .collect()
}

#[test]
fn c_interface_uses_fewer_and_fewer_crates_of_the_engine() {
    let wrong = wrong(&EDGES, &LIMITS);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn new_use_of_the_engine_and_obsolete_limit_are_reported() {
    let house = House::planted(&[
        ("crates/tiledb-query/src/lib.rs", "pub struct Query;"),
        ("crates/tiledb-core/src/lib.rs", "pub struct Error;"),
        ("crates/tiledb/src/lib.rs", "pub struct Array;"),
        ("src/capi/lib.rs", "mod a; mod b;"),
        ("src/capi/a.rs", "use tiledb_query::Query; use tiledb_core::Error; fn f() { tiledb_query::Query; }"),
        ("src/capi/b.rs", "use tiledb::Array;"),
    ]);
    let edges = edges::standing(&house);
    assert_eq!(wrong(&edges, &[("query", 1)]), Vec::<String>::new());
    assert!(wrong(&edges, &[]).concat().starts_with("1 files of the C interface use tiledb-query, not 0"));
    assert_eq!(wrong(&edges, &[("query", 2)]), ["only 1 files use tiledb-query: lower the limit"]);
    assert_eq!(wrong(&edges, &[("query", 1), ("rest", 1)]), ["only 0 files use tiledb-rest: lower the limit"]);
}
