//! Link settings of the shared library: its SONAME, that it stays mapped once loaded, that OpenSSL is inside it, and which
//! functions lie side by side.

use std::path::{Path, PathBuf};
use std::process::Command;

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
        if std::env::var("PROFILE").as_deref() == Ok("release") && std::env::var_os("TILEDB_RS_ANY_ORDER").is_none() {
            link_in_order();
        }
        if std::env::var("OPENSSL_STATIC").is_ok_and(|value| value != "0") {
            link_openssl_statically();
        }
    }
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

/// An archive of OpenSSL: in the folder that the variables of `openssl-sys` name, else where the C compiler of the target
/// finds it.
fn archive(name: &str) -> Option<PathBuf> {
    let prefix = target().to_uppercase().replace('-', "_");
    let setting = |variable: &str| {
        let own = variable_of_build(&format!("{prefix}_{variable}"));
        own.or_else(|| variable_of_build(variable)).map(PathBuf::from)
    };
    if let Some(folder) = setting("OPENSSL_LIB_DIR").or_else(|| Some(setting("OPENSSL_DIR")?.join("lib"))) {
        return Some(folder.join(name)).filter(|path| path.exists());
    }
    let compiler = tool("CC", "cc", "gcc");
    let mut words = compiler.split_whitespace();
    let output = Command::new(words.next()?).args(words).arg(format!("-print-file-name={name}")).output().ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    path.is_absolute().then_some(path)
}

/// The machine that the library is built for.
fn target() -> String {
    std::env::var("TARGET").unwrap_or_default()
}

/// A variable of the environment; cargo builds again if it changes.
fn variable_of_build(name: &str) -> Option<String> {
    println!("cargo::rerun-if-env-changed={name}");
    std::env::var(name).ok()
}

/// A tool of the C toolchain, as the crate `cc` finds it: `CC_TARGET` or `CC` may name it with arguments; else it has its
/// plain name, or, for another machine than this one, the name with the machine before it (`aarch64-linux-gnu-gcc`).
fn tool(variable: &str, native: &str, cross: &str) -> String {
    let target = target();
    let own = variable_of_build(&format!("{variable}_{}", target.replace('-', "_")));
    own.or_else(|| variable_of_build(variable)).unwrap_or_else(|| {
        if std::env::var("HOST").is_ok_and(|host| host == target) {
            native.to_owned()
        } else {
            format!("{}-{cross}", target.replacen("-unknown", "", 1))
        }
    })
}

/// Copies an archive without its unwind tables, 5 % of the shared library: callbacks of OpenSSL catch panics, so that nothing
/// unwinds through it. False without a usable `objcopy`: the archive is linked as it is, and the library is larger.
fn without_unwind_tables(archive: &Path, copy: &Path) -> bool {
    let objcopy = tool("OBJCOPY", "objcopy", "objcopy");
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
