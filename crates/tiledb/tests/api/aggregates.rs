//! Aggregates.

use tiledb::{Aggregate, Array, ArraySchema, Attribute, Dimension, ErrorKind, Value, attr};

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
