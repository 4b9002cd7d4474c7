//! The readers of files other than data: filter lists, generic tiles, schemas, fragment metadata.

use std::fmt::Debug;
use std::sync::{Arc, LazyLock};

use tiledb_array::array::{ArrayDirectory, Metadata, OpenArray};
use tiledb_array::fragment::{FieldPart, Fragment, FragmentName, MetadataCaching, RTree, box_of_region};
use tiledb_array::group::{Group, OpenGroup};
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain, Enumeration};
use tiledb_core::config::Config;
use tiledb_core::error::Result;
use tiledb_core::stats::Counter;
use tiledb_core::types::{
    ArrayType, CURRENT_VERSION, CellRange, Datatype, FormatVersion, NEWEST_READABLE_VERSION, QueryType,
};
use tiledb_core::wire::{WireReader, WireWriter};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::filter::Pipeline;
use tiledb_filters::tile::generic;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

use super::input::Input;

const OPEN: EncryptionKey = EncryptionKey::None;
static RESOURCES: LazyLock<Resources> = LazyLock::new(|| sound("resources", Resources::new(Config::new())));

/// What must not fail.
fn sound<T>(what: &str, result: Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{what}: {error}"),
    }
}

fn same<T: PartialEq + Debug>(what: &str, written: &T, again: &T) {
    assert!(written == again, "{what}: written as {written:?}, read back and written as {again:?}");
}

fn version(input: &mut Input) -> FormatVersion {
    sound("a version", FormatVersion::from_number(input.version()))
}

/// A filter list of any version.
pub fn filter_list(bytes: &[u8]) {
    let input = &mut Input(bytes);
    let version = version(input);
    let Ok(pipeline) = Pipeline::read(&mut WireReader::new("fuzz", input.0), version) else { return };
    let write = |pipeline: &Pipeline| {
        let mut w = WireWriter::new();
        pipeline.write(&mut w, version);
        w.finish().unwrap()
    };
    let written = write(&pipeline);
    let again = sound("a written filter list", Pipeline::read(&mut WireReader::new("fuzz", &written), version));
    same("filter list", &written, &write(&again));
}

/// A generic tile as it lies in a file, or a payload that is written as one.
pub fn generic_tile(bytes: &[u8]) {
    let input = &mut Input(bytes);
    let mode = input.byte();
    let key = if mode & 1 == 0 { OPEN } else { EncryptionKey::Aes256([7; 32]) };
    if mode & 2 == 0 {
        let _ = generic::read(input.0, &key);
        return;
    }
    let mut tile = Vec::new();
    sound("a generic tile", generic::write(input.0, CURRENT_VERSION, &key, &mut tile));
    let (payload, taken) = sound("a written generic tile", generic::read(&tile, &key));
    assert!(payload == input.0 && taken == tile.len(), "another payload comes back");
}

/// The payload of an array schema.
pub fn array_schema(bytes: &[u8]) {
    let Ok(schema) = ArraySchema::read(bytes) else { return };
    let _ = (schema.check(), schema.field_count_in_fragment());
    // Cells may be large, and so is then the text of their fill values.
    if schema.attributes().iter().all(|attribute| attribute.cell_size() < 1 << 12) {
        let _ = schema.dump();
    }
    for field in schema.fields() {
        let _ = (field.cell_size(), schema.field(&field.name));
    }
    for dimension in schema.domain().dimensions() {
        let _ = dimension.cells_per_tile();
    }
    if schema.is_dense() {
        let domain: Option<Vec<CellRange>> = schema.domain().dimensions().iter().map(|d| d.domain().cloned()).collect();
        let _ = box_of_region(&schema, &domain.unwrap_or_default());
    }
    let written = schema.write().unwrap();
    let again = sound("a written schema", ArraySchema::read(&written));
    same("schema", &written, &again.write().unwrap());
}

/// The payload of an enumeration.
pub fn enumeration(bytes: &[u8]) {
    let Ok(enumeration) = Enumeration::read(bytes) else { return };
    for index in 0..enumeration.len().min(100) {
        let value = enumeration.value(index).unwrap_or_default();
        assert_eq!(enumeration.index_of(value), Some(index), "{enumeration:?}");
    }
    let _ = enumeration.value(enumeration.len());
    let _ = enumeration.extend(enumeration.data(), Some(enumeration.offsets()));
    let written = enumeration.write().unwrap();
    let again = sound("a written enumeration", Enumeration::read(&written));
    same("enumeration", &written, &again.write().unwrap());
}

/// The payload of an R-tree.
pub fn rtree(bytes: &[u8]) {
    let input = &mut Input(bytes);
    let schema = &SCHEMAS[input.below(SCHEMAS.len())];
    let version = version(input);
    let dimensions: Vec<(Datatype, bool)> =
        schema.domain().dimensions().iter().map(|d| (d.datatype(), d.is_var())).collect();
    let Ok(tree) = RTree::read(input.0, version, &dimensions) else { return };
    search(&tree, schema);
    let _ = tree.memory();
    let write = |tree: &RTree| {
        let mut w = WireWriter::new();
        tree.write(&mut w);
        w.finish().unwrap()
    };
    let written = write(&tree);
    let again = sound("a written R-tree", RTree::read(&written, CURRENT_VERSION, &dimensions));
    same("R-tree", &written, &write(&again));
}

fn search(tree: &RTree, schema: &ArraySchema) {
    let ranges: Vec<Vec<CellRange>> = schema.domain().dimensions().iter().map(|d| ranges(d)).collect();
    for tile in tree.overlapping(&ranges) {
        assert!((tile.tile as usize) < tree.leaf_count(), "tile {} of {}", tile.tile, tree.leaf_count());
    }
    for tile in [0, tree.leaf_count().wrapping_sub(1), tree.leaf_count()] {
        assert_eq!(tree.leaf(tile).is_some(), tile < tree.leaf_count());
        assert_eq!(tree.leaf_ends(0, tile).is_some(), tile < tree.leaf_count());
    }
    assert_eq!(tree.root().is_some(), tree.leaf_count() > 0);
}

/// The ranges a dimension is asked for.
fn ranges(dimension: &Dimension) -> Vec<CellRange> {
    match dimension.domain() {
        None => vec![CellRange::var(b"b", b"cat"), CellRange::var(b"", b"a")],
        Some(domain) => {
            let low = sound("a range", CellRange::fixed(domain.low(), domain.low()));
            let high = sound("a range", CellRange::fixed(domain.high(), domain.high()));
            vec![high, low]
        }
    }
}

/// A dense schema, a sparse one with a string and a float dimension, one with labels of time.
pub static SCHEMAS: LazyLock<[Arc<ArraySchema>; 3]> = LazyLock::new(|| {
    let build = || {
        let int = |name, low: i32, high: i32, extent: i32| {
            let domain = [low.to_le_bytes(), high.to_le_bytes()].concat();
            Dimension::new(name, Datatype::Int32, Some(&domain), Some(&extent.to_le_bytes()))
        };
        let float = [(-10.0f64).to_le_bytes(), 10.0f64.to_le_bytes()].concat();
        let days = [0i64.to_le_bytes(), 1000i64.to_le_bytes()].concat();
        let text = Dimension::new("text", Datatype::StringAscii, None, None)?;
        Ok([
            schema(ArrayType::Dense, vec![int("x", 1, 100, 10)?, int("y", -50, 50, 7)?])?,
            schema(ArrayType::Sparse, vec![text, Dimension::new("f", Datatype::Float64, Some(&float), None)?])?,
            schema(ArrayType::Sparse, vec![Dimension::new("t", Datatype::DatetimeDay, Some(&days), None)?])?,
        ])
    };
    sound("schemas", build())
});

/// With a number, an optional text, and pairs.
fn schema(array_type: ArrayType, dimensions: Vec<Dimension>) -> Result<Arc<ArraySchema>> {
    let mut schema = ArraySchema::at(array_type, 1);
    schema.set_domain(Arc::new(Domain::of(dimensions.into_iter().map(Arc::new).collect())))?;
    let number = Attribute::new("number", Datatype::Int64);
    let mut text = Attribute::new("text_or_null", Datatype::StringUtf8);
    text.set_cell_val_num(u32::MAX)?;
    text.set_nullable(true);
    let mut pairs = Attribute::new("pairs", Datatype::Float32);
    pairs.set_cell_val_num(2)?;
    for attribute in [number, text, pairs] {
        schema.add_attribute(Arc::new(attribute))?;
    }
    Ok(Arc::new(schema))
}

/// A name of a fragment for each version, so that a file replaces the one before it.
static NAMES: LazyLock<Vec<FragmentName>> = LazyLock::new(|| {
    let versions = (1..=NEWEST_READABLE_VERSION.number()).filter_map(|number| FormatVersion::from_number(number).ok());
    versions.map(|version| FragmentName::new(1, 1, version)).collect()
});

/// A fragment's metadata file, then everything that can be asked of the fragment.
pub fn fragment(bytes: &[u8]) {
    let input = &mut Input(bytes);
    let schema = &SCHEMAS[input.below(SCHEMAS.len())];
    let version = version(input);
    let Some(name) = NAMES.iter().find(|name| name.version() == version) else { return };
    let array = uri("mem://fuzz/fragment");
    sound("a file", RESOURCES.vfs().put(&name.folder(&array).join("__fragment_metadata.tdb"), input.0));
    let schema_of = |_: &str| Ok(schema.clone());
    let Ok(fragment) = Fragment::load(&RESOURCES, &array, name.clone(), &OPEN, None, MetadataCaching::None, &schema_of)
    else {
        return;
    };
    let tiles = fragment.tile_count();
    for field in schema.fields().iter().chain(fragment.special_fields()) {
        for tile in [0, 1, tiles.wrapping_sub(1), tiles] {
            for part in [FieldPart::Data, FieldPart::Var, FieldPart::Validity] {
                let _ = (fragment.tile(field, part, tile), fragment.file_size(field, part));
            }
            let _ = (fragment.var_tile_size(field, tile), fragment.cells_in_tile(tile));
            let _ = (fragment.tile_min_max(field, tile), fragment.tile_sum(field, tile));
            let _ = fragment.tile_null_count(field, tile);
        }
    }
    if let Ok(tree) = fragment.rtree() {
        search(tree, schema);
    }
    let _ = (fragment.processed_conditions().is_ok(), fragment.cell_count(), fragment.data_size());
}

/// The payload of a file of array metadata.
pub fn metadata(bytes: &[u8]) {
    let array = uri("mem://fuzz/metadata");
    let file = array.join("__meta").join("__1_1_0123456789abcdef0123456789abcdef");
    sound("a file", RESOURCES.vfs().put(&file, &unfiltered(bytes)));
    let Ok(metadata) = Metadata::load(&RESOURCES, &array, (0, u64::MAX), &OPEN, Counter::MetadataRead) else { return };
    for index in 0..metadata.len() as u64 {
        let (key, value) = sound("a value", metadata.at(index));
        if let Ok(key) = std::str::from_utf8(key) {
            assert_eq!(metadata.get(key).map(|value| value.bytes()), Some(value.bytes()));
        }
    }
    assert!(metadata.at(metadata.len() as u64).is_err());
}

/// The payload of a file of group details; the group is shown, and its first member removed.
pub fn group(bytes: &[u8]) {
    const HOME: &str = "mem://fuzz/group";
    let home = uri(HOME);
    let _ = RESOURCES.vfs().remove_dir(&home);
    sound("a group", tiledb_array::group::create(&RESOURCES, HOME));
    let file = home.join("__group").join("__1_1_0123456789abcdef0123456789abcdef_2");
    sound("a file", RESOURCES.vfs().put(&file, &unfiltered(bytes)));
    let group = sound("a handle", Group::new(&RESOURCES, HOME));
    if group.open(QueryType::Read as u32).is_err() {
        return;
    }
    let open = sound("members", group.with_members("read"));
    let keys = |open: &OpenGroup| -> Vec<String> {
        let key = |index| {
            let member = sound("a member", open.member_at(index));
            let _ = member.location(open.uri());
            member.name.clone().unwrap_or(member.uri.clone())
        };
        (0..open.len() as u64).map(key).collect()
    };
    let before = keys(&open);
    assert!(open.member_at(before.len() as u64).is_err());
    let _ = group.dump(false);
    sound("closing", group.close());
    let Some(first) = before.first() else { return };
    sound("opening", group.open(QueryType::Write as u32));
    sound("removing", group.remove_member(first));
    sound("writing", group.close());
    sound("opening again", group.open(QueryType::Read as u32));
    let after = sound("members", group.with_members("read"));
    assert_eq!(keys(&after), before[1..]);
}

/// The names and contents of the files of an array's folder, which is then opened.
pub fn directory(bytes: &[u8]) {
    const FOLDERS: [&str; 5] = ["__commits", "__fragment_meta", "__fragments", "__meta", "."];
    const EXTENSIONS: [&str; 8] = ["wrt", "con", "ign", "vac", "del", "meta", "ok", ""];
    let input = &mut Input(bytes);
    let array = uri("mem://fuzz/directory");
    let _ = RESOURCES.vfs().remove_dir(&array);
    let mut schema = Vec::new();
    sound("a schema", generic::write(&SCHEMAS[0].write().unwrap(), CURRENT_VERSION, &OPEN, &mut schema));
    sound("a file", RESOURCES.vfs().put(&array.join("__schema").join(SCHEMAS[0].name()), &schema));
    for number in 0..input.byte() % 8 {
        let (kind, times, len) = (input.byte(), input.byte(), input.short());
        let (content, rest) = input.0.split_at(len.min(input.0.len()));
        input.0 = rest;
        let folder = array.join(FOLDERS[usize::from(kind >> 3) % FOLDERS.len()]);
        let (from, to) = (times & 15, times >> 4);
        let name = format!("__{from}_{to}_{number:032x}_22.{}", EXTENSIONS[usize::from(kind & 7)]);
        sound("a file", RESOURCES.vfs().put(&folder.join(&name), content));
    }
    let Ok(directory) = ArrayDirectory::load(RESOURCES.vfs(), &array) else { return };
    let _ = directory.visible(RESOURCES.vfs(), (2, 9), true);
    let _ = OpenArray::open(&RESOURCES, &array, QueryType::Read, (0, 20), &OPEN).is_ok();
}

fn uri(text: &str) -> Uri {
    sound(text, Uri::parse(text))
}

/// `payload` as a generic tile without filters, so that the fuzzer sees through it.
pub fn unfiltered(payload: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    let shape = tiledb_filters::filter::TileShape {
        datatype: Datatype::Char,
        cell_size: 1,
        is_var: false,
        version: CURRENT_VERSION,
    };
    sound("a body", Pipeline::default().forward(&shape, &OPEN, payload, None, &mut body));
    let mut filters = WireWriter::new();
    Pipeline::default().write(&mut filters, CURRENT_VERSION);
    let filters = filters.finish().unwrap();
    let mut w = WireWriter::new();
    w.u32(CURRENT_VERSION.number()).u64(body.len() as u64).u64(payload.len() as u64);
    w.u8(Datatype::Char.number()).u64(1).u8(0).u32(filters.len() as u32).bytes(&filters).bytes(&body);
    w.finish().unwrap()
}
