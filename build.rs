//! Link settings of the shared library: its SONAME, that it stays mapped once loaded, that OpenSSL is inside it, and which
//! functions lie side by side.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The SONAME, unless `TILEDB_RS_SONAME` gives another one (the drop-in's is `libtiledb.so.2.30`).
const SONAME: &str = "libtiledb_rs.so.2.30";

/// The functions of everyday work, as a linker's script: in memory is what lies near a function that runs.
const EVERYDAY: &str = "tools/everyday.ld";

fn main() {
    println!("cargo::rerun-if-env-changed=TILEDB_RS_SONAME");
    println!("cargo::rerun-if-env-changed=OPENSSL_STATIC");
    println!("cargo::rerun-if-env-changed=OBJCOPY");
    println!("cargo::rerun-if-env-changed=TILEDB_RS_ANY_ORDER");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={EVERYDAY}");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        let soname = std::env::var("TILEDB_RS_SONAME").unwrap_or_else(|_| SONAME.to_owned());
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,{soname}");
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete,-z,relro,-z,now,-z,noexecstack");
        // Linkers that know no scripts (mold, gold) need `TILEDB_RS_ANY_ORDER`.
        if std::env::var("PROFILE").as_deref() == Ok("release") && std::env::var_os("TILEDB_RS_ANY_ORDER").is_none() {
            let root = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
            println!("cargo::rustc-cdylib-link-arg=-Wl,-T,{root}/{EVERYDAY}");
        }
        if std::env::var("OPENSSL_STATIC").is_ok_and(|value| value != "0") {
            link_openssl_statically();
        }
    }
}

/// Lets `-lcrypto` and `-lssl` mean the system's archives. `openssl-sys` leaves libraries below `/usr` shared even where
/// `OPENSSL_STATIC` is set, so the linker first looks into a folder that holds nothing but links to the archives.
fn link_openssl_statically() {
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    for name in ["libcrypto.a", "libssl.a"] {
        let linked = archive(name)
            .is_some_and(|archive| without_unwind_tables(&archive, &out.join(name)) || link(&archive, &out.join(name)));
        if !linked {
            println!("cargo::warning={name} was not found: the library will need OpenSSL's shared libraries");
            return;
        }
    }
    println!("cargo::rustc-cdylib-link-arg=-L{}", out.display());
}

/// Where the C compiler, which `CC` may name with arguments, finds an archive.
fn archive(name: &str) -> Option<PathBuf> {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut words = compiler.split_whitespace();
    let output = Command::new(words.next()?).args(words).arg(format!("-print-file-name={name}")).output().ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    path.is_absolute().then_some(path)
}

/// Copies an archive without its unwind tables, 5 % of the shared library: callbacks of OpenSSL catch panics, so that nothing
/// unwinds through it. False without a usable `objcopy`: the archive is linked as it is, and the library is larger.
fn without_unwind_tables(archive: &Path, copy: &Path) -> bool {
    let objcopy = std::env::var_os("OBJCOPY").unwrap_or_else(|| "objcopy".into());
    let _ = std::fs::remove_file(copy);
    let sections = ["--remove-section=.eh_frame", "--remove-section=.rela.eh_frame"];
    Command::new(objcopy).args(sections).arg(archive).arg(copy).status().is_ok_and(|status| status.success())
}

/// Makes a symbolic link, in place of an older one.
fn link(archive: &Path, link: &Path) -> bool {
    #[cfg(unix)]
    {
        let _ = std::fs::remove_file(link);
        std::os::unix::fs::symlink(archive, link).is_ok()
    }
    #[cfg(not(unix))]
    {
        let _ = (archive, link);
        false
    }
}
