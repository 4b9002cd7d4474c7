//! Links OpenSSL's static libraries: part of the build scripts of the library and of the command-line tool.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Lets `-lcrypto` and `-lssl` mean the system's archives. `openssl-sys` leaves libraries below `/usr` shared even where
/// `OPENSSL_STATIC` is set, so the linker first looks into a folder that holds nothing but links to the archives.
///
/// The linker's argument is that of an instruction of Cargo, such as `rustc-cdylib-link-arg`.
pub(crate) fn link(instruction: &str) {
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    for name in ["libcrypto.a", "libssl.a"] {
        let linked = archive(name).is_some_and(|archive| {
            without_unwind_tables(&archive, &out.join(name)) || link_to(&archive, &out.join(name))
        });
        if !linked {
            println!("cargo::warning={name} was not found: OpenSSL's shared libraries will be needed");
            return;
        }
    }
    println!("cargo::{instruction}=-L{}", out.display());
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

/// The machine that is built for.
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
fn link_to(archive: &Path, link: &Path) -> bool {
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
