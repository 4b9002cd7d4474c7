//! Schemas as they are described and loaded.

use tiledb::{
    Array, ArraySchema, ArrayType, Attribute, CellValNum, Context, Datatype, Dimension, Enumeration, ErrorKind, Filter,
    FilterList, Layout, Value,
};

use crate::with_array;

#[test]
fn a_loaded_schema_is_the_one_that_was_described() {
    let schema = ArraySchema::sparse()
        .dimension(Dimension::with_datatype("day", Datatype::DatetimeDay, "2000-01-01"..="2030-12-31").tile(30))
        .dimension(Dimension::string("key").filter(Filter::rle()))
        .attribute(Attribute::new::<f32>("a").filters([Filter::byte_shuffle(), Filter::zstd(7)]).fill_value(-1.0))
        .attribute(Attribute::new::<i16>("pair").values_per_cell(2).nullable())
        .attribute(Attribute::new::<i32>("colour").enumeration("colours"))
        .enumeration(Enumeration::ordered_strings("colours", ["red", "green"]).unwrap())
        .capacity(123)
        .allow_duplicates()
        .tile_order(Layout::ColMajor)
        .cell_order(Layout::Hilbert)
        .offsets_filters(FilterList::from(Filter::gzip(6)).with_max_chunk_size(1 << 10))
        .coords_filters(Filter::lz4())
        .validity_filters([Filter::rle()])
        .build()
        .unwrap();
    let (ctx, uri) = with_array(&schema);
    let loaded = Array::load_schema(&ctx, uri).unwrap();
    for schema in [schema, loaded] {
        assert_eq!(
            (schema.array_type(), schema.capacity(), schema.allows_duplicates()),
            (ArrayType::Sparse, 123, true)
        );
        assert_eq!((schema.tile_order(), schema.cell_order()), (Layout::ColMajor, Layout::Hilbert));
        let day = schema.dimension("day").unwrap();
        assert_eq!(day.domain(), Some((&Value::Int(10_957), &Value::Int(22_279))));
        assert_eq!((day.tile_extent(), day.datatype()), (Some(&Value::Int(30)), Datatype::DatetimeDay));
        assert_eq!(schema.dimensions()[1].domain(), None);
        let a = schema.attribute("a").unwrap();
        assert_eq!(a.filter_list().iter().map(Filter::name).collect::<Vec<_>>(), ["BYTESHUFFLE", "ZSTD"]);
        assert_eq!(a.filter_list().iter().last().unwrap().level(), Some(7));
        assert_eq!(a.fill(), Some((&(-1.0_f32).to_le_bytes()[..], true)));
        let pair = schema.attribute("pair").unwrap();
        assert_eq!((pair.cell_val_num(), pair.is_nullable()), (CellValNum::Fixed(2), true));
        assert_eq!(schema.attribute("colour").unwrap().enumeration_name(), Some("colours"));
        assert_eq!(schema.offsets_filters().max_chunk_size(), 1 << 10);
        assert_eq!(schema.enumeration_names().collect::<Vec<_>>(), ["colours"]);
        assert!(format!("{schema}").contains("colours") && format!("{schema:?}").contains("day"));
    }
    let colours = Array::open(&ctx, uri).unwrap().enumeration("colours").unwrap();
    assert!(colours.is_ordered() && colours.values().eq([Value::from("red"), Value::from("green")]));
}

#[test]
fn the_parts_of_a_loaded_schema_make_another_one() {
    let schema = ArraySchema::dense()
        .dimension(Dimension::new("x", 0..=9_i32).tile(5))
        .attribute(Attribute::new::<f64>("a").nullable().fill_null())
        .build()
        .unwrap();
    let (ctx, uri) = with_array(&schema);
    let loaded = Array::load_schema(&ctx, uri).unwrap();
    let mut builder = ArraySchema::dense();
    for dimension in loaded.dimensions() {
        builder = builder.dimension(dimension);
    }
    for attribute in loaded.attributes() {
        builder = builder.attribute(attribute);
    }
    let copy = builder.build().unwrap();
    assert_eq!((copy.dimensions(), copy.attributes()), (loaded.dimensions(), loaded.attributes()));
}

#[test]
fn schema_from_its_json_is_the_same() {
    let schema = ArraySchema::sparse()
        .dimension(Dimension::with_datatype("day", Datatype::DatetimeDay, "2000-01-01"..="2030-12-31").tile(30))
        .dimension(Dimension::string("key").filter(Filter::rle()))
        .attribute(Attribute::new::<f32>("a").filters([Filter::byte_shuffle(), Filter::zstd(7)]).fill_value(0.1_f32))
        .attribute(Attribute::new::<i16>("pair").values_per_cell(2).nullable().fill_null_bytes([1, 0, 2, 0]))
        .attribute(Attribute::new::<i32>("colour").enumeration("colours"))
        .enumeration(Enumeration::ordered_strings("colours", ["red", "", "\u{1f3a8}"]).unwrap())
        .current_domain("day", "2001-01-01"..="2002-01-01")
        .current_domain("key", "a"..="zz")
        .cell_order(Layout::Hilbert)
        .coords_filters(Filter::lz4())
        .build()
        .unwrap();
    let (ctx, uri) = with_array(&schema);
    let loaded = Array::load_schema(&ctx, uri).unwrap();
    let json = loaded.to_json().unwrap();
    let same = ArraySchema::from_json(&json).unwrap();
    assert_eq!(same.to_json().unwrap(), json);
    assert_eq!((same.dimensions(), same.attributes()), (loaded.dimensions(), loaded.attributes()));
    assert_eq!(same.current_domain(), loaded.current_domain());
    assert!(same.enumeration("colours").unwrap().values().eq(schema.enumeration("colours").unwrap().values()));
}

#[test]
fn invalid_json_of_a_schema_is_an_error_with_its_place() {
    let not_json = ArraySchema::from_json("{").unwrap_err();
    assert!(not_json.kind() == ErrorKind::InvalidArgument && std::error::Error::source(&not_json).is_some());
    for (json, message) in [
        ("[]", "schema is no object"),
        (r#"{"array_type": "dense", "rank": 2}"#, "schema has an unknown key \"rank\"; there are array_type, "),
        (r#"{"array_type": "dense", "dimensions": [{"name": "x", "type": "INT33"}]}"#, "schema.dimensions[0].type "),
        (
            r#"{"array_type": "dense", "dimensions": [{"name": "x", "type": "INT8", "domain": [0, 300]}]}"#,
            "schema.dimensions[0].domain ",
        ),
    ] {
        let error = ArraySchema::from_json(json).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Schema, "{json}");
        assert!(error.message().starts_with(message), "{json}: {}", error.message());
    }
    // Parsers keep one of the values of a key that is there twice.
    for json in [r#"{"array_type": "dense", "array_type": "sparse"}"#, r#"{"dimensions": [{"a": {"b": 1, "b": 1}}]}"#] {
        let error = ArraySchema::from_json(json).unwrap_err();
        assert!(error.message().contains("is there twice"), "{json}: {}", error.message());
    }
    let filters = vec![r#"{"type": "ZSTD"}"#; 1001].join(", ");
    let attribute = format!(r#"{{"name": "a", "type": "INT32", "filters": [{filters}]}}"#);
    let dimension = r#"{"name": "x", "type": "INT32", "domain": [0, 9], "tile": 5}"#;
    let json = format!(r#"{{"array_type": "dense", "dimensions": [{dimension}], "attributes": [{attribute}]}}"#);
    let error = ArraySchema::from_json(json).unwrap_err();
    assert!(error.message().contains("1001 filters"), "{}", error.message());
}

#[test]
fn names_with_a_zero_byte_are_errors() {
    let dense = || ArraySchema::dense().dimension(Dimension::new("x", 0..=9_i32));
    let attribute = Attribute::new::<i32>("a");
    assert!(dense().attribute(Attribute::new::<i32>("a\0")).build().is_err());
    assert!(
        ArraySchema::dense().dimension(Dimension::new("x\0", 0..=9_i32)).attribute(attribute.clone()).build().is_err()
    );
    assert!(Enumeration::strings("e\0", ["one"]).is_err());
    let ctx = Context::new().unwrap();
    let schema = dense().attribute(attribute).build().unwrap();
    assert!(Array::create(&ctx, "mem://zero\0byte", &schema).is_err());
    Array::create(&ctx, "mem://named", &schema).unwrap();
    assert!(Array::open_for_writing(&ctx, "mem://named").unwrap().put_metadata("key\0", 1).is_err());
}
