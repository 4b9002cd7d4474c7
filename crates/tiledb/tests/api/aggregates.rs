//! Aggregates.

use tiledb::{Aggregate, Array, ArraySchema, Attribute, CellValNum, Dimension, ErrorKind, Value, Vfs, attr};

use crate::with_array;

#[test]
fn aggregates_are_those_of_the_selected_cells() {
    let schema = ArraySchema::sparse()
        .dimension(Dimension::new("id", 0..=99_i32))
        .attribute(Attribute::new::<i32>("a"))
        .attribute(Attribute::new::<f64>("b").nullable())
        .attribute(Attribute::ascii("text"))
        .build()
        .unwrap();
    let (ctx, uri) = with_array(&schema);
    let long = "y".repeat(5000);
    Array::open_for_writing(&ctx, uri)
        .unwrap()
        .write()
        .values("id", &[1, 2, 3])
        .values("a", &[-5, 7, 9])
        .optional("b", &[Some(0.5), None, Some(1.5)])
        .strings("text", &["b", "a", &long])
        .submit()
        .unwrap();
    let array = Array::open(&ctx, uri).unwrap();
    let all = [
        Aggregate::count(),
        Aggregate::sum("a"),
        Aggregate::min("a").named("least"),
        Aggregate::max("text"),
        Aggregate::mean("b"),
        Aggregate::null_count("b"),
    ];
    let results = array.read().aggregate(all).unwrap();
    let expected = [
        ("count", Value::Unsigned(3)),
        ("sum(a)", Value::Int(11)),
        ("least", Value::Int(-5)),
        ("max(text)", Value::Text(long)),
        ("mean(b)", Value::Float(1.0)),
        ("null_count(b)", Value::Unsigned(1)),
    ];
    assert!(results.iter().eq(expected.iter().map(|(name, value)| (*name, Some(value)))), "{results:?}");
    let some = array.read().condition(attr("a").gt(0)).range("id", ..3);
    assert_eq!(some.aggregate([Aggregate::sum("a")]).unwrap().get("sum(a)"), Some(&Value::Int(7)));
    let none = array.read().range("id", 50..).aggregate([Aggregate::mean("b"), Aggregate::count()]).unwrap();
    assert_eq!((none.get("mean(b)"), none.get("count")), (None, Some(&Value::Unsigned(0))));
    let error = array.read().aggregate([Aggregate::sum("text")]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
}

/// Minimum and maximum of the strings of an array of ten cells in tiles of five, whose data files are removed.
fn ends_without_data(schema: &ArraySchema, texts: &[&str]) -> (Array, Result<[Option<Value>; 2], ErrorKind>) {
    let (ctx, uri) = with_array(schema);
    let ids: Vec<i32> = (0..10).collect();
    let write = Array::open_for_writing(&ctx, uri).unwrap();
    let write = if schema.is_dense() { write.write() } else { write.write().values("id", &ids) };
    match schema.attributes().iter().any(|attribute| attribute.cell_val_num() == CellValNum::Var) {
        true => write.strings("text", texts).submit().unwrap(),
        false => write.values("text", texts.concat().as_bytes()).submit().unwrap(),
    };
    let vfs = Vfs::new(&ctx);
    let files = vfs.list_recursive(uri).unwrap();
    for file in files.iter().filter(|file| file.uri().contains("/a0")) {
        vfs.remove_file(file.uri()).unwrap();
    }
    let array = Array::open(&ctx, uri).unwrap();
    let results = array.read().aggregate([Aggregate::min("text"), Aggregate::max("text")]);
    let ends = results.map(|results| ["min(text)", "max(text)"].map(|name| results.get(name).cloned()));
    (array, ends.map_err(|error| error.kind()))
}

#[test]
fn minimum_and_maximum_of_strings_come_from_the_statistics_of_tiles() {
    let sparse = || ArraySchema::sparse().dimension(Dimension::new("id", 0..=9_i32)).capacity(5);
    let dense = || ArraySchema::dense().dimension(Dimension::new("id", 0..=9_i32).tile(5));
    let fixed = || Attribute::ascii("text").values_per_cell(2);
    let schemas = [
        sparse().attribute(Attribute::ascii("text")),
        sparse().attribute(fixed()),
        dense().attribute(Attribute::ascii("text")),
        dense().attribute(fixed()),
    ];
    let text = |text: &str| Some(Value::Text(text.to_owned()));
    for schema in schemas {
        let schema = schema.build().unwrap();
        let texts = ["bb", "dd", "cc", "ee", "ff", "hh", "ii", "gg", "kk", "jj"];
        let (array, ends) = ends_without_data(&schema, &texts);
        assert_eq!(ends, Ok([text("bb"), text("kk")]), "{schema:?}");
        // The cells of a part of a tile have no statistics.
        assert!(array.read().range("id", 1..).aggregate([Aggregate::min("text")]).is_err());

        let texts = ["bb", "dd", "cc", "ee", "ff", "k\0", "ii", "gg", "hh", "jj"];
        assert_eq!(ends_without_data(&schema, &texts).1, Ok([text("bb"), text("k\0")]), "{schema:?}");
        let texts = ["bb", "dd", "cc", "ee", "\0a", "hh", "ii", "gg", "kk", "jj"];
        assert!(ends_without_data(&schema, &texts).1.is_err(), "{schema:?}");
    }
}

#[test]
fn tiles_whose_statistics_are_inexact_are_decoded_only_if_they_can_have_the_minimum_or_maximum() {
    let dimension = Dimension::new("id", 0..=9_i32);
    let schema = ArraySchema::sparse().dimension(dimension).capacity(5).attribute(Attribute::ascii("text"));
    let schema = schema.build().unwrap();
    let text = |text: &str| Some(Value::Text(text.to_owned()));
    let texts = ["c\0xx", "c\0aa", "c\0xx", "c\0xx", "c\0zz", "hh", "aa", "gg", "kk", "jj"];
    assert_eq!(ends_without_data(&schema, &texts).1, Ok([text("aa"), text("kk")]));
    let texts = ["c\0xx", "c\0aa", "c\0xx", "c\0xx", "c\0zz", "hh", "d", "gg", "kk", "jj"];
    assert!(ends_without_data(&schema, &texts).1.is_err());
}

#[test]
fn null_counts_of_strings_come_from_the_statistics_of_sparse_tiles() {
    for attribute in [Attribute::ascii("text"), Attribute::string("text")] {
        let dimension = Dimension::new("id", 0..=9_i32);
        let schema = ArraySchema::sparse().dimension(dimension).capacity(5).attribute(attribute.nullable());
        let (ctx, uri) = with_array(&schema.build().unwrap());
        let texts = [Some("a"), None, Some("b"), None, Some("c"), None, None, Some("d"), Some("e"), None];
        let ids: Vec<i32> = (0..10).collect();
        let array = Array::open_for_writing(&ctx, uri).unwrap();
        array.write().values("id", &ids).optional_strings("text", &texts).submit().unwrap();
        let vfs = Vfs::new(&ctx);
        for file in vfs.list_recursive(uri).unwrap().iter().filter(|file| file.uri().contains("/a0")) {
            vfs.remove_file(file.uri()).unwrap();
        }
        let array = Array::open(&ctx, uri).unwrap();
        let nulls = |results: tiledb::Aggregates| results.get("null_count(text)").cloned();
        let count = || [Aggregate::null_count("text")];
        assert_eq!(array.read().aggregate(count()).map(nulls).unwrap(), Some(Value::Unsigned(5)));
        assert!(array.read().range("id", 1..).aggregate(count()).is_err());
    }
}
