//! Files of arrays and groups, with symbolic links as the library treats them: deleting an object removes only the link.

use tiledb::{Context, Vfs, uri};

use super::error::Result;

/// Folders of an array that may be links to another disk: their files are those of the array.
const LINKED_FOLDERS: [&str; 6] = ["__fragments", "__commits", "__fragment_meta", "__meta", "__schema", "__labels"];

/// A file, a folder or a symbolic link below an object.
pub(crate) struct StoredFile {
    pub uri: String,
    /// Size in bytes; 0 of folders and links.
    pub bytes: u64,
    pub is_dir: bool,
}

/// Whether the name of a local file or folder is a symbolic link.
pub(crate) fn is_link(uri: &str) -> Result<bool> {
    Ok(path_of(uri)?.is_some_and(|path| is_link_path(path.trim_end_matches('/'))))
}

/// Whether a name below a local folder is a symbolic link or lies behind one.
pub(crate) fn is_behind_link(folder: &str, uri: &str) -> Result<bool> {
    let (Some(folder), Some(path)) = (path_of(folder)?, path_of(uri)?) else { return Ok(false) };
    let (folder, path) = (folder.trim_end_matches('/'), path.trim_end_matches('/'));
    let Some(inner) = path.strip_prefix(folder).filter(|inner| inner.starts_with('/')) else { return Ok(false) };
    let first = folder.len() + 1;
    let mut ends = inner.match_indices('/').map(|(end, _)| folder.len() + end).chain([path.len()]);
    Ok(ends.any(|end| end > first && is_link_path(&path[..end])))
}

/// What is removed with an object: everything below it, without what symbolic links lead to.
pub(crate) fn files_below(ctx: &Context, uri: &str) -> Result<Vec<StoredFile>> {
    let entries = Vfs::new(ctx).list_recursive(uri)?;
    let stored = |entry: &tiledb::DirEntry| -> Result<StoredFile> {
        let is_link = is_link(entry.uri())?;
        let bytes = if entry.is_dir() || is_link { 0 } else { entry.size() };
        Ok(StoredFile { uri: entry.uri().to_owned(), bytes, is_dir: entry.is_dir() && !is_link })
    };
    entries.iter().map(stored).collect()
}

/// The files of an array, including those in linked folders of it such as `__fragments`.
pub(crate) fn files_of_array(ctx: &Context, uri: &str) -> Result<Vec<StoredFile>> {
    let mut files = files_below(ctx, uri)?;
    let last = |uri: &str| uri.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
    let is_linked = |file: &&StoredFile| !file.is_dir && LINKED_FOLDERS.contains(&last(&file.uri).as_str());
    let linked: Vec<String> = files.iter().filter(is_linked).map(|file| file.uri.clone()).collect();
    for folder in linked {
        files.extend(files_below(ctx, &folder)?);
    }
    Ok(files)
}

/// The local path of a URI; none of other stores.
fn path_of(text: &str) -> Result<Option<String>> {
    let uri = uri::normalize(text)?;
    Ok(if uri.starts_with("file:") { uri::local_path(&uri)? } else { None })
}

fn is_link_path(path: &str) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink())
}
