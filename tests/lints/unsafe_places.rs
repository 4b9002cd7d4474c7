//! Files in which `unsafe` is allowed.

use super::house::{HOUSE, House};

/// Files and folders whose `unsafe` is argued for in docs/architecture.md.
const ALLOWED: &[&str] = &[
    "crates/tiledb-arrow/src/arrow_rs.rs",
    "crates/tiledb-arrow/src/c_data.rs",
    "crates/tiledb-arrow/src/import.rs",
    "crates/tiledb-datafusion/src/batches.rs",
    "crates/tiledb-duckdb/src/",
    "crates/tiledb-wasm/src/exchange.rs",
    "crates/tiledb-filters/src/codec/",
    "crates/tiledb-filters/src/crypto/",
    "src/capi/boundary/",
    "crates/tiledb-core/src/fork.rs",
    "crates/tiledb-core/src/memory/pages.rs",
    "crates/tiledb-core/src/memory/reserve.rs",
    "crates/tiledb-core/src/memory/slots.rs",
    "crates/tiledb-cells/src/columns/copy.rs",
    "crates/tiledb-cells/src/columns/memory.rs",
    "crates/tiledb-cells/src/columns/streaming.rs",
    "crates/tiledb-cells/src/columns/transpose.rs",
    "crates/tiledb-cells/src/columns/user_buffer.rs",
    "crates/tiledb-core/src/platform/",
    "crates/tiledb-query/src/read/dense/condition.rs",
    "crates/tiledb-query/src/read/dense/fixed.rs",
    "crates/tiledb-query/src/read/dense/var.rs",
    "crates/tiledb-query/src/read/sparse/scatter.rs",
    "crates/tiledb-query/src/scoped_buffers.rs",
];

fn wrong(house: &House) -> Vec<String> {
    let elsewhere = house.files.iter().filter(|file| !ALLOWED.iter().any(|place| file.path.starts_with(place)));
    elsewhere.flat_map(|file| file.unsafes.iter().map(|(line, what)| format!("{}:{line}: {what}", file.path))).collect()
}

#[test]
fn unsafe_occurs_in_listed_files_only() {
    let wrong = wrong(&HOUSE);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for place in ALLOWED {
        let needed = |file: &&super::facts::Facts| file.path.starts_with(*place) && !file.unsafes.is_empty();
        assert!(HOUSE.files.iter().find(needed).is_some(), "{place} needs no `unsafe` any more");
    }
}

#[test]
fn unsafe_in_an_unlisted_file_is_reported() {
    let broken = [
        "fn f(p: *const u8) -> u8 { unsafe { *p } }",
        "fn f(p: *const u8) -> u8 { unsafe\n{ *p } }",
        "unsafe fn f() {}",
        "unsafe trait T {}",
        "struct S; unsafe impl Send for S {}",
        "unsafe extern \"C\" { fn g(); }",
        "struct S; impl S { unsafe fn f() {} }",
        "fn f(p: *const u8) { println!(\"{}\", unsafe { *p }) }",
        "macro_rules! m { ($p:expr) => { unsafe { *$p } } }",
        "#[cfg(test)] mod tests {} unsafe fn f() {}",
    ];
    for text in broken {
        assert_eq!(wrong(&House::planted(&[("src/tile/x.rs", text)])).len(), 1, "{text}");
    }
    let fine = [
        "#[unsafe(no_mangle)] pub extern \"C\" fn f() {}",
        "/// `unsafe { }`\nfn f() { let text = \"unsafe {\"; }",
        "#[cfg(test)] mod tests { unsafe fn f() {} }",
        "type F = unsafe extern \"C\" fn();",
    ];
    for text in fine {
        assert_eq!(wrong(&House::planted(&[("src/tile/x.rs", text)])), Vec::<String>::new(), "{text}");
    }
    assert!(wrong(&House::planted(&[("crates/tiledb-filters/src/codec/x.rs", broken[0])])).is_empty());
}
