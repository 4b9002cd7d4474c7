//! Snapshots, evolution of schemas, deletions and metadata over time.

use tiledb::{
    Array, ArraySchema, Attribute, Config, Context, Dimension, Enumeration, ErrorKind, SchemaEvolution, attr,
};

use crate::with_array;

fn schema() -> ArraySchema {
    ArraySchema::sparse()
        .dimension(Dimension::new("id", 0..=99_i32))
        .attribute(Attribute::new::<i32>("a"))
        .build()
        .unwrap()
}

#[test]
fn earlier_states_are_read() {
    let (ctx, uri) = with_array(&schema());
    for (time, ids) in [(10, vec![1, 2]), (20, vec![2, 3])] {
        let writer = Array::options().at(time).open_for_writing(&ctx, uri).unwrap();
        let values = vec![time as i32; ids.len()];
        writer.write().values("id", &ids).values("a", &values).submit().unwrap();
    }
    let read = |options: tiledb::OpenOptions| {
        let batch = options.open(&ctx, uri).unwrap().read().all().unwrap();
        let (ids, values) = (batch.values::<i32>("id").unwrap(), batch.values::<i32>("a").unwrap());
        ids.iter().copied().zip(values.iter().copied()).collect::<Vec<_>>()
    };
    assert_eq!(read(Array::options()), [(1, 10), (2, 20), (3, 20)]);
    assert_eq!(read(Array::options().at(15)), [(1, 10), (2, 10)]);
    assert_eq!(read(Array::options().since(15)), [(2, 20), (3, 20)]);
    assert_eq!(read(Array::options().at(5)), []);
    assert_eq!(Array::load_fragments(&ctx, uri).unwrap().len(), 2);
    Array::delete_fragments(&ctx, uri, 0, 10).unwrap();
    assert_eq!(read(Array::options()), [(2, 20), (3, 20)]);
    let left = Array::load_fragments(&ctx, uri).unwrap();
    Array::delete_fragments_by_uri(&ctx, uri, [left[0].uri()]).unwrap();
    assert_eq!(read(Array::options()), []);
}

#[test]
fn an_open_array_is_a_snapshot_until_it_is_reopened() {
    let (ctx, uri) = with_array(&schema());
    let array = Array::open(&ctx, uri).unwrap();
    Array::open_for_writing(&ctx, uri).unwrap().write().values("id", &[1]).values("a", &[1]).submit().unwrap();
    assert!(array.read().all().unwrap().is_empty());
    assert!(array.non_empty_domain().unwrap().is_none());
    array.reopen().unwrap();
    assert_eq!(array.read().all().unwrap().len(), 1);
    let domain = array.non_empty_domain().unwrap().unwrap();
    assert_eq!(domain, [("id".to_owned(), 1.into(), 1.into())]);
}

#[test]
fn deletions_hide_cells_from_later_readers() {
    let (ctx, uri) = with_array(&schema());
    let writer = Array::options().at(10).open_for_writing(&ctx, uri).unwrap();
    writer.write().values("id", &[1, 2, 3]).values("a", &[5, 6, 7]).submit().unwrap();
    Array::options().at(20).open_for_deletion(&ctx, uri).unwrap().delete(&attr("a").is_in([5, 7])).unwrap();
    let ids = |options: tiledb::OpenOptions| {
        options.open(&ctx, uri).unwrap().read().all().unwrap().values::<i32>("id").unwrap().to_vec()
    };
    assert_eq!(ids(Array::options()), [2]);
    assert_eq!(ids(Array::options().at(15)), [1, 2, 3]);
    let error = Array::open_for_deletion(&ctx, uri).unwrap().delete(&attr("b").eq(1)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[test]
fn an_evolved_schema_has_new_attributes_and_enumerations() {
    let (ctx, uri) = with_array(&schema());
    Array::open_for_writing(&ctx, uri).unwrap().write().values("id", &[1]).values("a", &[1]).submit().unwrap();
    let colours = Enumeration::strings("colours", ["red", "green"]).unwrap();
    let evolution = SchemaEvolution::new()
        .add_enumeration(colours.clone())
        .add_attribute(Attribute::new::<u8>("colour").enumeration("colours"))
        .add_attribute(Attribute::new::<f64>("b").nullable().fill_null());
    Array::evolve(&ctx, uri, &evolution).unwrap();
    let writer = Array::open_for_writing(&ctx, uri).unwrap();
    let write = |colour: &str| {
        writer
            .write()
            .values("id", &[2])
            .values("a", &[2])
            .strings("colour", &[colour])
            .optional("b", &[Some(0.5)])
            .submit()
    };
    write("green").unwrap();
    assert_eq!(write("blue").unwrap_err().kind(), ErrorKind::InvalidArgument);
    let array = Array::open(&ctx, uri).unwrap();
    let batch = array.read().condition(attr("colour").eq("green")).all().unwrap();
    assert_eq!(batch.strings("colour").unwrap().to_vec(), ["green"]);
    assert_eq!(batch.values::<u8>("colour").unwrap(), [1]);
    let all = array.read().fields(["b"]).all().unwrap();
    assert!(all.optional::<f64>("b").unwrap().eq([None, Some(0.5)]));

    let more = SchemaEvolution::new().extend_enumeration(colours.extend(["blue"]).unwrap()).drop_attribute("a");
    Array::evolve(&ctx, uri, &more).unwrap();
    let writer = Array::open_for_writing(&ctx, uri).unwrap();
    let query = writer.write().values("id", &[3]).strings("colour", &["blue"]).optional("b", &[Some(1.0)]);
    query.submit().unwrap();
    let array = Array::open(&ctx, uri).unwrap();
    assert!(array.schema().attribute("a").is_none());
    assert_eq!(array.enumeration("colours").unwrap().len(), 3);
    let twice = SchemaEvolution::new().add_attribute(Attribute::new::<f64>("b"));
    assert_eq!(Array::evolve(&ctx, uri, &twice).unwrap_err().kind(), ErrorKind::Schema);
}

#[test]
fn a_current_domain_expands() {
    let schema = ArraySchema::sparse()
        .dimension(Dimension::new("id", 0..=99_i32))
        .attribute(Attribute::new::<i32>("a"))
        .current_domain("id", 0..=9)
        .build()
        .unwrap();
    let (ctx, uri) = with_array(&schema);
    let write = || {
        Array::open_for_writing(&ctx, uri).unwrap().write().values("id", &[10]).values("a", &[1]).submit().map(|_| ())
    };
    assert!(write().is_err());
    Array::evolve(&ctx, uri, &SchemaEvolution::new().expand_current_domain("id", 0..=19)).unwrap();
    write().unwrap();
    let current = Array::load_schema(&ctx, uri).unwrap().current_domain().unwrap();
    assert_eq!(current, [("id".to_owned(), 0.into(), 19.into())]);
}

#[test]
fn metadata_has_versions_and_types() {
    let (ctx, uri) = with_array(&schema());
    let writer = Array::options().at(10).open_for_writing(&ctx, uri).unwrap();
    writer.put_metadata("text", "häß").unwrap();
    writer.put_metadata("number", 7_u16).unwrap();
    writer.put_metadata("list", [1.5, 2.5]).unwrap();
    writer.put_metadata("flag", true).unwrap();
    writer.close().unwrap();
    let writer = Array::options().at(20).open_for_writing(&ctx, uri).unwrap();
    writer.put_metadata("number", 8_i64).unwrap();
    writer.delete_metadata("flag").unwrap();
    drop(writer);

    let array = Array::open(&ctx, uri).unwrap();
    let metadata = array.metadata().unwrap();
    assert_eq!(metadata.keys().collect::<Vec<_>>(), ["list", "number", "text"]);
    assert_eq!(metadata.get::<String>("text").unwrap().as_deref(), Some("häß"));
    assert_eq!(metadata.get::<i64>("number").unwrap(), Some(8));
    assert_eq!(metadata.get::<Vec<f64>>("list").unwrap(), Some(vec![1.5, 2.5]));
    assert_eq!(metadata.get::<bool>("flag").unwrap(), None);
    assert!(metadata.get::<u16>("number").is_err() && metadata.get::<f64>("list").is_err());
    let before = Array::options().at(15).open(&ctx, uri).unwrap();
    assert_eq!(before.metadata().unwrap().get::<u16>("number").unwrap(), Some(7));
    assert_eq!(before.metadata().unwrap().get::<bool>("flag").unwrap(), Some(true));
}

#[test]
fn an_encrypted_array_needs_its_key() {
    let key = "0123456789abcdeF0123456789abcdeF";
    let folder = tempfile::tempdir().unwrap();
    let uri = folder.path().join("encrypted");
    let uri = uri.to_str().unwrap();
    let ctx = Context::with_config(Config::builder().encryption_key(key).build().unwrap()).unwrap();
    Array::create(&ctx, uri, &schema()).unwrap();
    Array::open_for_writing(&ctx, uri).unwrap().write().values("id", &[1]).values("a", &[1]).submit().unwrap();
    let plain = Context::new().unwrap();
    assert_eq!(Array::open(&plain, uri).unwrap_err().kind(), ErrorKind::EncryptionKey);
    let array = Array::options().encryption_key(key).unwrap().open(&plain, uri).unwrap();
    assert_eq!(array.read().all().unwrap().len(), 1);
    let wrong = Array::options().encryption_key(&key.replace('0', "1")).unwrap();
    assert_eq!(wrong.open(&plain, uri).unwrap_err().kind(), ErrorKind::EncryptionKey);
}
