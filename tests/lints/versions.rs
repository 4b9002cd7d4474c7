//! Format versions are compared by named features, not by number.

use super::house::{HOUSE, House};

fn wrong(house: &House) -> Vec<String> {
    let elsewhere = house.files.iter().filter(|file| file.path != "crates/tiledb-core/src/types/format_version.rs");
    elsewhere.flat_map(|file| file.versions.iter().map(|line| format!("{}:{line}", file.path))).collect()
}

#[test]
fn format_versions_are_compared_by_name() {
    let wrong = wrong(&HOUSE);
    assert!(
        wrong.is_empty(),
        "give the version a name in crates/tiledb-core/src/types/format_version.rs:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn bare_version_is_reported() {
    let broken = [
        "fn f(version: u32) -> bool { version < 12 }",
        "fn f(s: S) -> bool { s.version >= 5 }",
        "fn f(s: S) -> bool { s.format_version().0 == 5 }",
        "fn f(version: V) -> bool { (version.0) != 5 && true }",
        "fn f(v: S) { if v.version() /* // */ > 9 {} }",
    ];
    for text in broken {
        assert_eq!(wrong(&House::planted(&[("src/tile/x.rs", text)])).len(), 1, "{text}");
    }
    let fine = "fn f(version: V, n: u32) -> bool { version.has_times() && n < 12 } // version < 12";
    assert!(wrong(&House::planted(&[("src/tile/x.rs", fine)])).is_empty());
}
