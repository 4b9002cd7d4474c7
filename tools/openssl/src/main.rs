//! Prints the folder with OpenSSL's sources, which the crate `openssl-src` contains.
#![allow(clippy::print_stdout, reason = "the result of the program")]

fn main() {
    println!("{}", openssl_src::source_dir().display());
}
