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

/// Since version 15 the cells of sparse fragments are selected by their times.
#[test]
fn fragment_counts_inside_the_window_or_since_version_15_where_it_touches_it() {
    let schema = format!("__schema/__1_1_{UUID}");
    let fragment = |version: u32| format!("__commits/__3_6_{UUID}_{version}.wrt");
    for (version, may_touch) in [(12, false), (14, false), (15, true), (22, true)] {
        let (vfs, uri) = array(&[(&schema, b""), (&fragment(version), b"")]);
        let directory = ArrayDirectory::load(&vfs, &uri).unwrap();
        for window in (0..9).flat_map(|start| (start..9).map(move |end| (start, end))) {
            let is_inside = window.0 <= 3 && 6 <= window.1;
            let is_touched = window.0 <= 6 && 3 <= window.1;
            let counts = |touching| !directory.visible(&vfs, window, touching).unwrap().0.is_empty();
            assert_eq!(counts(false), is_inside, "version {version} in {window:?}");
            assert_eq!(counts(true), if may_touch { is_touched } else { is_inside }, "version {version} in {window:?}");
        }
        vfs.remove_dir(&uri).unwrap();
    }
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
    let deletes: Vec<_> = directory
        .deletes()
        .iter()
        .map(|delete| (delete.name.timestamps().0, delete.uri.last_part(), delete.range.is_some()))
        .collect();
    let (last, loose) = (last.trim_start_matches("__commits/"), delete(4));
    assert_eq!(
        deletes,
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

/// An array with a schema, these fragments, these vacuum files and these prepared ones; all without contents.
fn listed(fragments: &[Times], vacuums: &[Times], prepared: &[Times]) -> ArrayDirectory {
    let (vfs, uri) = array(&[(&format!("__schema/__1_1_{UUID}"), b"")]);
    let file = |times: &Times, extension: &str| uri.join(&format!("__commits/{}.{extension}", name(*times)));
    fragments.iter().for_each(|times| vfs.put(&file(times, "wrt"), b"").unwrap());
    vacuums.iter().for_each(|times| vfs.put(&file(times, "vac"), b"").unwrap());
    prepared.iter().for_each(|times| vfs.put(&commits::prepared_uri(&file(times, "vac")), b"").unwrap());
    ArrayDirectory::load(&vfs, &uri).unwrap()
}

/// The first and last time of a fragment.
type Times = (u64, u64);

/// Fragments, vacuum files and prepared ones.
type Listing<'a> = (Vec<Times>, &'a [Times], &'a [Times]);

fn name((start, end): Times) -> FragmentName {
    FragmentName::parse(&format!("__{start}_{end}_{UUID}_22")).unwrap()
}

#[test]
fn directory_after_a_merge_is_derived_unless_something_else_has_changed() {
    let sources: [Times; 3] = [(1, 1), (2, 2), (5, 6)];
    let (merged, old): (Times, Times) = ((1, 2), (5, 6));
    let before = listed(&sources, &[old], &[(8, 8)]);
    let vacuum = before.uri().join("__commits/of_the_merge.vac");
    let derived = |now: ArrayDirectory, created: &[Times]| {
        let created: Vec<FragmentName> = created.iter().copied().map(name).collect();
        now.after_merge(&before, &created, vacuum.clone())
    };
    let with = |more: &[Times]| [&sources[..], more].concat();
    let unchanged: [(&[Times], &[Times]); 2] =
        // As on storage that does not exchange files, and where the merge hides its result by then.
        [(&[old], &[(8, 8)]), (&[old, merged], &[(8, 8), merged])];
    for (vacuums, prepared) in unchanged {
        let after = derived(listed(&with(&[merged]), vacuums, prepared), &[merged]).unwrap();
        assert_eq!(times(after.fragments()), [(1, 1), merged, (2, 2), (5, 6)]);
        assert_eq!(after.vacuums().iter().map(|one| one.0.timestamps()).collect::<Vec<_>>(), [old, merged]);
        assert_eq!(after.vacuums()[1].1, vacuum);
        assert_eq!(after.settled_vacuums().count(), 2, "the merge is complete");
    }
    let several = derived(listed(&with(&[(1, 3), merged]), &[old], &[]), &[(1, 3), merged]).unwrap();
    assert_eq!(several.vacuums()[1].0, name(merged), "named by the last result");
    let changed: [(&str, Listing<'_>); 8] = [
        ("another fragment", (with(&[merged, (7, 7)]), &[old], &[])),
        ("a fragment is gone", (vec![(1, 1), (2, 2), merged], &[old], &[])),
        ("one fragment for another", (vec![(1, 1), (2, 2), (5, 7), merged], &[old], &[])),
        ("the result is not there", (sources.to_vec(), &[old], &[])),
        ("a vacuum file is gone", (with(&[merged]), &[], &[])),
        ("another vacuum file", (with(&[merged]), &[old, (2, 2)], &[])),
        ("a vacuum file of another merge", (with(&[merged]), &[old, (2, 2)], &[(2, 2)])),
        ("the merge is complete", (with(&[merged]), &[old, merged], &[])),
    ];
    for (change, (fragments, vacuums, prepared)) in changed {
        assert!(derived(listed(&fragments, vacuums, prepared), &[merged]).is_none(), "{change}");
    }
    assert!(derived(listed(&sources, &[old], &[]), &[]).is_none(), "nothing was created");
    // Where only commits were listed, the other files are those of before.
    let vacuums = before.vacuums().to_vec();
    let parts = |schemas: &[&str], fragments: &[Times]| DirectoryParts {
        schemas: schemas.iter().map(|name| (*name).to_owned()).collect(),
        fragments: fragments.iter().copied().map(name).collect(),
        fragment_metas: schemas.iter().map(|name| before.uri().join(name)).collect(),
        vacuums: vacuums.clone(),
        ..DirectoryParts::default()
    };
    let complete = ArrayDirectory::from_parts(before.uri(), parts(&["one"], &sources));
    for (listed, expected) in [(&[][..], ["one"]), (&["two"], ["two"])] {
        let now = ArrayDirectory::from_parts(before.uri(), parts(listed, &with(&[merged])));
        let after = now.after_merge(&complete, &[name(merged)], vacuum.clone()).unwrap();
        assert_eq!(after.schemas(), expected);
        assert_eq!(after.fragment_metas(), expected.map(|name| before.uri().join(name)));
    }
}

#[test]
fn vacuum_files_of_merges_that_are_being_committed_are_not_settled() {
    let directory = listed(&[], &[(1, 2), (1, 3)], &[(1, 2)]);
    assert_eq!(directory.vacuums().len(), 2);
    assert_eq!(directory.settled_vacuums().map(|file| file.0.timestamps()).collect::<Vec<_>>(), [(1, 3)]);
    // Prepared commits hide nothing.
    let (vfs, uri) = array(&[(&format!("__schema/__1_1_{UUID}"), b"")]);
    let file = |extension: &str| uri.join(&format!("__commits/{}.{extension}", name((1, 2))));
    vfs.put(&file("vac"), b"").unwrap();
    vfs.put(&commits::prepared_uri(&file("wrt")), b"").unwrap();
    let directory = ArrayDirectory::load(&vfs, &uri).unwrap();
    assert_eq!((directory.settled_vacuums().count(), directory.fragments().len()), (1, 0));
}

#[test]
fn consolidated_commits_have_the_names_of_their_files() {
    let schema = format!("__schema/__1_1_{UUID}");
    let (new, old) = (format!("__commits/{}.wrt", name((3, 3))), format!("__2_2_{UUID}_11.ok"));
    let delete = format!("__commits/__4_4_{UUID}_22.del");
    let mut lines = format!("{new}\n{old}\n{delete}\n").into_bytes();
    lines.extend([1u64.to_le_bytes().as_slice(), b"c"].concat());
    let files: [String; 2] = [2, 3].map(|end| format!("__commits/__2_{end}_{UUID}_22.con"));
    let (vfs, uri) = array(&[(&schema, b""), (&files[0], &lines), (&files[1], format!("{new}\n").as_bytes())]);
    let directory = ArrayDirectory::load(&vfs, &uri).unwrap();
    assert!(directory.has_consolidated_commits());
    assert_eq!(directory.consolidated_commits(&vfs).unwrap(), [old, new, delete]);
    assert!(!listed(&[(1, 1)], &[], &[]).has_consolidated_commits());
}

#[test]
fn oldest_schema_is_that_of_the_root_and_folders_are_no_schemas() {
    let schema = |time: u64| format!("__schema/__{time}_{time}_{UUID}");
    let enumeration = format!("__schema/__enumerations/__1_1_{UUID}");
    let (vfs, uri) = array(&[
        (&schema(2), b""),
        (&schema(1), b""),
        (&enumeration, b""),
        ("__schema/notes", b""),
        ("__array_schema.tdb", b""),
    ]);
    let names: Vec<String> = [1, 2].map(|time| schema(time).trim_start_matches("__schema/").to_owned()).into();
    let all = [&["__array_schema.tdb".to_owned()], &names[..]].concat();
    assert_eq!(ArrayDirectory::load(&vfs, &uri).unwrap().schemas(), all);
    assert_eq!(ArrayDirectory::load_schemas(&vfs, &uri).unwrap().schemas(), names);
    let (vfs, uri) = array(&[("__array_schema.tdb", b"")]);
    assert_eq!(ArrayDirectory::load_schemas(&vfs, &uri).unwrap().schemas(), ["__array_schema.tdb"]);
    let (vfs, uri) = array(&[(&format!("__commits/{}.wrt", name((1, 1))), b"")]);
    assert!(ArrayDirectory::load_schemas(&vfs, &uri).is_err() && ArrayDirectory::load(&vfs, &uri).is_err());
    assert_eq!(ArrayDirectory::load_contents(&vfs, &uri).unwrap().fragments().len(), 1, "without a schema");
}

#[test]
fn supplied_directory_is_sorted_without_repetitions() {
    let uri = Uri::parse("mem://directory/supplied").unwrap();
    let delete =
        |time: u64| DeleteCommit { name: name((time, time)), marker: String::new(), uri: uri.clone(), range: None };
    let fragments = [(2, 2), (1, 5), (2, 2), (1, 1)].map(name).to_vec();
    let parts = DirectoryParts { fragments, deletes: vec![delete(9), delete(3)], ..DirectoryParts::default() };
    let directory = ArrayDirectory::from_parts(&uri, parts);
    assert_eq!(times(directory.fragments()), [(1, 1), (1, 5), (2, 2)]);
    let deletes = |directory: &ArrayDirectory| -> Vec<u64> {
        directory.deletes().iter().map(|delete| delete.name.timestamps().0).collect()
    };
    assert_eq!(deletes(&directory), [3, 9]);
    assert_eq!(deletes(&directory.with_deletes(|delete| delete.name.timestamps().0 > 3)), [9]);
    let commits = DirectoryParts { commits: vec!["__commits/a.wrt".to_owned()], ..DirectoryParts::default() };
    assert!(ArrayDirectory::from_parts(&uri, commits).has_consolidated_commits());
}
