//! Links the tool with the shared library: cargo's own, built just before, which tests use; or with that in the folder
//! `TILEDB_RS_LIB`, without the feature `library`. The tool finds that one in `../lib`, on Windows beside it. For musl the
//! static library in that folder is linked. With the feature `static` the crate is linked, and no shared library.

use std::path::{Path, PathBuf};

/// The name under which the library is loaded.
const SONAME: &str = "libtiledb_rs.so.2.30";

fn main() {
    println!("cargo::rerun-if-env-changed=TILEDB_RS_LIB");
    println!("cargo::rerun-if-changed=build.rs");
    let is_musl = std::env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|env| env == "musl");
    // For musl the tool is linked statically, without a compiler that takes `-Wl`; nothing is bound at run time then.
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") && !is_musl {
        println!("cargo::rustc-link-arg=-Wl,-z,now");
    }
    if std::env::var_os("CARGO_FEATURE_STATIC").is_some() {
        return;
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    let (folder, places) = match std::env::var_os("TILEDB_RS_LIB") {
        Some(folder) if std::env::var_os("CARGO_FEATURE_LIBRARY").is_none() && is_musl => {
            println!("cargo::rerun-if-changed={}/libtiledb_rs.a", folder.display());
            println!("cargo::rustc-link-search=native={}", folder.display());
            println!("cargo::rustc-link-lib=static:-bundle=tiledb_rs");
            return;
        }
        Some(folder) if std::env::var_os("CARGO_FEATURE_LIBRARY").is_none() => {
            let is_macos = std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "macos");
            (PathBuf::from(folder), if is_macos { "@loader_path/../lib" } else { "$ORIGIN/../lib" })
        }
        _ => {
            let folder = out.ancestors().nth(3).unwrap_or(&out).join("deps");
            name(&folder);
            (folder, "$ORIGIN/deps:$ORIGIN")
        }
    };
    println!("cargo::rustc-link-search=native={}", folder.display());
    println!("cargo::rustc-link-lib=dylib=tiledb_rs");
    // Windows looks for libraries beside the program.
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system != "windows") {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{places}");
    }
}

/// Lets the library that cargo makes be found under the name that it says it has.
fn name(folder: &Path) {
    let link = folder.join(SONAME);
    _ = std::fs::remove_file(&link);
    _ = std::os::unix::fs::symlink("libtiledb_rs.so", &link);
}
