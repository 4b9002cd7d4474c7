//! Suspended global-order writes, resumed by other queries between submits, store the same files as a single query.

use std::sync::Arc;

use super::Query;
use super::tests::resources;
use tiledb_array::array::{OpenArray, create, upgrade};
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
use tiledb_cells::WriteDraft;
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_core::config::Config;
use tiledb_core::types::{ArrayType, Datatype, Layout, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

const CELLS: usize = 40;

fn schema(kind: ArrayType) -> ArraySchema {
    let mut domain = Domain::new();
    let bounds = [0i32, CELLS as i32 - 1];
    let rows = Dimension::new("rows", Datatype::Int32, Some(bytemuck::cast_slice(&bounds)), Some(&8i32.to_le_bytes()));
    domain.add(Arc::new(rows.unwrap()));
    let mut schema = ArraySchema::new(kind);
    schema.set_domain(Arc::new(domain)).unwrap();
    schema.set_capacity(8).unwrap();
    let mut number = Attribute::new("a", Datatype::Int32);
    number.set_nullable(true);
    let mut text = Attribute::new("s", Datatype::StringAscii);
    text.set_cell_val_num(u32::MAX).unwrap();
    schema.add_attribute(Arc::new(number)).unwrap();
    schema.add_attribute(Arc::new(text)).unwrap();
    schema
}

/// Changes a draft between two queries.
type Relay = fn(&mut WriteDraft);

/// What happens to a write between two submits, where tiles are complete.
#[derive(Clone, Copy)]
enum Suspension {
    Never,
    /// The query itself resumes it.
    Resumed,
    /// Another query resumes it, with a changed draft.
    HandedOn(Relay),
}

use Suspension::{HandedOn, Never, Resumed};

/// Writes cells in pieces at a time, suspending the write between them, and gives the files of the fragment.
fn write(
    resources: &Resources,
    uri: &Uri,
    kind: ArrayType,
    pieces: &[usize],
    time: u64,
    suspension: Suspension,
) -> Files {
    let key = EncryptionKey::None;
    let begin = || {
        let array = Arc::new(OpenArray::open(resources, uri, QueryType::Write, (0, time), &key).unwrap());
        let mut query = Query::new(&array, QueryType::Write).unwrap();
        query.set_layout(Layout::GlobalOrder).unwrap();
        query
    };
    let (mut query, mut first, mut draft) = (begin(), 0, None);
    for &count in pieces {
        let mut rows: Vec<i32> = (first..first + count as i32).collect();
        let mut values: Vec<i32> = rows.iter().map(|row| row * row % 17).collect();
        let mut validity: Vec<u8> = rows.iter().map(|row| u8::from(row % 3 > 0)).collect();
        let mut texts: Vec<u8> = rows.iter().flat_map(|row| vec![b'a' + *row as u8 % 20; *row as usize % 4]).collect();
        let ends = rows.iter().scan(0, |end, row| {
            *end += *row as u64 % 4;
            Some(*end)
        });
        let mut starts: Vec<u64> = [0].into_iter().chain(ends).take(count).collect();
        let mut sizes = [4 * count as u64, count as u64, texts.len() as u64, 8 * count as u64];
        texts.reserve(1);
        let [fixed, valid, of_texts, of_starts] = sizes.each_mut().map(std::ptr::from_mut);
        let size = UserPtr::in_test;
        if kind == ArrayType::Sparse {
            query.set_data_buffer("rows", UserPtr::in_test(rows.as_mut_ptr().cast()), size(fixed)).unwrap();
        }
        query.set_data_buffer("a", UserPtr::in_test(values.as_mut_ptr().cast()), size(fixed)).unwrap();
        query.set_validity_buffer("a", UserPtr::in_test(validity.as_mut_ptr()), size(valid)).unwrap();
        query.set_data_buffer("s", UserPtr::in_test(texts.as_mut_ptr()), size(of_texts)).unwrap();
        query.set_offsets_buffer("s", UserPtr::in_test(starts.as_mut_ptr().cast()), size(of_starts)).unwrap();
        if let Some(draft) = draft.take() {
            query.resume_with(draft);
        }
        query.submit().unwrap();
        first += count as i32;
        match suspension {
            Never => (),
            _ if first % 8 > 0 => (),
            Resumed => {
                // Suspended again, it stays as it is.
                assert!(query.suspend().unwrap().is_some() && query.suspend().unwrap().is_some());
            }
            HandedOn(relay) => {
                draft = query.suspend().unwrap();
                draft.iter_mut().for_each(relay);
                query = begin();
            }
        }
    }
    if let Some(draft) = draft.take() {
        query.resume_with(draft);
    }
    query.finalize().unwrap();
    files(resources, &uri.join("__fragments"), time)
}

/// Names and bytes.
type Files = Vec<(String, Vec<u8>)>;

fn files(resources: &Resources, fragments: &Uri, time: u64) -> Files {
    let vfs = resources.vfs();
    let fragment = vfs.names(fragments).unwrap().into_iter().find(|item| item.name.starts_with(&format!("__{time}_")));
    let entries = vfs.list_recursive(&fragments.join(&fragment.unwrap().name)).unwrap();
    let read = |uri: &Uri| vfs.open(uri).unwrap().read_all().unwrap();
    let mut files: Files = entries.into_iter().map(|entry| (entry.name().into_owned(), read(&entry.uri))).collect();
    files.sort();
    files
}

fn check(name: &str, kind: ArrayType, pieces: &[usize]) {
    let (resources, uri) = (resources(u64::MAX), Uri::parse(&format!("mem://handed_on/{name}")).unwrap());
    create(&resources, &uri, &schema(kind), &EncryptionKey::None).unwrap();
    let alone = write(&resources, &uri, kind, pieces, 7, Never);
    assert!(alone.len() >= 5);
    assert_eq!(write(&resources, &uri, kind, pieces, 8, HandedOn(|_| ())), alone, "{pieces:?} of a {kind:?} array");
    assert_eq!(write(&resources, &uri, kind, pieces, 11, Resumed), alone, "{pieces:?} of a {kind:?} array, resumed");
    // Bounds of tiles are part of drafts in format version 23.
    raise_to_version_23(&resources, &uri);
    let alone = write(&resources, &uri, kind, pieces, 9, Never);
    assert_eq!(
        write(&resources, &uri, kind, pieces, 10, HandedOn(|_| ())),
        alone,
        "{pieces:?} of a {kind:?} array, version 23"
    );
}

fn raise_to_version_23(resources: &Resources, uri: &Uri) {
    let mut config = Config::new();
    config.set("sm.write_format_version", "23").unwrap();
    upgrade(&resources.with_config(config).unwrap(), uri, &EncryptionKey::None).unwrap();
}

#[test]
fn a_fragment_whose_bounds_a_client_drops_has_none() {
    let (resources, uri) = (resources(u64::MAX), Uri::parse("mem://handed_on/dropped").unwrap());
    create(&resources, &uri, &schema(ArrayType::Sparse), &EncryptionKey::None).unwrap();
    raise_to_version_23(&resources, &uri);
    let drop_bounds: Relay = |draft| draft.fragment.iter_mut().for_each(|fragment| fragment.bounds = None);
    for (time, is_dropped) in [(7, false), (8, true)] {
        let suspension = if is_dropped { HandedOn(drop_bounds) } else { Never };
        write(&resources, &uri, ArrayType::Sparse, &[8, 32], time, suspension);
        let array = OpenArray::open(&resources, &uri, QueryType::Read, (time, time), &EncryptionKey::None).unwrap();
        let fragment = &array.fragments().unwrap()[0];
        assert_eq!(fragment.has_tile_bounds(), !is_dropped);
        let last = fragment.tile_bounds(0, 4).unwrap().map(|[low, high]| [low.to_vec(), high.to_vec()]);
        assert_eq!(last, (!is_dropped).then(|| [32i32, 39].map(|row| row.to_le_bytes().to_vec())));
    }
}

#[test]
fn writes_that_are_handed_on_store_the_same() {
    let all: [&[usize]; 5] = [&[40], &[8, 32], &[8, 8, 8, 8, 8], &[24, 3, 5, 8], &[16, 16, 8]];
    for (number, pieces) in all.into_iter().enumerate() {
        check(&format!("sparse/{number}"), ArrayType::Sparse, pieces);
        check(&format!("dense/{number}"), ArrayType::Dense, pieces);
    }
    check("rest", ArrayType::Sparse, &[16, 13]);
}
