//! The one order of the modules at the top.

use super::edges::{self, EDGES, Edge};
use super::house::{HOUSE, House};

/// The layers from left to right; a module uses modules to its left, and its own.
const ORDER: &str = "error fork memory types wire plain_file | config budget stats pool log | codec crypto http vfs resources | filter tile \
     | schema condition | fragment | array | query | object group maintain verify filestore | remote | arrow | capi inside";

fn wrong(house: &House, all: &[Edge]) -> Vec<String> {
    let order: Vec<&str> = ORDER.split_whitespace().filter(|name| *name != "|").collect();
    let place = |module: &str| order.iter().position(|name| *name == module);
    let unknown = edges::parts(house, &[], &|module| module).into_iter();
    let unknown = unknown.filter(|module| module != edges::OWN && place(module).is_none());
    let mut wrong: Vec<String> = unknown.map(|module| format!("`{module}` has no place in the order")).collect();
    for edge in all.iter().filter(|edge| edge.folder.is_empty() && edge.used != edges::OWN) {
        if edge.user != edges::OWN && place(&edge.used) > place(&edge.user) {
            wrong.push(edge.told());
        }
    }
    wrong
}

#[test]
fn modules_use_only_modules_to_their_left() {
    let wrong = wrong(&HOUSE, &EDGES);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each text stands in `src/tile/x.rs`, beside a few other files, and uses the right-hand `array`.
#[test]
fn a_module_that_uses_one_to_its_right_is_found() {
    let wrong = |house: &House| wrong(house, &edges::standing(house));
    let broken = [
        "use crate::array::Array;",
        "use crate::{array::Array, error::Error};",
        "use crate::array as other; fn f() { other::open() }",
        "use crate::array::*;",
        "use super::super::array::Array;",
        "fn f() -> crate::array::Array { todo!() }",
        "fn f() { let _: Vec<crate::array::Array> = Vec::new(); }",
        "fn f() { assert!(crate::array::open().is_some()); }",
        "/* // */ fn f() { let text = \"//\"; crate::array::open(); }",
        "#[cfg(test)] mod tests { } fn f() { crate::array::open(); }",
        "macro_rules! m { () => { $crate::array::open() } }",
        "use crate::error::Handed;",
        "mod inner { use super::super::super::array::Array; }",
    ];
    for text in broken {
        let wrong = wrong(&planted(text));
        assert!(wrong.iter().any(|edge| edge.starts_with("tile -> array: src/tile/x.rs:")), "{text}: {wrong:?}");
    }
    let fine = [
        "use crate::error::Error;",
        "#[cfg(test)] mod tests { use crate::array::Array; }",
        "#[cfg(test)] use crate::array::Array;",
        "// crate::array::open()\nfn f() { let text = \"crate::array::open()\"; }",
        "fn f() { #[cfg(test)] let x = crate::array::open(); }",
        "mod array { pub fn open() {} } fn f() { array::open(); }",
    ];
    for text in fine {
        assert_eq!(wrong(&planted(text)), Vec::<String>::new(), "{text}");
    }
    assert_eq!(wrong(&House::planted(&[("src/nowhere/mod.rs", "")])).len(), 1);
}

fn planted(text: &str) -> House {
    let handed = if text.contains("Handed") { "pub use crate::array::Array as Handed;" } else { "" };
    House::planted(&[
        ("src/lib.rs", "mod error; mod tile; mod array;"),
        ("src/error.rs", &format!("pub struct Error; {handed}")),
        ("src/tile/mod.rs", "mod x;"),
        ("src/tile/x.rs", text),
        ("src/array/mod.rs", "mod inside; pub use inside::Array; pub fn open() -> Option<Array> { None }"),
        ("src/array/inside.rs", "pub struct Array;"),
    ])
}
