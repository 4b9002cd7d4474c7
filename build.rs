//! Link settings of the shared library: its SONAME, that it stays mapped once loaded, that OpenSSL is inside it, and which
//! functions lie side by side.

use std::path::PathBuf;
use std::process::Command;

#[path = "tools/openssl_archives.rs"]
mod openssl_archives;

/// The SONAME, unless `TILEDB_RS_SONAME` gives another one (the drop-in's is `libtiledb.so.2.30`).
const SONAME: &str = "libtiledb_rs.so.2.30";

/// The install name, which is the same for macOS.
const INSTALL_NAME: &str = "libtiledb_rs.2.30.dylib";

/// The functions of everyday work, as a linker's script: in memory is what lies near a function that runs.
const EVERYDAY: &str = "tools/everyday.ld";

/// A script that puts the table of calls to other libraries beside them.
const PLT: &str = "tools/plt.ld";

fn main() {
    println!("cargo::rerun-if-env-changed=TILEDB_RS_SONAME");
    println!("cargo::rerun-if-env-changed=OPENSSL_STATIC");
    println!("cargo::rerun-if-env-changed=TILEDB_RS_ANY_ORDER");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={EVERYDAY}");
    println!("cargo::rerun-if-changed={PLT}");
    let system = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if system == "macos" {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/{INSTALL_NAME}");
    }
    if system == "linux" {
        let soname = std::env::var("TILEDB_RS_SONAME").unwrap_or_else(|_| SONAME.to_owned());
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,{soname}");
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete,-z,relro,-z,now,-z,noexecstack");
        // Linkers that know no scripts (mold, gold) need `TILEDB_RS_ANY_ORDER`.
        if std::env::var("PROFILE").as_deref() == Ok("release") {
            if std::env::var_os("TILEDB_RS_ANY_ORDER").is_none() {
                link_in_order();
            }
            if links_with_lld() {
                println!("cargo::rustc-cdylib-link-arg=-Wl,--icf=all");
            }
        }
        if std::env::var("OPENSSL_STATIC").is_ok_and(|value| value != "0") {
            openssl_archives::link("rustc-cdylib-link-arg");
        }
    }
}

/// Whether the linker is the LLD that comes with the compiler, which shares the code of functions that are the same: the default
/// for Linux x86-64 since Rust 1.90. GNU's linker does not know the option.
fn links_with_lld() -> bool {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let is_default = variable("RUSTC_LINKER").is_empty() && variable("CARGO_ENCODED_RUSTFLAGS").is_empty();
    let target = variable("TARGET");
    if !is_default || target != "x86_64-unknown-linux-gnu" || target != variable("HOST") {
        return false;
    }
    let print = |arguments: &[&str]| {
        let output = Command::new(variable("RUSTC")).args(arguments).output().ok()?;
        String::from_utf8(output.stdout).ok()
    };
    let minor = print(&["--version"]).and_then(|text| text.split('.').nth(1)?.parse::<u32>().ok());
    let linker =
        print(&["--print", "target-libdir"]).map(|folder| PathBuf::from(folder.trim()).with_file_name("bin/rust-lld"));
    minor.is_some_and(|minor| minor >= 90) && linker.is_some_and(|linker| linker.exists())
}

/// Links with both scripts, joined: Zig, which links for musl, takes only the last one that it is given.
fn link_in_order() {
    let script = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default()).join("order.ld");
    let text = [EVERYDAY, PLT].map(|part| std::fs::read_to_string(part).unwrap_or_default()).concat();
    match std::fs::write(&script, text) {
        Ok(()) => println!("cargo::rustc-cdylib-link-arg=-Wl,-T,{}", script.display()),
        Err(error) => println!("cargo::warning={} cannot be written: {error}", script.display()),
    }
}
