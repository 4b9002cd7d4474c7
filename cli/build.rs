//! Links OpenSSL's static libraries into the tool where `OPENSSL_STATIC` asks for it, as the library's build script does for
//! the library: a folder that holds links to the archives and nothing else comes before those of the system.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=OPENSSL_STATIC");
    println!("cargo::rerun-if-changed=build.rs");
    // A debug build is for the tests; it links faster with the shared ones.
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    if !is_release || std::env::var("OPENSSL_STATIC").is_ok_and(|value| value == "0") {
        return;
    }
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    if ["libcrypto.a", "libssl.a"].iter().all(|name| link(name, &out)) {
        println!("cargo::rustc-link-arg-bins=-L{}", out.display());
    } else {
        println!("cargo::warning=OpenSSL's archives were not found: the tool will need its shared libraries");
    }
}

/// Puts a link to an archive of the C compiler's into a folder.
fn link(name: &str, folder: &Path) -> bool {
    let found = Command::new("cc").arg(format!("-print-file-name={name}")).output();
    let Ok(path) = found.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())) else {
        return false;
    };
    let place = folder.join(name);
    _ = std::fs::remove_file(&place);
    path.is_absolute() && std::os::unix::fs::symlink(path, place).is_ok()
}
