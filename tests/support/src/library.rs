//! Paths of the project, of the library of this build, and of the reference.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};

/// The root of the project.
pub fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).expect("this package is two folders below")
}

/// The shared library under test: what `TILEDB_LIB` names, else that of this build, which cargo puts beside the tests.
pub fn ours() -> PathBuf {
    if let Some(path) = std::env::var_os("TILEDB_LIB") {
        // Children work elsewhere.
        return root().join(path);
    }
    let test = std::env::current_exe().expect("the path of the test");
    let library = test.with_file_name(format!("{DLL_PREFIX}tiledb_rs{DLL_SUFFIX}"));
    assert!(library.exists(), "{} does not exist; cargo builds it for integration tests", library.display());
    library
}

/// The reference, if it is there: what `TILEDB_REFERENCE` names, else the wheel in `.venv` that `make test` sets up.
/// An empty `TILEDB_REFERENCE` stands for none. With `REFERENCE=required`, as `make test` runs the tests, it must be there: nothing is
/// skipped unseen.
pub fn reference() -> Option<PathBuf> {
    let path = match std::env::var_os("TILEDB_REFERENCE") {
        Some(path) => (!path.is_empty()).then(|| root().join(path)),
        None => wheel(),
    };
    let required = std::env::var_os("REFERENCE").is_some_and(|word| word == "required");
    assert!(!required || path.as_ref().is_some_and(|path| path.exists()), "the reference is missing: `make venv`");
    path
}

fn wheel() -> Option<PathBuf> {
    let python = std::fs::read_dir(root().join(".venv/lib")).ok()?.next()?.ok()?.path();
    let wheel = std::fs::read_dir(python.join("site-packages/tiledb.libs")).ok()?;
    wheel.filter_map(|entry| Some(entry.ok()?.path())).find(|path| path.to_string_lossy().contains("libtiledb"))
}
