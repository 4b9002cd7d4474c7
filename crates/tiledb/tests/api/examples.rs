//! The examples, which the guide quotes.

#![allow(dead_code, reason = "tests call another function than `main`")]

#[cfg(all(feature = "arrow", feature = "ndarray"))]
#[path = "../../examples/arrow.rs"]
mod arrow;
#[path = "../../examples/first_array.rs"]
mod first_array;
#[path = "../../examples/images.rs"]
mod images;
#[path = "../../examples/tables.rs"]
mod tables;

#[test]
fn examples_run() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    first_array::run(&at("temperatures")).unwrap();
    first_array::run(&at("temperatures")).unwrap();
    tables::run(&at("flights")).unwrap();
    images::run(&at("image")).unwrap();
    #[cfg(all(feature = "arrow", feature = "ndarray"))]
    arrow::main().unwrap();
}
