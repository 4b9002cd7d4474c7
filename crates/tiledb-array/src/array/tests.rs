//! Arrays whose fragments are written, read back and damaged.

use std::sync::Arc;

use super::{Array, ArrayDirectory, OpenArray, SchemaStore, create};
use crate::fragment::*;
use crate::schema::{ArraySchema, Attribute, Dimension, Domain};
use tiledb_core::config::Config;
use tiledb_core::error::Result;
use tiledb_core::types::{ArrayType, CellRange, Datatype, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::tile::TileStats;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// A sparse array of one number and one string dimension with a fixed and a string attribute.
fn schema() -> ArraySchema {
    let ends = [0i32, 99].map(i32::to_le_bytes).concat();
    let x = Dimension::new("x", Datatype::Int32, Some(&ends), Some(&10i32.to_le_bytes())).unwrap();
    let mut s = Dimension::new("s", Datatype::StringAscii, None, None).unwrap();
    s.set_cell_val_num(u32::MAX).unwrap();
    let mut schema = ArraySchema::new(ArrayType::Sparse);
    schema.set_domain(Arc::new(Domain::of(vec![Arc::new(x), Arc::new(s)]))).unwrap();
    let mut nullable = Attribute::new("n", Datatype::Int32);
    nullable.set_nullable(true);
    let mut text = Attribute::new("t", Datatype::StringAscii);
    text.set_cell_val_num(u32::MAX).unwrap();
    schema.add_attribute(Arc::new(nullable)).unwrap();
    schema.add_attribute(Arc::new(text)).unwrap();
    schema
}

fn stats(low: &[u8], high: &[u8]) -> TileStats {
    TileStats { min: low.to_vec(), max: high.to_vec(), sum: [7; 8], null_count: 2, ..TileStats::default() }
}

/// Writes `tiles` tiles whose bytes are no real cells; only the metadata is of interest here.
fn write(
    resources: &Resources,
    uri: &Uri,
    schema: &Arc<ArraySchema>,
    key: &EncryptionKey,
    tiles: u8,
) -> Result<FragmentName> {
    let mut writer = FragmentWriter::create(resources, uri, schema.clone(), key, false, (5, 5))?;
    for tile in 0..tiles {
        for field in schema.fields() {
            let bytes = vec![tile; 10 + usize::from(tile)];
            let low = if field.is_var() { b"abc".to_vec() } else { vec![tile; 4] };
            writer.append(
                field,
                &FilteredTile {
                    data: bytes.clone(),
                    var: field.is_var().then(|| (bytes.clone(), 1000 + u64::from(tile))),
                    validity: field.nullable.then(|| vec![1; 3]),
                    stats: stats(&low, &low),
                    ..FilteredTile::default()
                },
            )?;
        }
        let ranges = [CellRange::of(i32::from(tile), 50), CellRange::var(b"a", &[b'b', tile])];
        writer.push_bounds(&ranges.map(|range| CoordinateBounds { range, ends: None }))?;
    }
    writer.set_last_tile_cells(3);
    writer.finish()
}

fn new_array(key: &EncryptionKey) -> (Resources, Uri, Arc<ArraySchema>) {
    let resources = Resources::new(Config::new()).unwrap();
    let uri = Uri::parse("mem://fragment/array").unwrap();
    let schema = schema();
    create(&resources, &uri, &schema, key).unwrap();
    (resources, uri, Arc::new(schema))
}

fn open(resources: &Resources, uri: &Uri, key: &EncryptionKey) -> Result<OpenArray> {
    OpenArray::open(resources, uri, QueryType::Read, (0, 10), key)
}

#[test]
fn what_is_written_is_read() {
    for key in [EncryptionKey::None, EncryptionKey::Aes256([3; 32])] {
        let (resources, uri, schema) = new_array(&key);
        let name = write(&resources, &uri, &schema, &key, 13).unwrap();
        let array = open(&resources, &uri, &key).unwrap();
        let fragment = &array.fragments().unwrap()[0];
        assert_eq!((fragment.name(), fragment.tile_count(), fragment.cells_in_tile(12)), (&name, 13, 3));
        assert_eq!(fragment.cells_in_tile(0), schema.capacity());
        for field in fragment.schema().fields() {
            let mut at = 0;
            for tile in 0..13 {
                let range = fragment.tile(field, FieldPart::Data, tile).unwrap();
                assert_eq!(range, at..at + 10 + tile);
                at = range.end;
                if field.is_var() {
                    assert_eq!(fragment.var_tile_size(field, tile).unwrap(), 1000 + tile);
                    assert_eq!(fragment.tile(field, FieldPart::Var, tile).unwrap(), range);
                }
            }
            let file = fragment.file(field, FieldPart::Data).unwrap();
            let mut bytes = [0; 2];
            file.read_at(fragment.tile(field, FieldPart::Data, 7).unwrap().start, &mut bytes).unwrap();
            assert_eq!((file.len(), bytes), (at, [7, 7]));
            assert!(fragment.tile(field, FieldPart::Data, 13).is_err());
        }
        let text = fragment.field("t").unwrap();
        assert_eq!(fragment.tile_min_max(text, 4).unwrap(), Some((&b"abc"[..], &b"abc"[..])));
        let number = fragment.field("n").unwrap();
        assert_eq!(fragment.tile_min_max(number, 4).unwrap(), Some((&[4u8; 4][..], &[4u8; 4][..])));
        assert_eq!(fragment.tile_null_count(number, 4).unwrap(), Some(2));
        assert_eq!(fragment.tile_sum(number, 4).unwrap(), Some([7; 8]));
        assert_eq!(fragment.rtree().unwrap().leaf_count(), 13);
        let domain = array.non_empty_domain().unwrap().unwrap();
        assert_eq!(domain[0].ends::<i32>(), (0, 50));
        assert_eq!((domain[1].low(), domain[1].high()), (&b"a"[..], &[b'b', 12][..]));
    }
}

#[test]
fn schema_that_is_younger_than_the_listing_is_read() {
    let key = EncryptionKey::None;
    let (resources, uri, schema) = new_array(&key);
    let schemas = SchemaStore::new(&resources, &ArrayDirectory::load(resources.vfs(), &uri).unwrap(), &key);
    let folder = uri.join("__schema");
    let stored = resources.vfs().read(&folder.join(&schemas.names()[0])).unwrap();
    let younger = "__7000000000000_7000000000000_0123456789abcdef0123456789abcdef";
    for name in [younger, "../array", "__7_7_x/../y"] {
        let error = schemas.get(name).unwrap_err();
        assert!(error.text().contains("has no schema"), "{}", error.text());
    }
    resources.vfs().put(&folder.join(younger), &stored).unwrap();
    let read = schemas.get(younger).unwrap();
    assert_eq!((read.name(), read.attributes().len()), (younger, schema.attributes().len()));
}

#[test]
fn nothing_is_left_of_an_unfinished_fragment() {
    let key = EncryptionKey::None;
    let (resources, uri, schema) = new_array(&key);
    let mut writer = FragmentWriter::create(&resources, &uri, schema.clone(), &key, false, (5, 5)).unwrap();
    let tile = FilteredTile { data: vec![1], ..FilteredTile::default() };
    writer.append(schema.field("x").unwrap(), &tile).unwrap();
    assert!(writer.finish().is_err());
    assert!(resources.vfs().list(&uri.join("__fragments")).unwrap().is_empty());
    assert!(open(&resources, &uri, &key).unwrap().fragments().unwrap().is_empty());
}

#[test]
fn wrong_encryption_key_is_an_error() {
    let key = EncryptionKey::Aes256([3; 32]);
    let (resources, uri, _) = new_array(&key);
    let error = open(&resources, &uri, &EncryptionKey::None).err().unwrap();
    assert!(error.text().starts_with("ArrayDirectory: GenericTileIO: Error reading generic tile; tile is encrypted"));
}

#[test]
fn damaged_metadata_never_panic() {
    let key = EncryptionKey::None;
    let (resources, uri, schema) = new_array(&key);
    let name = write(&resources, &uri, &schema, &key, 3).unwrap();
    let file = uri.join("__fragments").join(name.as_str()).join("__fragment_metadata.tdb");
    let bytes = resources.vfs().read(&file).unwrap();
    let touch = |bytes: &[u8]| -> Result<()> {
        resources.vfs().put(&file, bytes)?;
        let array = open(&resources, &uri, &key)?;
        for fragment in array.fragments().unwrap() {
            fragment.rtree()?;
            fragment.processed_conditions()?;
            for field in fragment.schema().fields() {
                for tile in 0..fragment.tile_count().min(5) {
                    for part in [FieldPart::Data, FieldPart::Var, FieldPart::Validity] {
                        fragment.tile(field, part, tile)?;
                    }
                    fragment.var_tile_size(field, tile)?;
                    fragment.tile_min_max(field, tile)?;
                    fragment.tile_sum(field, tile)?;
                    fragment.tile_null_count(field, tile)?;
                }
            }
        }
        Ok(())
    };
    touch(&bytes).unwrap();
    let mut refused = 0;
    for position in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[position] ^= if position % 2 == 0 { 0x80 } else { 0x01 };
        refused += usize::from(touch(&damaged).is_err());
    }
    assert!(refused > bytes.len() / 3, "{refused} of {} damages were noticed", bytes.len());
    for end in (0..bytes.len()).step_by(7) {
        assert!(touch(&bytes[..end]).is_err(), "cut at {end}");
    }
}

#[test]
fn reopened_array_ends_at_the_end_that_was_set_since_or_at_the_present() {
    const READ: u32 = 0;
    let future = u64::MAX - 9;
    let (resources, uri, _) = new_array(&EncryptionKey::None);
    let array = Array::new(&resources, uri.as_str()).unwrap();
    array.set_open_end(future);
    array.open(READ).unwrap();
    assert_eq!(array.open_end(), future);
    array.reopen().unwrap();
    let present = array.open_end();
    assert!(present < future && array.set_end() == present, "the end was not set again");
    array.set_open_end(future);
    array.reopen().unwrap();
    assert_eq!(array.open_end(), future);
    array.set_open_end(u64::MAX);
    array.reopen().unwrap();
    assert!((present..future).contains(&array.open_end()));
}
