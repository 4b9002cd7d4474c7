//! Errors that programs match.

use std::error::Error as _;

use tiledb::{Array, ArraySchema, Attribute, Config, Dimension, Error, ErrorKind, Filter, Group};

use crate::with_array;

fn schema() -> ArraySchema {
    let builder = ArraySchema::dense().dimension(Dimension::new("x", 0..=9_i32));
    builder.attribute(Attribute::new::<i32>("a")).build().unwrap()
}

#[test]
fn errors_have_kinds_and_uris() {
    let (ctx, uri) = with_array(&schema());
    let error = Array::create(&ctx, uri, &schema()).unwrap_err();
    assert_eq!((error.kind(), error.uri()), (ErrorKind::AlreadyExists, Some(uri)));
    let missing = "mem://missing";
    for error in [
        Array::open(&ctx, missing).unwrap_err(),
        Array::open_for_writing(&ctx, missing).unwrap_err(),
        Array::load_schema(&ctx, missing).unwrap_err(),
        Array::load_fragments(&ctx, missing).unwrap_err(),
        Array::delete(&ctx, missing).unwrap_err(),
        Group::open(&ctx, missing).unwrap_err(),
    ] {
        assert_eq!((error.kind(), error.uri()), (ErrorKind::NotFound, Some(missing)), "{error:?}");
    }
    let array = Array::open(&ctx, uri).unwrap();
    let kind = |result: tiledb::Result<tiledb::Batch>| result.unwrap_err().kind();
    assert_eq!(kind(array.read().fields(["b"]).all()), ErrorKind::NotFound);
    assert_eq!(kind(array.read().fields(["a", "a"]).all()), ErrorKind::InvalidArgument);
    assert_eq!(kind(array.read().range("y", 0..1).all()), ErrorKind::NotFound);
    assert_eq!(kind(array.read().range("x", 5..5).all()), ErrorKind::InvalidArgument);
    assert_eq!(kind(array.read().range("x", 5..=10).all()), ErrorKind::InvalidArgument);
    assert_eq!(kind(array.read().range("x", 0.5..=1.0).all()), ErrorKind::InvalidArgument);
    assert_eq!(array.read().all().unwrap().values::<i64>("a").unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(Array::open(&ctx, "nowhere://x").unwrap_err().uri(), Some("nowhere://x"));
}

#[test]
fn invalid_schemas_are_errors() {
    let x = || Dimension::new("x", 0..=9_i32);
    let a = || Attribute::new::<i32>("a");
    let invalid = [
        ("no dimension", ArraySchema::dense().attribute(a())),
        ("no attribute of a dense array", ArraySchema::dense().dimension(x())),
        (
            "domain",
            ArraySchema::dense().dimension(Dimension::new("x", std::ops::RangeInclusive::new(9, 0_i32))).attribute(a()),
        ),
        ("extent", ArraySchema::dense().dimension(x().tile(11)).attribute(a())),
        ("extent of another type", ArraySchema::dense().dimension(x().tile(0.5)).attribute(a())),
        ("strings in a dense array", ArraySchema::dense().dimension(Dimension::string("x")).attribute(a())),
        ("names", ArraySchema::dense().dimension(x()).attribute(a()).attribute(a())),
        ("enumeration", ArraySchema::dense().dimension(x()).attribute(a().enumeration("none"))),
        ("fill value", ArraySchema::dense().dimension(x()).attribute(a().fill_value("text"))),
        (
            "filter",
            ArraySchema::dense().dimension(x()).attribute(Attribute::new::<f64>("a").filter(Filter::positive_delta())),
        ),
        ("reserved name", ArraySchema::dense().dimension(x()).attribute(Attribute::new::<i32>("__a"))),
    ];
    for (what, builder) in invalid {
        assert_eq!(builder.build().unwrap_err().kind(), ErrorKind::Schema, "{what}");
    }
}

#[test]
fn configurations_with_mistakes_are_errors() {
    let error = Config::builder().set("sm.mem.totl_budget", 1).build().unwrap_err();
    assert!(error.message().contains("sm.mem.total_budget"), "{error}");
    assert!(Config::builder().set("sm.compute_concurrency_level", "many").build().is_err());
    let own = Config::builder().set("my.parameter", true).build().unwrap();
    assert_eq!(own.get("my.parameter").as_deref(), Some("true"));
    assert!(Config::builder().encryption_key("short").build().is_err());
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "sm.mem.total_budget 1000000\n").unwrap();
    assert_eq!(Config::from_file(file.path()).unwrap().get("sm.mem.total_budget").as_deref(), Some("1000000"));
}

#[test]
fn errors_convert() {
    let source = std::io::Error::other("disk");
    let error = Error::new(ErrorKind::Store, "cannot read").with_source(source);
    assert_eq!(error.source().unwrap().to_string(), "disk");
    assert_eq!(std::io::Error::from(error).kind(), std::io::ErrorKind::Other);
    let boxed: Box<dyn std::error::Error + Send + Sync> = Error::new(ErrorKind::NotFound, "no array").into();
    assert_eq!(boxed.downcast_ref::<Error>().unwrap().kind(), ErrorKind::NotFound);
}
