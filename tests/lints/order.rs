//! The order of the crates, and of the modules of the root package.

use super::edges::{self, EDGES, Edge};
use super::house::{HOUSE, House};

/// From left to right; each uses those to its left. Cargo has the same order of crates.
const ORDER: &str = "core filters storage array cells query maintain rest arrow | tiledb | capi datafusion duckdb wasm";

fn wrong(house: &House, all: &[Edge]) -> Vec<String> {
    let order: Vec<&str> = ORDER.split_whitespace().filter(|name| *name != "|").collect();
    let place = |module: &str| order.iter().position(|name| *name == module);
    let unknown = edges::parts(house, &[], &|module| module).into_iter();
    let unknown = unknown.filter(|module| module != edges::OWN && place(module).is_none());
    let mut wrong: Vec<String> = unknown.map(|module| format!("`{module}` has no place in the order")).collect();
    for edge in all.iter().filter(|edge| edge.folder.is_empty() && edge.used != edges::OWN) {
        if edge.user != edges::OWN && place(&edge.used) > place(&edge.user) {
            wrong.push(edge.describe());
        }
    }
    wrong
}

#[test]
fn modules_use_only_modules_to_their_left() {
    let wrong = wrong(&HOUSE, &EDGES);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each text stands in `src/arrow/x.rs`, beside a few other files, and uses the right-hand `capi`.
#[test]
fn use_of_a_module_to_the_right_is_reported() {
    let wrong = |house: &House| wrong(house, &edges::standing(house));
    let broken = [
        "use crate::capi::Array;",
        "use crate::{capi::Array, core::Error};",
        "use crate::capi as other; fn f() { other::open() }",
        "use crate::capi::*;",
        "use super::super::capi::Array;",
        "fn f() -> crate::capi::Array { todo!() }",
        "fn f() { let _: Vec<crate::capi::Array> = Vec::new(); }",
        "fn f() { assert!(crate::capi::open().is_some()); }",
        "/* // */ fn f() { let text = \"//\"; crate::capi::open(); }",
        "#[cfg(test)] mod tests { } fn f() { crate::capi::open(); }",
        "macro_rules! m { () => { $crate::capi::open() } }",
        "use crate::core::Handed;",
        "mod inner { use super::super::super::capi::Array; }",
    ];
    for text in broken {
        let wrong = wrong(&planted(text));
        assert!(wrong.iter().any(|edge| edge.starts_with("arrow -> capi: src/arrow/x.rs:")), "{text}: {wrong:?}");
    }
    let fine = [
        "use crate::core::Error;",
        "#[cfg(test)] mod tests { use crate::capi::Array; }",
        "#[cfg(test)] use crate::capi::Array;",
        "// crate::capi::open()\nfn f() { let text = \"crate::capi::open()\"; }",
        "fn f() { #[cfg(test)] let x = crate::capi::open(); }",
        "mod capi { pub fn open() {} } fn f() { capi::open(); }",
    ];
    for text in fine {
        assert_eq!(wrong(&planted(text)), Vec::<String>::new(), "{text}");
    }
    assert_eq!(wrong(&House::planted(&[("src/nowhere/mod.rs", "")])).len(), 1);
    let crates = |user| {
        let engine = ("crates/tiledb-query/src/read.rs", "pub struct Query;");
        let root = ("crates/tiledb-query/src/lib.rs", "mod read; pub use read::Query;");
        wrong(&House::planted(&[engine, root, (user, "use tiledb_query::Query;")]))
    };
    assert_eq!(crates("crates/tiledb-core/src/x.rs").len(), 1);
    assert_eq!(crates("crates/tiledb-rest/src/x.rs"), Vec::<String>::new());
}

fn planted(text: &str) -> House {
    let handed = if text.contains("Handed") { "pub use crate::capi::Array as Handed;" } else { "" };
    House::planted(&[
        ("src/lib.rs", "mod core; mod arrow; mod capi;"),
        ("src/core.rs", &format!("pub struct Error; {handed}")),
        ("src/arrow/mod.rs", "mod x;"),
        ("src/arrow/x.rs", text),
        ("src/capi/lib.rs", "mod inside; pub use inside::Array; pub fn open() -> Option<Array> { None }"),
        ("src/capi/inside.rs", "pub struct Array;"),
    ])
}
