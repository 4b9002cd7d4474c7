//! Arrays that the library writes in version 23: every writer stores the bounds of tiles, in the layout that the encoder of this
//! test writes, and messages carry them.

use std::path::{Path, PathBuf};

use super::encoder::{Encoder, entries};
use super::report::{self, verify};
use super::{Info, golden, key_of};
use support::messages::{CAPNP, JSON, cross, parse};
use support::{Api, Array, Cells, Column, Ctx, address, bytes, pointer, text};
use tiledb_array::array::OpenArray;
use tiledb_array::fragment::{FooterSection, Fragment, METADATA_FILE};
use tiledb_core::config::Config;
use tiledb_core::types::QueryType;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

const IN_VERSION_23: (&str, &str) = ("sm.write_format_version", "23");
const INT32: u64 = 0;
const STRING_ASCII: u64 = 11;
const SPARSE: u64 = 1;
const WRITE: u64 = 1;
const GLOBAL_ORDER: u64 = 2;
const UNORDERED: u64 = 3;
const HILBERT: u64 = 4;
const CELLS: i32 = 20;

/// A sparse array with a dimension of numbers, one of strings, an attribute, and three cells in a tile.
fn create(ctx: &Ctx<'_>, uri: &str, cell_order: Option<u64>) {
    let domain = ctx.get("domain_alloc", &[]).unwrap();
    let (ends, extent) = ([0i32, 99].map(i32::to_le_bytes).concat(), 10i32.to_le_bytes());
    for (name, datatype, ends, extent) in [("x", INT32, bytes(&ends), bytes(&extent)), ("s", STRING_ASCII, 0, 0)] {
        let dimension = ctx.get("dimension_alloc", &[pointer(&text(name)), datatype, ends, extent]).unwrap();
        ctx.call("domain_add_dimension", &[domain, dimension]).unwrap();
        ctx.free("dimension", dimension);
    }
    let schema = ctx.get("array_schema_alloc", &[SPARSE]).unwrap();
    ctx.call("array_schema_set_domain", &[schema, domain]).unwrap();
    ctx.call("array_schema_set_capacity", &[schema, 3]).unwrap();
    if let Some(order) = cell_order {
        ctx.call("array_schema_set_cell_order", &[schema, order]).unwrap();
    }
    let attribute = ctx.get("attribute_alloc", &[pointer(&text("a")), INT32]).unwrap();
    ctx.call("array_schema_add_attribute", &[schema, attribute]).unwrap();
    ctx.call("array_create", &[pointer(&text(uri)), schema]).unwrap();
    ctx.free("attribute", attribute);
    ctx.free("array_schema", schema);
    ctx.free("domain", domain);
}

fn numbers(name: &str, values: impl Iterator<Item = i32>) -> Column {
    Column::filled(name, Cells { data: values.flat_map(i32::to_le_bytes).collect(), ..Cells::default() })
}

/// The columns of some cells, of which each has the coordinates of its number.
fn columns(cells: &[i32]) -> [Column; 3] {
    let texts: Vec<&str> = cells.iter().map(|&cell| ["b", "aaa", "", "zz"][cell as usize % 4]).collect();
    let starts = texts.iter().scan(0, |end, text| {
        let start = *end;
        *end += text.len() as u64;
        Some(start)
    });
    let strings = Cells { data: texts.concat().into_bytes(), offsets: Some(starts.collect()), validity: None };
    [
        numbers("x", cells.iter().map(|cell| 4 * cell)),
        Column::filled("s", strings),
        numbers("a", cells.iter().map(|cell| -cell)),
    ]
}

/// Writes cells at a time, so many in a submit; `fields` are the numbers of the columns of each submit of the same cells.
fn write(ctx: &Ctx<'_>, uri: &str, layout: u64, time: u64, cells: &[i32], batch: usize, fields: &[&[usize]]) {
    let array = Array::open(ctx, uri, WRITE, None, Some(time)).unwrap();
    let query = ctx.get("query_alloc", &[array.handle, WRITE]).unwrap();
    ctx.call("query_set_layout", &[query, layout]).unwrap();
    for cells in cells.chunks(batch) {
        let mut columns = columns(cells);
        for fields in fields {
            fields.iter().for_each(|&field| columns[field].bind(ctx, query).unwrap());
            ctx.call("query_submit", &[query]).unwrap();
        }
    }
    ctx.call("query_finalize", &[query]).unwrap();
    ctx.free("query", query);
}

/// All cells, in an order that is not that of the coordinates.
fn shuffled() -> Vec<i32> {
    (0..CELLS).map(|cell| cell * 7 % CELLS).collect()
}

fn visible_fragments(uri: &str) -> (Resources, OpenArray) {
    let resources = Resources::new(Config::new()).unwrap();
    let uri = Uri::from_path(Path::new(uri)).unwrap();
    let window = (0, u64::MAX);
    let array = OpenArray::open(&resources, &uri, QueryType::Read, window, &EncryptionKey::None).unwrap();
    (resources, array)
}

/// Checks that every fragment is of version 23 and has bounds, and that these are the coordinates of its cells; the number of
/// tiles.
fn check(ctx: &Ctx<'_>, uri: &str, what: &str) -> u64 {
    let (_resources, array) = visible_fragments(uri);
    let fragments = array.fragments().unwrap();
    assert!(!fragments.is_empty(), "{what}");
    for fragment in fragments.iter() {
        assert_eq!(fragment.version().number(), 23, "{what}");
        assert!(fragment.has_tile_bounds(), "{what}");
    }
    let verified = verify(ctx, uri);
    let findings: Vec<String> = verified.findings.iter().map(report::Report::text).collect();
    assert!(findings.is_empty() && verified.failure.is_none(), "{what}: {findings:?} {:?}", verified.failure);
    fragments.iter().map(|fragment| fragment.tile_count()).sum()
}

#[test]
fn every_writer_stores_the_bounds_of_tiles() {
    let api = Api::ours();
    let folder = tempfile::tempdir().unwrap();
    let all = &[0, 1, 2][..];
    let sorted: Vec<i32> = (0..CELLS).collect();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let make = |name: &str, order: Option<u64>| {
        create(&api.context(&[IN_VERSION_23]), &path(name), order);
        path(name)
    };
    // The writers follow the array, without the parameter.
    let ctx = api.context(&[]);
    for (name, order) in [("unordered", None), ("hilbert", Some(HILBERT))] {
        let uri = make(name, order);
        write(&ctx, &uri, UNORDERED, 1, &shuffled(), CELLS as usize, &[all]);
        assert_eq!(check(&ctx, &uri, name), 7);
    }
    let uri = make("global", None);
    write(&ctx, &uri, GLOBAL_ORDER, 1, &sorted, 7, &[all]);
    assert_eq!(check(&ctx, &uri, "global order"), 7);
    let little = api.context(&[("sm.mem.total_budget", "100")]);
    let uri = make("little", None);
    write(&little, &uri, UNORDERED, 1, &shuffled(), CELLS as usize, &[all]);
    assert_eq!(check(&ctx, &uri, "little memory"), 7);
    let apart = api.context(&[("sm.allow_separate_attribute_writes", "true")]);
    let uri = make("separate", None);
    write(&apart, &uri, UNORDERED, 1, &shuffled(), CELLS as usize, &[&[0, 1], &[2]]);
    assert_eq!(check(&ctx, &uri, "separate fields"), 7);
    let divided = api.context(&[("sm.fragment.max_size", "300")]);
    let uri = make("divided", None);
    write(&divided, &uri, GLOBAL_ORDER, 1, &sorted, CELLS as usize, &[all]);
    assert!(entries(&Path::new(&uri).join("__fragments")).len() > 1);
    assert_eq!(check(&ctx, &uri, "divided"), 7);
    // Consolidation, which retains the times of the cells.
    let uri = make("consolidated", None);
    for (number, cells) in shuffled().chunks(5).enumerate() {
        write(&ctx, &uri, UNORDERED, 1 + number as u64, cells, 5, &[all]);
    }
    assert_eq!(check(&ctx, &uri, "before consolidation"), 8);
    ctx.call("array_consolidate", &[pointer(&text(&uri)), 0]).unwrap();
    assert_eq!(check(&ctx, &uri, "consolidated"), 7);
}

/// Copies an array in a format version.
fn copy_in_version(ctx: &Ctx<'_>, from: &str, to: &Path, version: u64) {
    extern "C" fn go_on(_: u64, _: u64, _: u64) -> i32 {
        1
    }
    let progress = go_on as extern "C" fn(u64, u64, u64) -> i32;
    let (from, to) = (text(from), text(to.to_str().unwrap()));
    ctx.call("rs_array_downgrade", &[pointer(&from), pointer(&to), version, progress as usize as u64, 0]).unwrap();
}

/// The positions of all tables of a fragment.
fn table_positions(fragment: &Fragment) -> Vec<u64> {
    use FooterSection::{
        Conditions, FragmentStats, LowerBounds, Maxima, Minima, NullCounts, Offsets, RTree, Sums, UpperBounds,
        ValidityOffsets, VarOffsets, VarSizes,
    };
    let sections = [
        RTree,
        Offsets,
        VarOffsets,
        VarSizes,
        ValidityOffsets,
        Minima,
        Maxima,
        LowerBounds,
        UpperBounds,
        Sums,
        NullCounts,
        FragmentStats,
        Conditions,
    ];
    sections.into_iter().flat_map(|section| fragment.footer().section(section)).collect()
}

/// The metadata files of an array in the order of their bytes, without what differs between copies: the name of the schema.
/// Tables that the encoder took over state version 22.
fn metadata_files(root: &Path) -> Vec<Vec<u8>> {
    let (_resources, array) = visible_fragments(root.to_str().unwrap());
    let fragments = array.fragments().unwrap();
    let mut files = Vec::new();
    for fragment in fragments.iter() {
        let folder = root.join("__fragments").join(fragment.name().as_str());
        let mut bytes = std::fs::read(folder.join(METADATA_FILE)).unwrap();
        for position in table_positions(fragment) {
            bytes[position as usize..][..4].copy_from_slice(&23u32.to_le_bytes());
        }
        let name = fragment.schema().name().as_bytes().to_vec();
        let start = bytes.windows(name.len()).position(|window| window == name).unwrap();
        bytes[start..start + name.len()].fill(0);
        files.push(bytes);
    }
    files.sort();
    files
}

#[test]
fn written_metadata_is_that_of_the_encoder() {
    let api = Api::ours();
    let folder = tempfile::tempdir().unwrap();
    let copies = tempfile::tempdir().unwrap();
    let names = [
        "sparse_1d_dim_int8",
        "sparse_1d_dim_float64",
        "sparse_rtree_deep",
        "sparse_rtree_string",
        "sparse_string_2d",
        "sparse_mixed_dims_col",
        "sparse_mixed_dims_hilbert",
        "sparse_hilbert_2d_int32",
        "dense_1d_dim_int8",
        "dense_multi_fragment",
    ];
    let cases = golden(folder.path(), &|name| names.contains(&name));
    assert_eq!(cases.len(), names.len());
    for (name, case) in cases {
        let ctx = case.context(&api);
        let [encoded, written]: [PathBuf; 2] = [22, 23].map(|version| {
            let copy = copies.path().join(format!("{name}_{version}"));
            copy_in_version(&ctx, case.uri(), &copy, version);
            copy
        });
        Encoder { key: key_of(&case), unknown_sections: false, damage: None }.rewrite(&encoded);
        let files = metadata_files(&encoded);
        assert!(!files.is_empty(), "{name}");
        assert!(files == metadata_files(&written), "{name}");
        assert!(verify(&ctx, written.to_str().unwrap()).findings.is_empty(), "{name}");
    }
}

/// All bounds of a fragment info about one fragment.
fn all_bounds(info: &Info<'_>, tiles: usize) -> Vec<Vec<Vec<u8>>> {
    (0..tiles).flat_map(|tile| ["lower", "upper"].map(|end| info.bound(end, tile).unwrap())).collect()
}

#[test]
fn messages_about_fragments_carry_the_bounds() {
    let api = Api::ours();
    let folder = tempfile::tempdir().unwrap();
    let uri = folder.path().join("array").to_str().unwrap().to_owned();
    create(&api.context(&[IN_VERSION_23]), &uri, None);
    write(&api.context(&[]), &uri, UNORDERED, 1, &shuffled(), CELLS as usize, &[&[0, 1, 2]]);
    let elsewhere = folder.path().join("elsewhere");
    for preload in ["true", "false"] {
        let context = || api.context(&[("sm.fragment_info.preload_mbrs", preload)]);
        let expected = all_bounds(&Info::load(context(), &uri, 2), 7);
        for form in [JSON, CAPNP] {
            let info = Info::load(context(), &uri, 2);
            let message = info.ctx.message("serialize_fragment_info", &[info.handle, form, 0]).unwrap();
            if form == JSON {
                let meta = &parse(&message)["fragmentInfo"][0]["meta"];
                for end in ["Min", "Max"] {
                    assert_eq!(meta["gtOffsets"][format!("tileGlobalOrder{end}Offsets")].as_array().unwrap().len(), 2);
                    for (part, dimension) in [("", 0), ("", 1), ("Var", 1)] {
                        let tables = meta[format!("tileGlobalOrder{end}{part}Buffer")].as_array().unwrap();
                        // An entry for each field: the attribute, the place of zipped coordinates, and the dimensions.
                        assert_eq!(tables.len(), 4);
                        assert_eq!(tables[dimension].as_array().unwrap().is_empty(), preload == "false", "{meta}");
                    }
                }
            }
            // With the bounds in the message, the files are not needed.
            if preload == "true" {
                std::fs::rename(&uri, &elsewhere).unwrap();
            }
            let ctx = context();
            let handle = ctx.get("fragment_info_alloc", &[pointer(&text(&uri))]).unwrap();
            let buffer = ctx.buffer(&message);
            let place = text(&uri);
            ctx.call("deserialize_fragment_info", &[buffer.handle, form, pointer(&place), 1, handle]).unwrap();
            drop(buffer);
            let received = Info { ctx, handle, dimensions: 2 };
            assert_eq!(all_bounds(&received, 7), expected, "{preload}, {form}");
            if preload == "true" {
                std::fs::rename(&elsewhere, &uri).unwrap();
            }
        }
    }
}

#[test]
fn a_write_that_servers_take_in_turn_has_bounds() {
    let api = Api::ours();
    let folder = tempfile::tempdir().unwrap();
    let uri = folder.path().join("array").to_str().unwrap().to_owned();
    let client = api.context(&[]);
    create(&api.context(&[IN_VERSION_23]), &uri, None);
    let array = Array::open(&client, &uri, WRITE, None, Some(1)).unwrap();
    let query = client.get("query_alloc", &[array.handle, WRITE]).unwrap();
    client.call("query_set_layout", &[query, GLOBAL_ORDER]).unwrap();
    let all: Vec<i32> = (0..18).collect();
    let mut batches: Vec<[Column; 3]> = all.chunks(6).map(columns).collect();
    for columns in &mut batches {
        columns.iter_mut().for_each(|column| column.bind(&client, query).unwrap());
        let server = api.context(&[]);
        cross(&client, query, &server, &uri, |there| server.call("query_submit", &[there])).unwrap();
    }
    let server = api.context(&[]);
    cross(&client, query, &server, &uri, |there| server.call("query_finalize", &[there])).unwrap();
    let mut fragments = 0u32;
    client.call("query_get_fragment_num", &[query, address(&mut fragments)]).unwrap();
    client.free("query", query);
    assert_eq!((fragments, check(&client, &uri, "servers")), (1, 6));
    let info = Info::load(api.context(&[]), &uri, 2);
    assert_eq!(info.bound("upper", 5).unwrap(), [68i32.to_le_bytes().to_vec(), b"aaa".to_vec()]);
}
