//! All public items of the C interface have doc comments.

use super::house::{HOUSE, House};

fn wrong(house: &House) -> Vec<String> {
    let files = house.files.iter().filter(|file| file.path.starts_with("src/capi/"));
    files.flat_map(|file| file.bare.iter().map(|(line, name)| format!("{}:{line}: {name}", file.path))).collect()
}

#[test]
fn public_items_are_described() {
    let wrong = wrong(&HOUSE);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn item_without_documentation_is_reported() {
    let broken = [
        "pub fn f() {}",
        "pub struct S;",
        "pub enum E { A }",
        "pub trait T {}",
        "pub const C: u8 = 0;",
        "struct S; impl S { pub fn f(&self) {} }",
        "/// A trait.\npub trait T { fn f(&self); }",
        "#[inline] pub fn f() {}",
    ];
    for text in broken {
        assert_eq!(wrong(&House::planted(&[("src/capi/x.rs", text)])).len(), 1, "{text}");
    }
    let fine = [
        "/// Described.\npub fn f() {}",
        "fn f() {}",
        "pub(super) fn f() {}",
        "struct S; impl Clone for S { fn clone(&self) -> S { S } }",
        "#[cfg(test)] mod tests { pub fn f() {} }",
        "pub use std::sync::Arc;",
    ];
    for text in fine {
        assert_eq!(wrong(&House::planted(&[("src/capi/x.rs", text)])), Vec::<String>::new(), "{text}");
    }
}
