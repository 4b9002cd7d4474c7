//! Link settings of the shared library: its SONAME, and that it stays mapped once loaded.

/// The SONAME, unless `TILEDB_RS_SONAME` gives another one (the drop-in's is `libtiledb.so.2.30`).
const SONAME: &str = "libtiledb_rs.so.2.30";

fn main() {
    println!("cargo::rerun-if-env-changed=TILEDB_RS_SONAME");
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        let soname = std::env::var("TILEDB_RS_SONAME").unwrap_or_else(|_| SONAME.to_owned());
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,{soname}");
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete,-z,relro,-z,now,-z,noexecstack");
    }
}
