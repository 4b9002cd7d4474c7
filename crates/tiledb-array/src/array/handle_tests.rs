//! Handles of arrays: which calls each state allows, and what they leave; copies that become arrays; listings; and merged metadata.

use std::sync::Arc;

use super::{
    Array, ArrayDirectory, CopyKind, FOLDERS, Metadata, MetadataChanges, UnpublishedArray, consolidate_metadata,
    create, remove_unpublished, visible_metadata,
};
use crate::fragment::{FragmentName, LEGACY_SCHEMA};
use crate::schema::{ArraySchema, Attribute, Dimension, Domain, Enumeration};
use tiledb_core::config::Config;
use tiledb_core::error::{ErrorKind, Result};
use tiledb_core::stats::Counter;
use tiledb_core::types::{ArrayType, CURRENT_VERSION, CellRange, Datatype, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

const KEY: EncryptionKey = EncryptionKey::None;

/// Numbers of query types.
const READ: u32 = 0;
const WRITE: u32 = 1;
const DELETE: u32 = 2;
const UPDATE: u32 = 3;
const MODIFY_EXCLUSIVE: u32 = 4;

fn schema() -> ArraySchema {
    let ends = [0i32, 99].map(i32::to_le_bytes).concat();
    let dimension = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&10i32.to_le_bytes())).unwrap();
    let mut schema = ArraySchema::new(ArrayType::Sparse);
    schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
    let colours = Enumeration::new("colours", Datatype::StringAscii, u32::MAX, false, b"redblue", Some(&[0, 3]));
    schema.add_enumeration(Arc::new(colours.unwrap())).unwrap();
    let mut attribute = Attribute::new("a", Datatype::Int32);
    attribute.set_enumeration("colours").unwrap();
    schema.add_attribute(Arc::new(attribute)).unwrap();
    schema
}

fn written(name: &str) -> (Resources, Uri) {
    let resources = Resources::new(Config::new()).unwrap();
    let uri = Uri::parse(&format!("mem://handles/{name}")).unwrap();
    create(&resources, &uri, &schema(), &KEY).unwrap();
    (resources, uri)
}

/// A call, and for each state (closed, open to read, to write, to delete, and for itself alone) what its error says, or nothing.
type Call<'a> = (&'static str, &'a dyn Fn(&Array) -> Result<()>, [&'static str; 5]);

#[test]
fn calls_of_a_handle_succeed_in_the_states_that_they_are_for() {
    let (resources, uri) = written("states");
    let supplied = || {
        let mut changes = MetadataChanges::default();
        changes.put("supplied", Datatype::Uint8, &[1]).unwrap();
        changes
    };
    let (closed, to_read, to_write) = ("not open", "in read mode", "in write or modify_exclusive mode");
    let changing = [closed, to_write, "", to_write, ""];
    let reading = [closed, "", to_read, to_read, to_read];
    let any = [closed, "", "", "", ""];
    let calls: [Call<'_>; 10] = [
        ("put_metadata", &|array| array.put_metadata(Some("key"), 6, Some(&[1])), changing),
        ("delete_metadata", &|array| array.delete_metadata(Some("key")), changing),
        ("with_metadata", &|array| array.with_metadata("Cannot get").map(drop), reading),
        ("reopen", &Array::reopen, reading),
        ("schema", &|array| array.schema().map(drop), any),
        ("snapshot", &|array| array.snapshot().map(drop), any),
        // A message has the contents of what is read, and the changes of what is written.
        ("set_metadata", &|array| array.set_metadata(supplied()), [closed, "", "", to_write, ""]),
        (
            "set_config",
            &|array| array.set_config(&Config::new()),
            ["", "open array", "open array", "open array", "open array"],
        ),
        ("open", &|array| array.open(READ), ["", "already open", "already open", "already open", "already open"]),
        ("close", &Array::close, [""; 5]),
    ];
    for (name, call, expected) in calls {
        for (kind, expected) in
            [None, Some(READ), Some(WRITE), Some(DELETE), Some(MODIFY_EXCLUSIVE)].into_iter().zip(expected)
        {
            let array = Array::new(&resources, uri.as_str()).unwrap();
            kind.iter().for_each(|kind| array.open(*kind).unwrap());
            assert_eq!((array.is_open(), array.opened().is_some()), (kind.is_some(), kind.is_some()));
            let called = call(&array);
            match expected {
                "" => assert!(called.is_ok(), "{name} of {kind:?}: {called:?}"),
                text => assert!(called.as_ref().unwrap_err().text().contains(text), "{name} of {kind:?}: {called:?}"),
            }
            // Nothing is left of what was rejected.
            let count = array.changes(|changes| changes.sorted().map(|sorted| sorted.len())).unwrap();
            let changes = ["put_metadata", "delete_metadata", "set_metadata"].contains(&name);
            assert_eq!(count, usize::from(changes && expected.is_empty() && kind != Some(READ)), "{name} of {kind:?}");
        }
    }
    let array = Array::new(&resources, uri.as_str()).unwrap();
    assert!(array.open(99).unwrap_err().text().contains("Unsupported query type"));
    assert!(array.open(UPDATE).unwrap_err().text().contains("sm.allow_updates_experimental"));
    let mut config = Config::new();
    config.set("sm.allow_updates_experimental", "true").unwrap();
    array.set_config(&config).unwrap();
    assert_eq!(array.config().get("sm.allow_updates_experimental"), Some("true".to_owned()));
    array.open(UPDATE).unwrap();
    for error in [array.delete_metadata(None), array.put_metadata(None, 6, None)] {
        assert!(error.unwrap_err().text().contains("not opened in write"));
    }
    let array = Array::unopened(&resources, uri.as_str(), QueryType::Delete).unwrap();
    assert_eq!((array.query_type(), array.is_open()), (QueryType::Delete, false));
}

#[test]
fn handle_keeps_the_window_that_is_set() {
    let (resources, uri) = written("window");
    let array = Array::new(&resources, uri.as_str()).unwrap();
    array.set_open_start(5);
    array.set_open_end(9);
    assert_eq!((array.open_start(), array.set_end()), (5, 9));
    array.open(READ).unwrap();
    assert_eq!(array.snapshot().unwrap().timestamps(), (5, 9));
    array.set_open_start(7);
    array.reopen().unwrap();
    assert_eq!((array.open_start(), array.snapshot().unwrap().timestamps().0), (7, 7));
}

#[test]
fn metadata_and_domain_of_a_message_are_those_of_the_array() {
    let (resources, uri) = written("supplied");
    let array = Array::new(&resources, uri.as_str()).unwrap();
    array.open(READ).unwrap();
    let mut changes = MetadataChanges::default();
    changes.put("supplied", Datatype::Uint8, &[7]).unwrap();
    array.set_metadata(changes).unwrap();
    let open = array.with_metadata("Cannot get").unwrap();
    assert_eq!(open.metadata().unwrap().get("supplied").unwrap().bytes(), [7]);
    assert!(array.changes(MetadataChanges::is_empty));
    assert!(open.non_empty_domain().unwrap().is_none());
    open.set_non_empty_domain(Some(vec![CellRange::of(3, 5)]));
    assert_eq!(open.non_empty_domain().unwrap().unwrap()[0].ends::<i32>(), (3, 5));
}

/// Whether there is an array at a URI, with its schema and its enumeration.
fn is_array(resources: &Resources, uri: &Uri) -> bool {
    let Ok(array) = super::OpenArray::open(resources, uri, QueryType::Read, (0, u64::MAX - 1), &KEY) else {
        return false;
    };
    array.enumeration("colours").unwrap().len() == 2
}

#[test]
fn copy_is_an_array_once_it_is_published_and_until_it_is_withdrawn() {
    let resources = Resources::new(Config::new()).unwrap();
    let vfs = resources.vfs();
    for kind in [CopyKind::Downgrade, CopyKind::Rewrite] {
        // An interrupted publication has left a folder of schemas without the schema.
        for left in [None, Some("__schema/__enumerations"), Some("__schema")] {
            let uri = Uri::parse(&format!("mem://unpublished/{kind:?}_{}", left.unwrap_or("nothing").len())).unwrap();
            let load = |kind| UnpublishedArray::load(&resources, &uri, &KEY, kind).unwrap();
            assert!(load(kind).is_none());
            let copy = UnpublishedArray::create(&resources, &uri, &schema(), &KEY, kind).unwrap();
            assert!(!is_array(&resources, &uri) && !load(kind).unwrap().is_published());
            let has_folder = |folder: &&str| vfs.is_dir(&uri.join(folder)).unwrap();
            assert!(FOLDERS.iter().filter(|folder| !folder.starts_with("__schema")).all(has_folder));
            // Files of others, and folders, are no schema.
            let name = copy.schema().name().to_owned();
            vfs.put(&uri.join(kind.folder()).join("notes.txt"), b"").unwrap();
            vfs.create_dir(&uri.join(kind.folder()).join(&format!("{name}_folder"))).unwrap();
            assert_eq!(load(kind).unwrap().schema().name(), name);
            let other = if kind == CopyKind::Rewrite { CopyKind::Downgrade } else { CopyKind::Rewrite };
            assert!(load(other).is_none(), "of another operation");
            vfs.remove_file(&uri.join(kind.folder()).join("notes.txt")).unwrap();
            vfs.remove_dir(&uri.join(kind.folder()).join(&format!("{name}_folder"))).unwrap();
            left.iter().for_each(|left| vfs.create_dir(&uri.join(left)).unwrap());
            copy.publish().unwrap();
            assert!(is_array(&resources, &uri), "{kind:?}, {left:?}");
            assert!(load(kind).unwrap().is_published());
            assert!(!vfs.is_dir(&uri.join(kind.folder())).unwrap(), "{kind:?}, {left:?}");
            // An array stays.
            remove_unpublished(vfs, &uri, kind).unwrap();
            load(kind).unwrap().publish().unwrap();
            assert!(is_array(&resources, &uri));
            copy.withdraw().unwrap();
            assert!(!is_array(&resources, &uri) && !load(kind).unwrap().is_published());
            copy.withdraw().unwrap();
            copy.publish().unwrap();
            assert!(is_array(&resources, &uri));
        }
    }
}

#[test]
fn removal_of_a_copy_leaves_files_of_others() {
    let resources = Resources::new(Config::new()).unwrap();
    let (vfs, kind) = (resources.vfs(), CopyKind::Rewrite);
    for has_others in [false, true] {
        let uri = Uri::parse(&format!("mem://removed/{has_others}")).unwrap();
        UnpublishedArray::create(&resources, &uri, &schema(), &KEY, kind).unwrap();
        if has_others {
            vfs.put(&uri.join("notes.txt"), b"").unwrap();
            vfs.put(&uri.join("__others/file"), b"").unwrap();
        }
        remove_unpublished(vfs, &uri, CopyKind::Downgrade).unwrap();
        assert!(UnpublishedArray::load(&resources, &uri, &KEY, kind).unwrap().is_some(), "of another operation");
        remove_unpublished(vfs, &uri, kind).unwrap();
        let names: Vec<String> = vfs.names(&uri).unwrap().into_iter().map(|item| item.name).collect();
        assert_eq!(names, if has_others { vec!["__others", "notes.txt"] } else { Vec::new() });
        remove_unpublished(vfs, &uri, kind).unwrap();
        assert!(ArrayDirectory::load(vfs, &uri).is_err());
    }
}

/// Queries start only if the handle of their array is open for their type.
#[test]
fn array_follows_the_query_type_that_its_handle_is_open_for() {
    let (resources, uri) = written("follows");
    let array = Array::new(&resources, uri.as_str()).unwrap();
    array.open(READ).unwrap();
    let opened = array.opened().unwrap();
    assert_eq!(opened.current_query_type(), Some(QueryType::Read));
    array.close().unwrap();
    assert_eq!(opened.current_query_type(), None);
    array.open(WRITE).unwrap();
    assert_eq!(opened.current_query_type(), Some(QueryType::Write));
}

/// The schema of arrays of early versions is in no folder, and older than all others.
#[test]
fn schemas_that_are_listed_again_begin_with_that_of_an_early_version() {
    for has_early in [false, true] {
        let resources = Resources::new(Config::new()).unwrap();
        let vfs = resources.vfs();
        let uri = Uri::parse(&format!("mem://handles/early_{has_early}")).unwrap();
        let schema = |time: u64| format!("__{time}_{time}_0123456789abcdef0123456789abcdef");
        let put = |name: &str| vfs.put(&uri.join_relative(name).unwrap(), b"").unwrap();
        put(&format!("__schema/{}", schema(5)));
        let mut expected = vec![schema(5), schema(8)];
        if has_early {
            put(LEGACY_SCHEMA);
            expected.insert(0, LEGACY_SCHEMA.to_owned());
        }
        put(&format!("__commits/{}.del", FragmentName::new(9, 9, CURRENT_VERSION)));
        let mut directory = ArrayDirectory::load(vfs, &uri).unwrap();
        put(&format!("__schema/{}", schema(8)));
        directory.refresh_schemas(vfs, &[]).unwrap();
        assert_eq!(directory.schemas(), expected);
    }
}

/// It is listed again where a listed file is gone, but not for ever.
#[cfg(unix)]
#[test]
fn array_whose_consolidated_commits_are_listed_and_never_there_is_not_opened() {
    let place = tempfile::tempdir().unwrap();
    let resources = Resources::new(Config::new()).unwrap();
    let uri = Uri::parse(place.path().to_str().unwrap()).unwrap().join("array");
    create(&resources, &uri, &schema(), &KEY).unwrap();
    assert!(ArrayDirectory::load(resources.vfs(), &uri).is_ok());
    let name = FragmentName::new(1, 1, CURRENT_VERSION);
    let list = place.path().join("array/__commits").join(format!("{name}.con"));
    std::os::unix::fs::symlink(place.path().join("nowhere"), list).unwrap();
    let error = ArrayDirectory::load(resources.vfs(), &uri).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::NotFound, "{error:?}");
}

/// Values that repeat a byte are compressed to less than a 256th of their size: two files are within the
/// memory of a structure, and one of both is not.
#[test]
fn metadata_that_could_not_be_read_are_not_merged() {
    const BYTES: u64 = 1 << 22;
    const ALWAYS: (u64, u64) = (0, u64::MAX);
    let resources = Resources::new(Config::new()).unwrap();
    let parent = Uri::parse("mem://merge/large").unwrap();
    for (time, key) in [(10, "a"), (20, "b")] {
        let mut changes = MetadataChanges::default();
        changes.put(key, Datatype::Uint8, &vec![time as u8; BYTES as usize]).unwrap();
        changes.write(&resources, &parent, CURRENT_VERSION, time, &KEY).unwrap();
    }
    let stored = visible_metadata(resources.vfs(), &parent, ALWAYS).unwrap().0;
    let stored = resources.vfs().size(&stored[0]).unwrap();
    // Each file may take 256 times its size besides.
    let beside = BYTES.checked_sub(256 * stored).unwrap();
    let mut config = Config::new();
    config.set("sm.mem.structure_budget", &(beside * 3 / 2).to_string()).unwrap();
    let limited = resources.with_config(config).unwrap();
    let error = consolidate_metadata(&limited, &parent, ALWAYS, CURRENT_VERSION, true, &KEY).unwrap_err();
    assert!(error.text().contains("that could not be read"), "{error:?}");
    let files = || resources.vfs().names(&parent.join("__meta")).unwrap().len();
    let has_both = |resources: &Resources| {
        let metadata = Metadata::load(resources, &parent, ALWAYS, &KEY, Counter::MetadataRead).unwrap();
        metadata.len() == 2 && metadata.get("a").is_some() && metadata.get("b").is_some()
    };
    assert!(files() == 2 && has_both(&limited));
    consolidate_metadata(&resources, &parent, ALWAYS, CURRENT_VERSION, true, &KEY).unwrap();
    assert!(files() == 4 && has_both(&resources));
}
