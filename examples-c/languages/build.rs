//! Build script of a Cargo package that calls the C library: links it from `lib` below TILEDB_PREFIX, /usr/local by default, and
//! stores that folder in the program, which finds the library there.

fn main() {
    let prefix = std::env::var("TILEDB_PREFIX").unwrap_or_else(|_| "/usr/local".to_owned());
    println!("cargo::rerun-if-env-changed=TILEDB_PREFIX");
    println!("cargo::rustc-link-search=native={prefix}/lib");
    println!("cargo::rustc-link-lib=dylib=tiledb_rs");
    println!("cargo::rustc-link-arg=-Wl,-rpath,{prefix}/lib");
}
