//! Damage of a small array without checksums: verification finds all but few flipped bits of each file, and what is missing.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Code, Severity, verify};
use crate::maintain::consolidate;
use tiledb_array::array::{MetadataChanges, OpenArray, create};
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
use tiledb_cells::columns::input::{InputColumn, Inputs};
use tiledb_cells::write::testing::{self, column, starts};
use tiledb_cells::write::writer;
use tiledb_core::config::Config;
use tiledb_core::types::{ArrayType, CURRENT_VERSION, Datatype, Layout, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

const CELLS: i32 = 8;

/// An array of two tiles, with a fixed, a nullable, a floating and a text attribute, metadata, and consolidated commits and footers.
fn array(array_type: ArrayType) -> (Resources, Uri) {
    let mut config = Config::new();
    config.set("sm.skip_checksum_validation", "true").unwrap();
    let resources = Resources::new(config).unwrap();
    let uri = Uri::parse("mem://flips/array").unwrap();
    let ends = [0, CELLS - 1].map(i32::to_le_bytes).concat();
    let dimension = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&4i32.to_le_bytes())).unwrap();
    let mut schema = ArraySchema::new(array_type);
    schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
    schema.set_capacity(4).unwrap();
    schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int32))).unwrap();
    schema.add_attribute(Arc::new(Attribute::new("f", Datatype::Float64))).unwrap();
    let mut nullable = Attribute::new("n", Datatype::Uint8);
    nullable.set_nullable(true);
    schema.add_attribute(Arc::new(nullable)).unwrap();
    let mut text = Attribute::new("t", Datatype::StringAscii);
    text.set_cell_val_num(u32::MAX).unwrap();
    schema.add_attribute(Arc::new(text)).unwrap();
    create(&resources, &uri, &schema, &EncryptionKey::None).unwrap();
    for time in [1, 2] {
        write(&resources, &uri, time);
        let mut changes = MetadataChanges::default();
        changes.put("key", Datatype::Uint8, &[time as u8]).unwrap();
        changes.write(&resources, &uri, CURRENT_VERSION, time, &EncryptionKey::None).unwrap();
    }
    for mode in ["commits", "fragment_meta"] {
        let mut config = resources.config().clone();
        config.set("sm.consolidation.mode", mode).unwrap();
        consolidate(&resources.with_config(config).unwrap(), &uri, &mut |_| Ok(())).unwrap();
    }
    (resources, uri)
}

fn write(resources: &Resources, uri: &Uri, time: u64) {
    let array = OpenArray::open(resources, uri, QueryType::Write, (0, time), &EncryptionKey::None).unwrap();
    let is_dense = array.schema().is_dense();
    let numbers: Vec<i32> = (0..CELLS).map(|cell| cell * 37 % 11 + time as i32).collect();
    let coords: Vec<i32> = (0..CELLS).collect();
    let floats: Vec<f64> = numbers.iter().map(|number| f64::from(*number) / 7.0).collect();
    let bytes: Vec<u8> = numbers.iter().map(|number| *number as u8).collect();
    let validity: Vec<u8> = (0..CELLS as u8).map(|cell| u8::from(cell % 3 > 0)).collect();
    let texts: Vec<String> = numbers.iter().map(|number| "word"[..*number as usize % 5].to_owned()).collect();
    let (starts, texts) = (starts(&texts), texts.concat());
    let mut columns = vec![
        column("a", bytemuck::cast_slice(&numbers)),
        column("f", bytemuck::cast_slice(&floats)),
        InputColumn { validity: Some(&validity), ..column("n", &bytes) },
        InputColumn { starts: Some(starts.into()), ..column("t", texts.as_bytes()) },
    ];
    if !is_dense {
        columns.push(column("d", bytemuck::cast_slice(&coords)));
    }
    let (layout, sides) =
        if is_dense { (Layout::RowMajor, vec![(0, CELLS - 1)]) } else { (Layout::Unordered, Vec::new()) };
    let mut writer = writer(testing::spec(array, layout, &sides, u64::MAX)).unwrap();
    writer.write(&Inputs { columns: columns.into() }).unwrap();
    writer.finish().unwrap();
}

/// Whether something is found; errors of the array as a whole count.
fn is_found(resources: &Resources, uri: &Uri) -> bool {
    let mut findings = 0;
    let on_finding = &mut |_: &super::Finding| {
        findings += 1;
        Ok(())
    };
    verify(resources, uri, on_finding, &mut |_, _| Ok(())).is_err() || findings > 0
}

/// The number of bits and of those whose flip is not found, by the kind of file.
fn flips(array_type: ArrayType) -> BTreeMap<String, (usize, usize)> {
    let (resources, uri) = array(array_type);
    let vfs = resources.vfs();
    assert!(!is_found(&resources, &uri), "{array_type:?}");
    let mut counts = BTreeMap::new();
    let mut seen = Vec::new();
    for file in vfs.list_recursive(&uri).unwrap().into_iter().filter(|entry| !entry.is_dir) {
        let name = file.uri.last_part().to_owned();
        let kind = if name.starts_with("__") && !name.ends_with(".tdb") {
            name.rsplit_once('.').map_or("schema or metadata", |(_, extension)| extension).to_owned()
        } else {
            name
        };
        // One file of each kind.
        if seen.contains(&kind) {
            continue;
        }
        seen.push(kind.clone());
        let contents = vfs.read(&file.uri).unwrap();
        let (count, missed) = counts.entry(kind).or_insert((0, 0));
        let step = 1 + contents.len() / 200;
        for at in (0..contents.len()).step_by(step) {
            let mut changed = contents.clone();
            changed[at] ^= 1 << [0, 6][at % 2];
            vfs.put(&file.uri, &changed).unwrap();
            *count += 1;
            *missed += usize::from(!is_found(&resources, &uri));
        }
        vfs.put(&file.uri, &contents).unwrap();
    }
    assert!(!is_found(&resources, &uri));
    counts
}

/// Files, and the maximum percentage of bits whose flip is not found: values that change no statistic, times in names of commits, unused
/// bits of schemas and tables.
const LIMITS: [(&str, usize); 11] = [
    ("a0.tdb", 0),
    ("d0.tdb", 0),
    ("a2_validity.tdb", 0),
    ("a1.tdb", 4),
    ("a2.tdb", 13),
    ("a3.tdb", 5),
    ("a3_var.tdb", 35),
    ("__fragment_metadata.tdb", 28),
    ("con", 35),
    ("meta", 10),
    ("schema or metadata", 30),
];

#[test]
fn flipped_bits_are_found_in_each_file() {
    for array_type in [ArrayType::Dense, ArrayType::Sparse] {
        let flips = flips(array_type);
        for (kind, limit) in LIMITS {
            let Some((count, missed)) = flips.get(kind) else {
                assert!(array_type == ArrayType::Dense && kind == "d0.tdb", "{kind}");
                continue;
            };
            assert!(100 * missed <= limit * count, "{array_type:?} {kind}: {missed} of {count}");
        }
    }
}

/// Codes and severities of all findings.
fn findings(resources: &Resources, uri: &Uri) -> Vec<(Code, Severity)> {
    let mut found = Vec::new();
    let on_finding = &mut |finding: &super::Finding| {
        found.push((finding.code, finding.severity));
        Ok(())
    };
    verify(resources, uri, on_finding, &mut |_, _| Ok(())).unwrap();
    found
}

fn folders(resources: &Resources, uri: &Uri) -> Vec<Uri> {
    let fragments = uri.join("__fragments");
    resources.vfs().names(&fragments).unwrap().into_iter().map(|item| fragments.join(&item.name)).collect()
}

#[test]
fn missing_fragments_are_errors_unless_they_were_replaced() {
    for array_type in [ArrayType::Dense, ArrayType::Sparse] {
        let (resources, uri) = array(array_type);
        let sources = folders(&resources, &uri);
        consolidate(&resources, &uri, &mut |_| Ok(())).unwrap();
        assert_eq!(findings(&resources, &uri), []);
        // As after a vacuum that was killed.
        resources.vfs().remove_dirs(&[&sources[..1]]).unwrap();
        let found = findings(&resources, &uri);
        assert!(found.contains(&(Code::Commit, Severity::Note)), "{found:?}");
        assert!(found.iter().all(|one| one.1 < Severity::Error), "{found:?}");
        let merged: Vec<Uri> =
            folders(&resources, &uri).into_iter().filter(|folder| !sources.contains(folder)).collect();
        resources.vfs().remove_dirs(&[&merged]).unwrap();
        let found = findings(&resources, &uri);
        assert!(found.contains(&(Code::Commit, Severity::Error)), "{found:?}");
    }
}

#[test]
fn fragment_without_a_commit_is_an_orphan() {
    let (resources, uri) = array(ArrayType::Sparse);
    let orphan = uri.join("__fragments/__5_5_0123456789abcdef0123456789abcdef_22");
    resources.vfs().put(&orphan.join("a0.tdb"), b"cells").unwrap();
    assert!(findings(&resources, &uri).iter().any(|one| one.0 == Code::Orphan));
}
