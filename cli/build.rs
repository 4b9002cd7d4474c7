//! Link settings of the tool on Linux: all symbols are bound when it is started, and OpenSSL is inside it in packages.

#[path = "../tools/openssl_archives.rs"]
mod openssl_archives;

fn main() {
    println!("cargo::rerun-if-env-changed=OPENSSL_STATIC");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../tools/openssl_archives.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system != "linux") {
        return;
    }
    // For musl the tool is linked statically, without a compiler that takes `-Wl`; nothing is bound at run time then.
    if std::env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|env| env != "musl") {
        println!("cargo::rustc-link-arg=-Wl,-z,now");
    }
    if std::env::var("OPENSSL_STATIC").is_ok_and(|value| value != "0") {
        openssl_archives::link("rustc-link-arg-bins");
    }
}
