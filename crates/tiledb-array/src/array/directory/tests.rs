//! Directories of arrays in memory.

use super::*;
use tiledb_core::config::Config;
use tiledb_core::pool::Pools;

const UUID: &str = "0123456789abcdef0123456789abcdef";

fn array(files: &[(&str, &[u8])]) -> (Vfs, Uri) {
    let vfs = Vfs::new(&Config::new(), &Pools::new(1, 1)).unwrap();
    let uri = Uri::parse("mem://directory/array").unwrap();
    for (name, bytes) in files {
        vfs.put(&uri.join(name), bytes).unwrap();
    }
    (vfs, uri)
}

fn times(names: &[FragmentName]) -> Vec<(u64, u64)> {
    names.iter().map(FragmentName::timestamps).collect()
}

#[test]
fn consolidation_hides_its_inputs_where_it_counts() {
    let commit = |t1: u64, t2: u64| format!("__commits/__{t1}_{t2}_{UUID}_22.wrt");
    let vacuum = format!("__commits/__1_2_{UUID}_22.vac");
    let lines = format!("/__fragments/__1_1_{UUID}_22\n/__fragments/__2_2_{UUID}_22\n");
    let schema = format!("__schema/__1_1_{UUID}");
    let (vfs, uri) = array(&[
        (&schema, b""),
        (&commit(1, 1), b""),
        (&commit(2, 2), b""),
        (&commit(1, 2), b""),
        (&commit(3, 3), b""),
        (&vacuum, lines.as_bytes()),
    ]);
    let directory = ArrayDirectory::load(&vfs, &uri).unwrap();
    let visible = |window, touching| times(&directory.visible(&vfs, window, touching).unwrap().0);
    assert_eq!(visible((0, 9), false), [(1, 2), (3, 3)]);
    assert_eq!(visible((0, 1), false), [(1, 1)]);
    assert_eq!(visible((0, 1), true), [(1, 2)]);
    assert_eq!(visible((2, 3), false), [(2, 2), (3, 3)]);
    assert_eq!(times(&directory.visible(&vfs, (0, 9), false).unwrap().1), [(1, 1), (2, 2)]);
}

#[test]
fn commits_of_unknown_versions_are_refused() {
    let schema = format!("__schema/__1_1_{UUID}");
    for extension in ["wrt", "del", "vac"] {
        let foreign = format!("__commits/copy_of_something.{extension}");
        let (vfs, uri) = array(&[(&schema, b""), (&foreign, b"")]);
        assert!(ArrayDirectory::load(&vfs, &uri).unwrap().fragments().is_empty());
        let newer = format!("__commits/__1_1_{UUID}_24.{extension}");
        let (vfs, uri) = array(&[(&schema, b""), (&newer, b"")]);
        let error = ArrayDirectory::load(&vfs, &uri).map(drop).unwrap_err();
        assert!(error.text().contains("reads versions 1 to 23"), "{}", error.text());
    }
}

#[test]
fn consolidated_commits_count_once_and_can_be_ignored() {
    let name = |t: u64| format!("__commits/__{t}_{t}_{UUID}_22.wrt");
    let schema = format!("__schema/__1_1_{UUID}");
    let con = format!("__commits/__1_3_{UUID}_22.con");
    let ign = format!("__commits/__1_3_{UUID}_22.ign");
    let lines = format!("{}\n{}\n{}\n", name(1), name(2), name(3));
    let (vfs, uri) = array(&[
        (&schema, b""),
        (&name(1), b""),
        (&con, lines.as_bytes()),
        (&ign, format!("{}\n", name(2)).as_bytes()),
    ]);
    let directory = ArrayDirectory::load(&vfs, &uri).unwrap();
    assert_eq!(times(directory.fragments()), [(1, 1), (3, 3)]);
}

#[test]
fn deletes_that_stand_in_several_files_count_once() {
    let delete = |t: u64| format!("__commits/__{t}_{t}_{UUID}_22.del");
    let lines = |times: &[u64]| -> Vec<u8> {
        let entry = |t: &u64| [format!("{}\n", delete(*t)).into_bytes(), 3u64.to_le_bytes().to_vec(), b"abc".to_vec()];
        times.iter().flat_map(entry).flatten().collect()
    };
    let (schema, first, last) = (
        format!("__schema/__1_1_{UUID}"),
        format!("__commits/__1_2_{UUID}_22.con"),
        format!("__commits/__1_3_{UUID}_22.con"),
    );
    let (vfs, uri) = array(&[
        (&schema, b""),
        (&delete(1), b"abc"),
        (&delete(4), b"abc"),
        (&first, &lines(&[1, 2])),
        (&last, &lines(&[3, 2, 1])),
    ]);
    let directory = ArrayDirectory::load(&vfs, &uri).unwrap();
    let found: Vec<_> = directory
        .deletes()
        .iter()
        .map(|delete| (delete.name.timestamps().0, delete.uri.last_part(), delete.range.is_some()))
        .collect();
    let (last, loose) = (last.trim_start_matches("__commits/"), delete(4));
    assert_eq!(
        found,
        [(1, last, true), (2, last, true), (3, last, true), (4, loose.trim_start_matches("__commits/"), false)]
    );
}

#[test]
fn a_fragment_of_old_formats_is_a_folder_and_its_commit() {
    let name = |t: u64, version: u32| format!("__{t}_{t}_{UUID}_{version}");
    let lines = format!("{}.ok\n{}.ok\n__commits/{}.wrt\n", name(3, 11), name(4, 11), name(6, 12));
    let (vfs, uri) = array(&[
        ("__array_schema.tdb", b""),
        (&format!("{}.ok", name(1, 5)), b""),
        (&format!("{}/__fragment_metadata.tdb", name(1, 5)), b""),
        (&format!("{}.ok", name(2, 5)), b""),
        (&format!("__commits/__3_4_{UUID}_12.con"), lines.as_bytes()),
        (&format!("{}/__fragment_metadata.tdb", name(4, 11)), b""),
        // Later formats do not say so.
        (&format!("__commits/{}.wrt", name(5, 12)), b""),
    ]);
    let directory = ArrayDirectory::load(&vfs, &uri).unwrap();
    assert_eq!(times(directory.fragments()), [(1, 1), (4, 4), (5, 5), (6, 6)]);
}

#[test]
fn nothing_is_no_array() {
    let (vfs, uri) = array(&[]);
    let error = ArrayDirectory::load(&vfs, &uri).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}
