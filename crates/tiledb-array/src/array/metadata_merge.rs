//! Consolidation and vacuuming of array and group metadata.

use super::metadata::{ENTRY_MEMORY, LocatedEntry, check_stored, latest, read_files};
use super::removal::FileRemoval;
use super::visible_metadata;
use crate::fragment::times_of;
use crate::schema::timestamped_name;
use tiledb_core::error::{ErrorContext, Result};
use tiledb_core::stats::Counter;
use tiledb_core::types::{FormatVersion, bytes_of_path};
use tiledb_core::wire::WireWriter;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::tile::generic;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Merges the metadata files of the array or group at `parent` in the window of `timestamps` into one, and writes a
/// vacuum file with the names of the replaced ones. Does nothing for fewer than two files; if no value remains, only
/// the vacuum file is written. `relative` selects names relative to the array, as since schema version 19, instead of
/// absolute URIs, as for older arrays and for groups. The file is of format version `version`.
///
/// # Errors
/// If a file cannot be read or a storage operation fails.
pub fn consolidate_metadata(
    resources: &Resources,
    parent: &Uri,
    timestamps: (u64, u64),
    version: FormatVersion,
    relative: bool,
    key: &EncryptionKey,
) -> Result<()> {
    let vfs = resources.vfs();
    let files = visible_metadata(vfs, parent, timestamps)?.0;
    let times: Vec<(u64, u64)> = files.iter().filter_map(|file| times_of(file.last_part())).collect();
    let (Some((first, _)), Some((_, last))) = (times.first(), times.iter().max_by_key(|times| times.1)) else {
        return Ok(());
    };
    if files.len() < 2 {
        return Ok(());
    }
    let line = |file: &Uri| if relative { format!("/__meta/{}\n", file.last_part()) } else { format!("{file}\n") };
    let replaced: String = files.iter().map(line).collect();
    let payloads = read_files(resources, files, key, Counter::MetadataRead)?;
    let mut w = WireWriter::new();
    let mut entries = 0;
    for LocatedEntry { change, .. } in latest(&payloads)? {
        // A deleted key may have been put before the window.
        if change.value.is_some() || timestamps.0 > 0 {
            change.write(&mut w);
            entries += 1;
        }
    }
    let name = timestamped_name(*first, *last);
    let folder = parent.join("__meta");
    let payload = w.finish()?;
    if !payload.is_empty() {
        let bytes = generic::store(&payload, version, key, resources.stats(), Counter::MetadataWritten)?;
        check_stored(resources, parent, payload.len() + entries * ENTRY_MEMORY, bytes.len())?;
        vfs.put(&folder.join(&name), &bytes)?;
    }
    vfs.put(&folder.join(&format!("{name}.vac")), &bytes_of_path(&replaced))
}

/// Removes the metadata files of the array or group at `parent` that were merged into others, whenever they were
/// written. Vacuum files are removed last, so that an interrupted vacuum makes no removed file visible again and can be
/// repeated.
///
/// # Errors
/// If a vacuum file cannot be read or a storage operation fails.
pub fn vacuum_metadata(parent: &Uri, removal: &mut FileRemoval<'_>) -> Result<()> {
    let vfs = removal.vfs();
    let folder = parent.join("__meta");
    let vacuums = vfs.names(&folder)?.into_iter().map(|item| item.name);
    let vacuums = vacuums.filter(|name| name.ends_with(".vac") && times_of(name).is_some()).collect::<Vec<_>>();
    if vacuums.is_empty() {
        return Ok(());
    }
    let replaced = visible_metadata(vfs, parent, (0, u64::MAX))?.1;
    let vacuums: Vec<Uri> = vacuums.iter().map(|name| folder.join(name)).collect();
    removal.expect(replaced.len() + vacuums.len());
    let removed = removal.files(&replaced).and_then(|()| removal.files(&vacuums));
    removed.context(|| format!("Cannot vacuum the metadata of '{parent}'"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::{Metadata, MetadataChanges};
    use tiledb_core::config::Config;
    use tiledb_core::types::{CURRENT_VERSION, Datatype};

    const KEY: EncryptionKey = EncryptionKey::Aes256([7; 32]);
    const ALWAYS: (u64, u64) = (0, u64::MAX);

    fn change(resources: &Resources, parent: &Uri, time: u64, put: &[&str], delete: &[&str]) {
        let mut changes = MetadataChanges::default();
        put.iter().for_each(|key| changes.put(key, Datatype::Uint8, &[time as u8]).unwrap());
        delete.iter().for_each(|key| changes.delete(key).unwrap());
        changes.write(resources, parent, CURRENT_VERSION, time, &KEY).unwrap();
    }

    fn shown(resources: &Resources, parent: &Uri, window: (u64, u64)) -> String {
        let metadata = Metadata::load(resources, parent, window, &KEY, Counter::MetadataRead).unwrap();
        let show = |index| {
            let (key, value) = metadata.at(index).unwrap();
            format!("{}{} ", String::from_utf8_lossy(key), value.bytes()[0])
        };
        (0..metadata.len() as u64).map(show).collect()
    }

    fn files(resources: &Resources, parent: &Uri) -> Vec<String> {
        let stem = |name: &str| name.split('_').skip(2).take(2).collect::<Vec<_>>().join("_");
        let name = |name: &str| if name.ends_with(".vac") { stem(name) + ".vac" } else { stem(name) };
        resources.vfs().names(&parent.join("__meta")).unwrap().iter().map(|item| name(&item.name)).collect()
    }

    #[test]
    fn merged_metadata_read_as_before_and_their_files_go() {
        for (name, relative) in [("absolute", false), ("relative", true)] {
            let resources = Resources::new(Config::new()).unwrap();
            let parent = Uri::parse(&format!("mem://merge/{name}")).unwrap();
            change(&resources, &parent, 10, &["a", "b"], &[]);
            consolidate_metadata(&resources, &parent, ALWAYS, CURRENT_VERSION, relative, &KEY).unwrap();
            assert_eq!(files(&resources, &parent), ["10_10"]);
            change(&resources, &parent, 20, &["c"], &["a"]);
            change(&resources, &parent, 30, &["b"], &[]);
            consolidate_metadata(&resources, &parent, ALWAYS, CURRENT_VERSION, relative, &KEY).unwrap();
            assert_eq!(shown(&resources, &parent, ALWAYS), "b30 c20 ");
            assert_eq!(shown(&resources, &parent, (0, 20)), "b10 c20 ");
            change(&resources, &parent, 40, &["d"], &["b"]);
            consolidate_metadata(&resources, &parent, ALWAYS, CURRENT_VERSION, relative, &KEY).unwrap();
            assert_eq!(shown(&resources, &parent, ALWAYS), "c20 d40 ");
            vacuum_metadata(&parent, &mut FileRemoval::new(resources.vfs())).unwrap();
            assert_eq!(files(&resources, &parent), ["10_40"]);
            assert_eq!(shown(&resources, &parent, ALWAYS), "c20 d40 ");
            vacuum_metadata(&parent, &mut FileRemoval::new(resources.vfs())).unwrap();
        }
    }

    #[test]
    fn nothing_is_left_of_what_was_all_deleted() {
        let resources = Resources::new(Config::new()).unwrap();
        let parent = Uri::parse("mem://merge/empty").unwrap();
        change(&resources, &parent, 10, &["a"], &[]);
        change(&resources, &parent, 20, &[], &["a"]);
        consolidate_metadata(&resources, &parent, ALWAYS, CURRENT_VERSION, true, &KEY).unwrap();
        assert_eq!(files(&resources, &parent), ["10_10", "10_20.vac", "20_20"]);
        vacuum_metadata(&parent, &mut FileRemoval::new(resources.vfs())).unwrap();
        assert!(files(&resources, &parent).is_empty());
        vacuum_metadata(&parent, &mut FileRemoval::new(resources.vfs())).unwrap();
    }

    #[test]
    fn deletions_in_a_window_still_reach_what_was_put_before() {
        let resources = Resources::new(Config::new()).unwrap();
        let parent = Uri::parse("mem://merge/window").unwrap();
        change(&resources, &parent, 10, &["a"], &[]);
        change(&resources, &parent, 20, &[], &["a"]);
        change(&resources, &parent, 30, &["b"], &[]);
        change(&resources, &parent, 40, &["c"], &[]);
        consolidate_metadata(&resources, &parent, (15, 35), CURRENT_VERSION, true, &KEY).unwrap();
        vacuum_metadata(&parent, &mut FileRemoval::new(resources.vfs())).unwrap();
        assert_eq!(files(&resources, &parent), ["10_10", "20_30", "40_40"]);
        assert_eq!(shown(&resources, &parent, ALWAYS), "b30 c40 ");
    }
}
