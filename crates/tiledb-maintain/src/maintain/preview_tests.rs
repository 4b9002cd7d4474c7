//! Dry runs name what the same consolidation gathers, and what the same vacuum removes, and change nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::consolidation_step::MergeStep;
use super::tests::Tiled;
use super::*;
use tiledb_array::array::{ArrayDirectory, MetadataChanges, visible_metadata};
use tiledb_core::types::{CURRENT_VERSION, Datatype};

/// The context of the array with some parameters.
fn configured(array: &Tiled, parameters: &[(&str, &str)]) -> Resources {
    let mut config = array.resources.config().clone();
    parameters.iter().for_each(|(name, value)| config.set(name, value).unwrap());
    array.resources.with_config(config).unwrap()
}

fn put_metadata(array: &Tiled, time: u64) {
    let mut changes = MetadataChanges::default();
    changes.put("key", Datatype::Uint64, &time.to_le_bytes()).unwrap();
    changes.write(&array.resources, &array.uri, CURRENT_VERSION, time, &EncryptionKey::None).unwrap();
}

/// Sizes of all files of the array.
fn files(array: &Tiled) -> BTreeMap<String, u64> {
    let entries = array.resources.vfs().list_recursive(&array.uri).unwrap();
    entries.into_iter().filter(|entry| !entry.is_dir).map(|entry| (entry.uri.to_string(), entry.size)).collect()
}

/// The existing sources of each step, and the bytes of them.
fn steps(array: &Tiled, parameters: &[(&str, &str)]) -> Vec<(BTreeSet<String>, u64)> {
    let before = files(array);
    let steps = preview(&configured(array, parameters), &array.uri).unwrap();
    assert_eq!(files(array), before, "{parameters:?}: a preview changes nothing");
    let existing = |origin: &SourceOrigin| match origin {
        SourceOrigin::Existing(uri) => Some(uri.to_string()),
        SourceOrigin::Step(_) => None,
    };
    let sources = |step: &MergeStep| step.sources.iter().filter_map(|source| existing(&source.origin)).collect();
    steps.iter().map(|step| (sources(step), step.bytes)).collect()
}

/// URIs of the fragments that readers see, in their order.
fn fragments(array: &Tiled) -> Vec<String> {
    let directory = ArrayDirectory::load(array.resources.vfs(), &array.uri).unwrap();
    let visible = directory.visible(array.resources.vfs(), (0, 99), false).unwrap().0;
    visible.iter().map(|name| array.uri.join(&format!("__fragments/{name}")).to_string()).collect()
}

const MODE: &str = "sm.consolidation.mode";

#[test]
fn preview_of_each_kind_names_the_files_that_are_gathered() {
    let array = Tiled::new("preview_kinds");
    array.write(1, [(1, 12), (1, 9)]);
    put_metadata(&array, 1);
    // One file is no reason, but for commits: a consolidated file is read instead of a listing.
    assert!(steps(&array, &[(MODE, "fragment_meta")]).is_empty());
    assert!(steps(&array, &[(MODE, "array_meta")]).is_empty());
    assert_eq!(steps(&array, &[(MODE, "commits")]).len(), 1);
    array.write(2, [(1, 4), (1, 3)]);
    put_metadata(&array, 2);

    let written = fragments(&array);
    let all: BTreeSet<String> = written.iter().cloned().collect();
    let footers = steps(&array, &[(MODE, "fragment_meta")]);
    assert!(footers.len() == 1 && footers[0].0 == all && footers[0].1 > 0);

    let commits = steps(&array, &[(MODE, "commits")]);
    let markers = written.iter().map(|uri| format!("{}.wrt", uri.replace("/__fragments/", "/__commits/")));
    assert_eq!(commits[0].0, markers.collect());
    // A line for each.
    let lines: usize = written.iter().map(|uri| uri.len() - array.uri.as_str().len() - "/__fragments/".len()).sum();
    assert_eq!(commits[0].1 as usize, lines + 2 * "__commits/.wrt\n".len());
    consolidate(&configured(&array, &[(MODE, "commits")]), &array.uri, &mut |_| Ok(())).unwrap();
    let consolidated: Vec<u64> =
        files(&array).into_iter().filter(|(uri, _)| uri.ends_with(".con")).map(|file| file.1).collect();
    assert_eq!(consolidated, [commits[0].1]);

    let metadata = visible_metadata(array.resources.vfs(), &array.uri, (0, 99)).unwrap().0;
    let gathered = steps(&array, &[(MODE, "array_meta")]);
    assert_eq!(gathered[0].0, metadata.iter().map(Uri::to_string).collect());
    let sizes = files(&array);
    assert_eq!(gathered[0].1, metadata.iter().map(|file| sizes[file.as_str()]).sum::<u64>());
    consolidate(&configured(&array, &[(MODE, "array_meta")]), &array.uri, &mut |_| Ok(())).unwrap();
    assert!(steps(&array, &[(MODE, "array_meta")]).is_empty());

    let error = preview(&configured(&array, &[(MODE, "group_meta")]), &array.uri).map(drop).unwrap_err();
    assert_eq!(error.text(), no_group(&array.uri).text());
}

#[test]
fn preview_of_dense_fragments_has_the_steps_of_the_consolidation() {
    let boxes = [[(1, 12), (1, 9)], [(1, 4), (1, 9)], [(5, 8), (1, 9)], [(9, 12), (1, 9)]];
    for (number, (steps_limit, max_size)) in [("1", "1000000"), ("4", "1000000"), ("4", "300")].into_iter().enumerate()
    {
        let array = Tiled::new(&format!("preview_dense_{number}"));
        (1..).zip(boxes).for_each(|(time, sides)| array.write(time, sides));
        let parameters = [
            ("sm.consolidation.steps", steps_limit),
            ("sm.consolidation.step_min_frags", "2"),
            ("sm.consolidation.step_max_frags", "2"),
            ("sm.consolidation.step_size_ratio", "0"),
            ("sm.consolidation.max_fragment_size", max_size),
        ];
        let (before, written) = (array.read_in(&array.uri, (0, 99)), fragments(&array));
        let planned = preview(&configured(&array, &parameters), &array.uri).unwrap();
        consolidate(&configured(&array, &parameters), &array.uri, &mut |_| Ok(())).unwrap();
        assert!(array.read_in(&array.uri, (0, 99)) == before, "{parameters:?}");
        assert!(!planned.is_empty() && planned.len() <= steps_limit.parse().unwrap(), "{parameters:?}");
        // The first step merges existing fragments, and they are what is hidden first.
        let first = &planned[0];
        let existing: Vec<String> = first
            .sources
            .iter()
            .map(|source| match &source.origin {
                SourceOrigin::Existing(uri) => uri.to_string(),
                SourceOrigin::Step(number) => panic!("the first step has a result of step {number}"),
            })
            .collect();
        assert_eq!(existing.len(), 2);
        let visible = fragments(&array);
        assert!(existing.iter().all(|uri| written.contains(uri) && !visible.contains(uri)), "{parameters:?}");
        assert_eq!(first.cells, 108, "the whole tiles around all cells: {parameters:?}");
        if max_size == "1000000" {
            // Each step makes one fragment of two.
            assert_eq!(visible.len(), written.len() - planned.len(), "{parameters:?}");
        } else {
            assert!(visible.len() > 1, "fragments have at most 300 bytes of tiles");
        }
    }
}

#[test]
fn dry_run_of_a_vacuum_lists_what_the_vacuum_removes() {
    let array = Tiled::new("vacuum_preview");
    for time in 1..4 {
        array.write(time, [(1, 12), (1, 9)]);
        put_metadata(&array, time);
    }
    for mode in ["array_meta", "fragment_meta", "commits", "fragments"] {
        consolidate(&configured(&array, &[(MODE, mode)]), &array.uri, &mut |_| Ok(())).unwrap();
        if mode == "fragment_meta" || mode == "commits" {
            array.write(9, [(1, 4), (1, 3)]);
            consolidate(&configured(&array, &[(MODE, mode)]), &array.uri, &mut |_| Ok(())).unwrap();
        }
        let resources = configured(&array, &[("sm.vacuum.mode", mode)]);
        let before = files(&array);
        let mut listed = BTreeSet::new();
        let on_listed = &mut |uri: &Uri| {
            listed.insert(uri.to_string());
            Ok(())
        };
        vacuum_dry_run(&resources, &array.uri, on_listed).unwrap();
        assert_eq!(files(&array), before, "{mode}: a dry run removes nothing");
        let cells = array.read_in(&array.uri, (0, 99));
        let mut removed = 0;
        let on_removed = &mut |done: u64, total: u64| {
            assert!(done <= total);
            removed = done;
            Ok(())
        };
        vacuum_with_progress(&resources, &array.uri, on_removed).unwrap();
        let after = files(&array);
        let is_listed = |uri: &String| listed.iter().any(|item| uri == item || uri.starts_with(&format!("{item}/")));
        let gone: Vec<&String> = before.keys().filter(|uri| !after.contains_key(*uri)).collect();
        assert!(!gone.is_empty() && gone.iter().all(|uri| is_listed(uri)), "{mode}: {gone:?}, but {listed:?}");
        assert!(!after.keys().any(is_listed), "{mode}: what is listed is removed");
        assert!(removed as usize >= listed.len().min(1), "{mode}");
        assert!(array.read_in(&array.uri, (0, 99)) == cells, "{mode}");
    }
}

#[test]
fn preview_of_an_array_that_is_not_there_is_an_error() {
    let array = Tiled::new("preview_missing");
    let missing = array.uri.join("missing");
    for mode in ["fragments", "fragment_meta", "commits", "array_meta"] {
        let error = preview(&configured(&array, &[(MODE, mode)]), &missing).map(drop).unwrap_err();
        assert!(error.text().contains("does not exist") || error.text().contains("Cannot open"), "{mode}: {error:?}");
    }
}
