//! Arrays of format version 23, which libtiledb's development tree writes, and this library on request: the golden arrays of
//! version 22, rewritten by an encoder of the test's own, return what they returned before.
//!
//! Bounds of tiles that are damaged are found by verification and do not change what is read. Writes and maintenance follow the
//! version of the array.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

mod encoder;
mod written;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use encoder::{Counts, Damage, Encoder, entries};
use support::corruption::report::{self, verify};
use support::golden::case::Case;
use support::{Api, Cells, Column};
use tiledb_array::array::{ArrayDirectory, OpenArray, SchemaStore, create, evolve, upgrade};
use tiledb_array::schema::{Attribute, SchemaEvolution};
use tiledb_core::config::Config;
use tiledb_core::types::{CURRENT_VERSION, Datatype, EncryptionType, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Codes of findings in damaged bounds: tables, and boxes.
const DAMAGED_BOUNDS: [u32; 2] = [12, 19];

/// What each query of a case returned, without the version in names.
type Outcomes = Vec<(String, Result<(), String>)>;

/// The golden arrays of version 22 that `takes` selects by name.
fn golden(into: &Path, takes: &dyn Fn(&str) -> bool) -> Vec<(String, Case)> {
    let archive = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v22.tar.gz");
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(std::fs::File::open(archive).unwrap()));
    for mut entry in archive.entries().unwrap().map(Result::unwrap) {
        let path = entry.path().unwrap().into_owned();
        let name = path.components().next().and_then(|name| name.as_os_str().to_str());
        if name.is_some_and(takes) {
            entry.unpack_in(into).unwrap();
        }
    }
    let mut cases: Vec<(String, Case)> = Vec::new();
    for folder in entries(into) {
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let case = Case::load(&folder);
        if case.document()["kind"] == "array" && case.document()["unpack_at"].is_null() {
            cases.push((name, case));
        }
    }
    cases.sort_by(|a, b| a.0.cmp(&b.0));
    cases
}

fn outcomes(api: &Api, case: &Case) -> Outcomes {
    let results = case.check(api, |_, _| Err("not an array".to_owned()));
    results.into_iter().map(|(name, outcome)| (name, outcome.map_err(|text| text.replace("_23", "_22")))).collect()
}

fn key_of(case: &Case) -> EncryptionKey {
    match case.document()["encryption"]["key"].as_str() {
        Some(key) => EncryptionKey::new(EncryptionType::Aes256Gcm, key.as_bytes()).unwrap(),
        None => EncryptionKey::None,
    }
}

fn rewrite(case: &Case, unknown_sections: bool, damage: Option<Damage>) -> Counts {
    Encoder { key: key_of(case), unknown_sections, damage }.rewrite(Path::new(case.uri()))
}

/// True if every file with a version in its name has version 23.
fn is_rewritten(case: &Case) -> bool {
    let folders = ["__fragments", "__commits", "__fragment_meta"];
    folders.iter().flat_map(|folder| entries(&Path::new(case.uri()).join(folder))).all(|path| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        name.split('.').next().unwrap().ends_with("_23")
    })
}

#[test]
fn arrays_read_as_those_of_version_22() {
    let folder = tempfile::tempdir().unwrap();
    let api = Api::ours();
    let (mut wrong, mut arrays, mut queries, mut counts) = (Vec::new(), 0, 0, Counts::default());
    // Filters of the damaged ones do not decode.
    for (index, (name, case)) in golden(folder.path(), &|name| !name.starts_with("corrupt")).into_iter().enumerate() {
        let before = (outcomes(&api, &case), verify(&case.context(&api), case.uri()).findings.len());
        let rewritten = rewrite(&case, index % 2 == 1, None);
        assert!(is_rewritten(&case), "{name}");
        let after = outcomes(&api, &case);
        let verified = verify(&case.context(&api), case.uri());
        if before.0 != after {
            wrong.push(format!("{name}: {before:?} {after:?}"));
        }
        if before.1 != verified.findings.len() || verified.failure.is_some() {
            let texts: Vec<String> = verified.findings.iter().map(report::Report::text).collect();
            wrong.push(format!("{name}: {} findings before: {texts:?} {:?}", before.1, verified.failure));
        }
        arrays += 1;
        queries += after.iter().filter(|(_, outcome)| outcome.is_ok()).count();
        counts.fragments += rewritten.fragments;
        counts.tiles += rewritten.tiles;
    }
    println!("{arrays} arrays, {counts:?}, {queries} queries as recorded");
    assert!(wrong.is_empty(), "{}", wrong[..wrong.len().min(30)].join("\n"));
    assert!(arrays > 200 && counts.tiles > 500 && queries > arrays);
}

/// Sparse arrays of all kinds of dimensions.
const SPARSE: [&str; 10] = [
    "sparse_1d_dim_int8",
    "sparse_1d_dim_float64",
    "sparse_rtree_deep",
    "sparse_rtree_string",
    "sparse_string_2d",
    "sparse_mixed_dims_col",
    "sparse_mixed_dims_hilbert",
    "sparse_hilbert_2d_int32",
    "consolidated_sparse_fragments",
    "encrypted_sparse",
];

#[test]
fn damaged_bounds_are_reported_and_harmless() {
    let api = Api::ours();
    let (mut wrong, mut findings) = (Vec::new(), 0);
    for damage in Damage::ALL {
        let folder = tempfile::tempdir().unwrap();
        for (name, case) in golden(folder.path(), &|name| SPARSE.contains(&name)) {
            let before = outcomes(&api, &case);
            let tiles = rewrite(&case, false, Some(damage)).tiles;
            if outcomes(&api, &case) != before {
                wrong.push(format!("{name}, {damage:?}: read {:?}", outcomes(&api, &case)));
            }
            let verified = verify(&case.context(&api), case.uri());
            let codes: Vec<u32> = verified.findings.iter().map(|finding| finding.code).collect();
            findings += codes.len();
            if !codes.iter().any(|code| DAMAGED_BOUNDS.contains(code)) && is_damaged(&name, damage, tiles) {
                wrong.push(format!("{name}, {damage:?}: found {codes:?} {:?}", verified.failure));
            }
        }
    }
    println!("{findings} findings");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// True if the damage changes the bounds of an array with so many tiles.
fn is_damaged(name: &str, damage: Damage, tiles: u64) -> bool {
    match damage {
        Damage::Reversed => tiles > 1 && !name.starts_with("consolidated"),
        _ => tiles > 0,
    }
}

#[test]
fn newer_versions_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let api = Api::ours();
    let cases = golden(folder.path(), &|name| ["sparse_1d_dim_int8", "dense_1d_dim_int8"].contains(&name));
    assert_eq!(cases.len(), 2);
    for (name, case) in cases {
        rewrite(&case, false, None);
        let root = Path::new(case.uri());
        let open = || support::Array::open(&case.context(&api), case.uri(), 0, None, None).map(drop);
        assert!(open().is_ok(), "{name}");
        let newer = |path: &Path| path.to_str().unwrap().replace("_23", "_24");
        for path in entries(&root.join("__fragments")).iter().chain(&entries(&root.join("__commits"))) {
            std::fs::rename(path, newer(path)).unwrap();
        }
        let expected = "Unsupported format version 24; this library reads versions 1 to 23";
        let text = open().unwrap_err().text;
        assert!(text.contains(expected), "{text}");
        for path in entries(&root.join("__fragments")).iter().chain(&entries(&root.join("__commits"))) {
            std::fs::rename(path, path.to_str().unwrap().replace("_24", "_23")).unwrap();
        }
        assert!(open().is_ok(), "{name}");
        let schema = entries(&root.join("__schema")).into_iter().find(|path| path.is_file()).unwrap();
        let key = EncryptionKey::None;
        let (mut payload, _) = tiledb_filters::tile::generic::read(&std::fs::read(&schema).unwrap(), &key).unwrap();
        payload[..4].copy_from_slice(&24u32.to_le_bytes());
        let mut bytes = Vec::new();
        tiledb_filters::tile::generic::write(&payload, CURRENT_VERSION, &key, &mut bytes).unwrap();
        std::fs::write(&schema, bytes).unwrap();
        let text = open().unwrap_err().text;
        let expected = "Array format version (24) is newer than the library format version (23)";
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn appended_fragments_have_the_version_of_the_array() {
    let folder = tempfile::tempdir().unwrap();
    let api = Api::ours();
    let (_, case) = golden(folder.path(), &|name| name == "sparse_1d_dim_int32").pop().unwrap();
    rewrite(&case, false, None);
    let ctx = case.context(&api);
    let column = |name: &str, cells: &[i32]| {
        let data = cells.iter().flat_map(|cell| cell.to_le_bytes()).collect();
        Column::filled(name, Cells { data, ..Cells::default() })
    };
    let cells = || {
        let array = support::Array::open(&ctx, case.uri(), 0, None, None).unwrap();
        let query = ctx.get("query_alloc", &[array.handle, 0]).unwrap();
        let mut columns = ["d", "a"].map(|name| Column::with_capacity(name, 4096, None, None));
        ctx.call("query_set_layout", &[query, 0]).unwrap();
        columns.iter_mut().for_each(|column| column.bind(&ctx, query).unwrap());
        ctx.call("query_submit", &[query]).unwrap();
        ctx.free("query", query);
        let [d, a] = columns.map(|column| column.result().split(4));
        let value = |cell: &(Vec<u8>, Option<u8>)| i32::from_le_bytes(cell.0[..].try_into().unwrap());
        d.iter().zip(&a).map(|(d, a)| (value(d), value(a))).collect::<BTreeMap<i32, i32>>()
    };
    let mut expected = cells();
    // One cell replaces an old one, the other is new.
    let (&replaced, _) = expected.iter().next().unwrap();
    let added = (-60..=100).find(|d| !expected.contains_key(d)).unwrap();
    let mut columns = [column("d", &[added, replaced]), column("a", &[-1, -2])];
    let array = support::Array::open(&ctx, case.uri(), 1, None, None).unwrap();
    let query = ctx.get("query_alloc", &[array.handle, 1]).unwrap();
    ctx.call("query_set_layout", &[query, 3]).unwrap();
    columns.iter_mut().for_each(|column| column.bind(&ctx, query).unwrap());
    ctx.call("query_submit", &[query]).unwrap();
    ctx.call("query_finalize", &[query]).unwrap();
    ctx.free("query", query);
    drop(array);
    expected.extend([(added, -1), (replaced, -2)]);
    assert_eq!(cells(), expected);
    let fragments = entries(&Path::new(case.uri()).join("__fragments"));
    let versions = fragments.iter().map(|path| path.to_str().unwrap().rsplit('_').next().unwrap());
    assert_eq!(versions.collect::<BTreeSet<&str>>(), BTreeSet::from(["23"]));
    assert!(verify(&ctx, case.uri()).findings.is_empty());
}

#[test]
fn maintenance_writes_the_version_of_the_array() {
    let folder = tempfile::tempdir().unwrap();
    let api = Api::ours();
    let names = [
        "dense_multi_fragment",
        "encrypted_dense",
        "encrypted_sparse",
        "sparse_dups_time_travel",
        "sparse_multi_fragment_time_travel",
        "deletes",
        "deletes_dups",
        "evolution_sparse",
        "evolution_dense",
        "fragment_many",
    ];
    let cases = golden(folder.path(), &|name| names.contains(&name));
    assert_eq!(cases.len(), names.len());
    for (name, case) in cases {
        rewrite(&case, true, None);
        let before = outcomes(&api, &case);
        for mode in ["fragment_meta", "commits", "fragments"] {
            let ctx = case.context_with(&api, &[("sm.consolidation.mode", mode), ("sm.vacuum.mode", mode)]);
            let uri = support::text(case.uri());
            ctx.call("array_consolidate", &[support::pointer(&uri), 0]).unwrap();
            assert_eq!(outcomes(&api, &case), before, "{name}, consolidated {mode}");
            if mode != "fragments" {
                ctx.call("array_vacuum", &[support::pointer(&uri), 0]).unwrap();
                assert_eq!(outcomes(&api, &case), before, "{name}, vacuumed {mode}");
            }
            let verified = verify(&case.context(&api), case.uri());
            let errors: Vec<String> =
                verified.findings.iter().filter(|it| it.severity > 0).map(report::Report::text).collect();
            assert!(errors.is_empty() && verified.failure.is_none(), "{name}, {mode}: {errors:?}");
        }
        let fragments = entries(&Path::new(case.uri()).join("__fragments"));
        assert!(fragments.iter().all(|path| path.to_str().unwrap().ends_with("_23")), "{name}: {fragments:?}");
    }
}

#[test]
fn schemas_keep_their_version_and_new_arrays_have_the_current_one() {
    let folder = tempfile::tempdir().unwrap();
    let (_, case) = golden(folder.path(), &|name| name == "sparse_string_2d").pop().unwrap();
    rewrite(&case, false, None);
    let (resources, key) = (Resources::new(Config::new()).unwrap(), EncryptionKey::None);
    let uri = Uri::from_path(Path::new(case.uri())).unwrap();
    let newest = |uri: &Uri| {
        let directory = ArrayDirectory::load_schemas(resources.vfs(), uri).unwrap();
        let newest = SchemaStore::new(&resources, &directory, &key).newest().unwrap();
        (directory.schemas().len(), newest)
    };
    upgrade(&resources, &uri, &key).unwrap();
    assert_eq!((newest(&uri).0, newest(&uri).1.version().number()), (1, 23));
    let mut evolution = SchemaEvolution::default();
    evolution.add_attribute(Arc::new(Attribute::new("added", Datatype::Int32))).unwrap();
    evolve(&resources, &uri, &evolution, &key).unwrap();
    assert_eq!((newest(&uri).0, newest(&uri).1.version().number()), (2, 23));
    let array = OpenArray::open(&resources, &uri, QueryType::Read, (0, u64::MAX), &key).unwrap();
    assert!(array.fragments().unwrap().iter().all(|fragment| fragment.version().number() == 23));
    let copy = Uri::from_path(&folder.path().join("copy")).unwrap();
    create(&resources, &copy, &newest(&uri).1, &key).unwrap();
    assert_eq!(newest(&copy).1.version(), CURRENT_VERSION);
}

/// A sparse array with one fragment: the name of its case, its dimensions (0 for strings), and its capacity.
type OneFragment = (&'static str, &'static [(&'static str, usize)], usize);

const ONE_FRAGMENT: [OneFragment; 3] = [
    ("sparse_1d_dim_float64", &[("d", 8)], 8),
    ("sparse_hilbert_2d_int32", &[("d0", 4), ("d1", 4)], 8),
    ("sparse_rtree_string", &[("s", 0)], 2),
];

/// The bytes of a coordinate per dimension, cell by cell in global order.
fn coordinates(ctx: &support::Ctx<'_>, uri: &str, dimensions: &[(&str, usize)]) -> Vec<Vec<Vec<u8>>> {
    let array = support::Array::open(ctx, uri, 0, None, None).unwrap();
    let query = ctx.get("query_alloc", &[array.handle, 0]).unwrap();
    ctx.call("query_set_layout", &[query, 2]).unwrap();
    let column =
        |&(name, size): &(&str, usize)| Column::with_capacity(name, 1 << 16, (size == 0).then_some(4096), None);
    let mut columns: Vec<Column> = dimensions.iter().map(column).collect();
    columns.iter_mut().for_each(|column| column.bind(ctx, query).unwrap());
    ctx.call("query_submit", &[query]).unwrap();
    ctx.free("query", query);
    let cells: Vec<_> =
        columns.iter().zip(dimensions).map(|(column, (_, size))| column.result().split(*size)).collect();
    (0..cells[0].len()).map(|cell| cells.iter().map(|column| column[cell].0.clone()).collect()).collect()
}

/// The fragment info of an array, and what its functions return of the first fragment.
struct Info<'a> {
    ctx: support::Ctx<'a>,
    handle: u64,
    dimensions: usize,
}

impl<'a> Info<'a> {
    fn load(ctx: support::Ctx<'a>, uri: &str, dimensions: usize) -> Info<'a> {
        let uri = support::text(uri);
        let handle = ctx.get("fragment_info_alloc", &[support::pointer(&uri)]).unwrap();
        ctx.call("fragment_info_load", &[handle]).unwrap();
        Info { ctx, handle, dimensions }
    }

    /// One call: `sizes` and `buffers` may be empty, which is null.
    fn call(&self, end: &str, tile: usize, sizes: &mut [u64], buffers: &mut [u64]) -> Result<(), String> {
        let pointer = |words: &mut [u64]| if words.is_empty() { 0 } else { words.as_mut_ptr() as u64 };
        let function = format!("fragment_info_get_global_order_{end}_bound");
        let arguments = [self.handle, 0, tile as u64, pointer(sizes), pointer(buffers)];
        self.ctx.call(&function, &arguments).map_err(|failure| failure.text)
    }

    /// The coordinates of a bound: their sizes first, then their bytes.
    fn bound(&self, end: &str, tile: usize) -> Result<Vec<Vec<u8>>, String> {
        let (mut sizes, mut buffers) = (vec![u64::MAX; self.dimensions], vec![0u64; self.dimensions]);
        if let Err(text) = self.call(end, tile, &mut sizes, &mut buffers) {
            assert!(sizes.iter().all(|&size| size == u64::MAX), "{text}: outputs changed");
            return Err(text);
        }
        assert!(sizes.iter().all(|&size| size < 1 << 16), "{sizes:?}");
        let mut values: Vec<Vec<u8>> = sizes.iter().map(|&size| vec![0; size as usize]).collect();
        for (buffer, value) in buffers.iter_mut().zip(&mut values) {
            *buffer = value.as_mut_ptr() as u64;
        }
        self.call(end, tile, &mut sizes, &mut buffers)?;
        Ok(values)
    }
}

impl Drop for Info<'_> {
    fn drop(&mut self) {
        self.ctx.free("fragment_info", self.handle);
    }
}

#[test]
fn bounds_are_the_first_and_the_last_cell_of_each_tile() {
    let folder = tempfile::tempdir().unwrap();
    let api = Api::ours();
    let cases = golden(folder.path(), &|name| ONE_FRAGMENT.iter().any(|(case, ..)| *case == name));
    assert_eq!(cases.len(), ONE_FRAGMENT.len());
    for (name, case) in cases {
        let &(_, dimensions, capacity) = ONE_FRAGMENT.iter().find(|(case, ..)| *case == name).unwrap();
        let old = Info::load(case.context(&api), case.uri(), dimensions.len()).bound("lower", 0).unwrap_err();
        assert!(old.starts_with("FragmentInfo: Cannot get MBR global order bound: Unavailable"), "{old}");
        rewrite(&case, false, None);
        let cells = coordinates(&case.context(&api), case.uri(), dimensions);
        let info = Info::load(case.context(&api), case.uri(), dimensions.len());
        let tiles: Vec<_> = cells.chunks(capacity).collect();
        assert!(tiles.len() > 1, "{name}");
        for (tile, cells) in tiles.iter().enumerate() {
            assert_eq!(&info.bound("lower", tile).unwrap(), cells.first().unwrap(), "{name}, tile {tile}");
            assert_eq!(&info.bound("upper", tile).unwrap(), cells.last().unwrap(), "{name}, tile {tile}");
        }
        let beyond = info.bound("upper", tiles.len()).unwrap_err();
        assert!(beyond.starts_with("FragmentInfo: Cannot get MBR global order bound: Invalid mbr index"), "{beyond}");
        // Sizes are needed for strings only.
        let without_sizes = info.call("upper", 0, &mut [], &mut vec![0; dimensions.len()]);
        match dimensions.iter().any(|(_, size)| *size == 0) {
            true => assert!(without_sizes.unwrap_err().contains("requires non-NULL dimension_sizes argument")),
            false => without_sizes.unwrap(),
        }
    }
}

#[test]
fn damaged_bounds_are_refused_or_returned_within_their_tables() {
    let api = Api::ours();
    let mut refused = BTreeMap::new();
    for damage in Damage::ALL {
        let folder = tempfile::tempdir().unwrap();
        for (name, case) in golden(folder.path(), &|name| ONE_FRAGMENT.iter().any(|(case, ..)| *case == name)) {
            let &(_, dimensions, _) = ONE_FRAGMENT.iter().find(|(case, ..)| *case == name).unwrap();
            rewrite(&case, false, Some(damage));
            let info = Info::load(case.context(&api), case.uri(), dimensions.len());
            let bounds = (0..8).flat_map(|tile| ["lower", "upper"].map(|end| info.bound(end, tile)));
            *refused.entry(format!("{damage:?}")).or_insert(0) += bounds.filter(Result::is_err).count();
        }
    }
    println!("{refused:?}");
    for damage in ["Truncated", "NoSizes", "AbsurdSizes", "AbsurdTile", "Beyond"] {
        assert!(refused[damage] > 0, "{damage}: {refused:?}");
    }
}
