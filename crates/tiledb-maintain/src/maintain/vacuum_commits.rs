//! Vacuuming of commit files whose entries are consolidated, and of superseded consolidated files.

use std::collections::HashSet;

use super::directories;
use tiledb_array::array::FileRemoval;
use tiledb_array::array::commits::{ignored, read};
use tiledb_core::error::{ErrorContext, Result};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// A file of consolidated commits.
struct Consolidated {
    file: Uri,
    /// Its commits, relative to the array, including those of ignored fragments.
    entries: HashSet<String>,
    /// Commits may be missing: whoever repairs the array needs it.
    is_damaged: bool,
}

/// The files with commits.
#[derive(Default)]
struct Files {
    /// Commits of their own, relative to the array.
    loose: Vec<String>,
    consolidated: Vec<Consolidated>,
    /// Which entries count no longer.
    ignores: Vec<(Uri, Vec<String>)>,
}

/// Removes commit files whose entries are in consolidated commits.
pub(super) fn vacuum(resources: &Resources, uri: &Uri, removal: &mut FileRemoval<'_>) -> Result<()> {
    directories::schemas(resources, uri)?;
    let Files { loose, consolidated, ignores } = Files::load(resources, uri)?;
    let ignored: HashSet<&String> = ignores.iter().flat_map(|(_, lines)| lines).collect();
    let counts = |entry: &&String| entry.ends_with(".del") || !ignored.contains(entry);
    let standing: HashSet<&String> = consolidated.iter().flat_map(|file| &file.entries).filter(counts).collect();
    let loose = loose.iter().filter(|commit| standing.contains(commit)).map(|commit| uri.join(commit));
    let loose = loose.collect::<Vec<_>>();
    // From the largest on, a file stays that has something no other one had; of equal ones that with the least besides.
    let mut files: Vec<&Consolidated> = consolidated.iter().collect();
    files
        .sort_by_cached_key(|file| (std::cmp::Reverse(file.entries.iter().filter(counts).count()), file.entries.len()));
    let mut held: HashSet<&String> = HashSet::new();
    let (kept, superfluous): (Vec<&Consolidated>, Vec<&Consolidated>) = files
        .into_iter()
        .partition(|file| file.entries.iter().filter(counts).filter(|entry| held.insert(*entry)).count() > 0);
    let superfluous = superfluous.iter().filter(|file| !file.is_damaged);
    let superfluous = superfluous.map(|file| file.file.clone()).collect::<Vec<_>>();
    let entries: HashSet<&String> = kept.iter().flat_map(|file| &file.entries).collect();
    let ignores = ignores.iter().filter(|(_, lines)| !lines.iter().any(|line| entries.contains(line)));
    let ignores = ignores.map(|(file, _)| file.clone()).collect::<Vec<_>>();
    removal.expect(loose.len() + superfluous.len() + ignores.len());
    // Redundant commits are removed first, ignore files last.
    [loose, superfluous, ignores].iter().try_for_each(|files| removal.files(files))
}

impl Files {
    /// Finds the files; arrays that began before there was a folder for commits have some in their own.
    fn load(resources: &Resources, uri: &Uri) -> Result<Files> {
        let mut files = Files::default();
        for (folder, prefix) in [(uri.join("__commits"), "__commits/"), (uri.clone(), "")] {
            for item in resources.vfs().names(&folder)?.iter().filter(|item| !item.is_dir) {
                let extension = item.name.rsplit_once('.').map_or("", |(_, extension)| extension);
                files.note(resources, folder.join(&item.name), format!("{prefix}{}", item.name), extension)?;
            }
        }
        Ok(files)
    }

    fn note(&mut self, resources: &Resources, file: Uri, line: String, extension: &str) -> Result<()> {
        let vfs = resources.vfs();
        match extension {
            "wrt" | "ok" | "del" => self.loose.push(line),
            "con" => {
                let of_file = || format!("Cannot read the consolidated commits '{file}'");
                let consolidated = vfs.read(&file).and_then(|bytes| read(&bytes, &HashSet::new())).context(of_file)?;
                let is_damaged = consolidated.is_damaged;
                let line_of = |name: String| if name.ends_with(".ok") { name } else { format!("__commits/{name}") };
                let mut entries: HashSet<String> = consolidated.fragments.into_iter().map(line_of).collect();
                entries.extend(consolidated.deletes.into_iter().map(|delete| delete.0));
                self.consolidated.push(Consolidated { file, entries, is_damaged });
            }
            "ign" => {
                let lines = ignored(&vfs.read(&file)?).collect();
                self.ignores.push((file, lines));
            }
            _ => (),
        }
        Ok(())
    }
}
