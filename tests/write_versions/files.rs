//! The format versions that the files of an array or a group state.

use std::path::{Path, PathBuf};

/// All files below a folder with their bytes, sorted.
pub fn all_files(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let (mut folders, mut files) = (vec![root.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            match path.is_dir() {
                true => folders.push(path),
                false => files.push((path.clone(), std::fs::read(path).unwrap())),
            }
        }
    }
    files.sort();
    files
}

fn number(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes[..4].try_into().unwrap())
}

/// Each version that a file below a folder states, with its relative name: in the names of fragments, commits and consolidated
/// files, in the headers of generic tiles, in schemas and in footers.
pub fn versions_of(root: &Path) -> Vec<(String, u32)> {
    let mut versions = Vec::new();
    for (path, bytes) in all_files(root) {
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        let last = name.rsplit('/').next().unwrap();
        for part in name.split('/').filter(|_| !name.contains("__group/") && !name.contains("__meta/")) {
            let pieces: Vec<&str> =
                part.split('.').next().unwrap().split('_').filter(|piece| !piece.is_empty()).collect();
            if let [_, _, uuid, version] = pieces[..]
                && uuid.len() == 32
            {
                versions.push((name.clone(), version.parse().unwrap()));
            }
        }
        let is_tile = ["/__schema/", "/__meta/", "/__group/"].iter().any(|folder| format!("/{name}").contains(folder))
            || last == "__fragment_metadata.tdb"
            || last.ends_with(".meta")
            || last.ends_with(".del");
        if !is_tile || last.ends_with(".vac") {
            continue;
        }
        versions.push((name.clone(), number(&bytes)));
        let key = tiledb_filters::crypto::EncryptionKey::None;
        if last.ends_with("metadata.tdb") {
            // The footer is before its length.
            let end = bytes.len() - 8;
            let length = u64::from_le_bytes(bytes[end..].try_into().unwrap()) as usize;
            versions.push((name.clone(), number(&bytes[end - length..])));
            let mut start = 0;
            while start < end - length {
                versions.push((name.clone(), number(&bytes[start..])));
                start += tiledb_filters::tile::generic::read(&bytes[start..], &key).unwrap().1;
            }
        } else if name.contains("__schema/") && !name.contains("__enumerations") {
            versions.push((name.clone(), number(&tiledb_filters::tile::generic::read(&bytes, &key).unwrap().0)));
        }
    }
    versions
}
