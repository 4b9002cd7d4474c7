//! All source files that are compiled into the library, without tests.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use super::facts::{self, Facts};

/// The files of `src`.
pub static HOUSE: LazyLock<House> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = files(&root.join("src"));
    for entry in std::fs::read_dir(root.join("crates")).unwrap().map(Result::unwrap) {
        sources.extend(files(&entry.path().join("src")));
    }
    let texts = sources.into_iter().map(|path| {
        let name = path.strip_prefix(root).unwrap().display().to_string();
        (name, std::fs::read_to_string(path).unwrap())
    });
    House::of(texts)
});

/// The Rust files below a folder of the project, with their paths from its root on.
pub fn root_files(folder: &str) -> Vec<(String, String)> {
    files_of(folder, "rs")
}

/// The files below a folder of the project with this extension, with their paths from its root on.
pub fn files_of(folder: &str, extension: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: PathBuf| {
        let name = path.strip_prefix(root).unwrap().display().to_string();
        (name, std::fs::read_to_string(path).unwrap())
    };
    files_with(&root.join(folder), extension).into_iter().map(read).collect()
}

/// Source files with what was found in them.
pub struct House {
    pub files: Vec<Facts>,
}

impl House {
    /// The house of these files: their paths from the root of the project on, and their texts.
    pub fn of(texts: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut files: Vec<Facts> = texts.into_iter().map(|(path, text)| facts::of(&path, &text)).collect();
        let tests: Vec<Vec<String>> = files.iter().flat_map(|file| file.tests.clone()).collect();
        files.retain(|file| !tests.iter().any(|test| file.module.starts_with(test)));
        Self { files }
    }

    /// A house of a few small texts, to plant a break in.
    pub fn planted(texts: &[(&str, &str)]) -> Self {
        Self::of(texts.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())))
    }
}

pub fn files(directory: &Path) -> Vec<PathBuf> {
    files_with(directory, "rs")
}

fn files_with(directory: &Path, suffix: &str) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            paths.extend(files_with(&path, suffix));
        } else if path.extension().is_some_and(|extension| extension == suffix) {
            paths.push(path);
        }
    }
    paths.sort();
    paths
}
