//! Tests use folders of their own, which are removed at the end: no array or group may be left in the tree.

use std::path::{Path, PathBuf};

/// Folders that are no part of the tree.
const OTHERS: [&str; 6] = ["target", "build", ".git", ".venv", "__pycache__", "node_modules"];

/// The files and folders of arrays and groups below a folder.
fn left(root: &Path) -> Vec<PathBuf> {
    let mut folders = vec![root.to_owned()];
    let mut left = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = entry.file_name().to_string_lossy().into_owned();
            if OTHERS.contains(&name.as_str()) {
                continue;
            }
            // Python has files of such names, too.
            if name.starts_with("__") && !name.ends_with(".py") {
                left.push(entry.path());
            } else if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            }
        }
    }
    left
}

#[test]
fn tests_leave_no_arrays_in_the_tree() {
    let left = left(Path::new(env!("CARGO_MANIFEST_DIR")));
    assert!(left.is_empty(), "a test left them: {left:?}");
}

#[test]
fn array_left_in_the_sources_is_reported() {
    let root = tempfile::tempdir().unwrap();
    let array = root.path().join("src/array/__schema");
    std::fs::create_dir_all(&array).unwrap();
    std::fs::create_dir_all(root.path().join("target/array/__schema")).unwrap();
    assert_eq!(left(root.path()), [array]);
}
