//! Conditions on cells.

use tiledb::{Array, ArraySchema, Attribute, Condition, Context, Datatype, Dimension, Enumeration, ErrorKind, attr};

use crate::with_array;

fn flights() -> (Context, &'static str) {
    let schema = ArraySchema::sparse()
        .dimension(Dimension::new("id", 0..=99_i64))
        .attribute(Attribute::new::<f32>("delay").nullable())
        .attribute(Attribute::string("origin"))
        .attribute(Attribute::with_datatype("day", Datatype::DatetimeDay))
        .attribute(Attribute::new::<u8>("carrier").enumeration("carriers"))
        .enumeration(Enumeration::strings("carriers", ["AA", "DL", "UA"]).unwrap())
        .build()
        .unwrap();
    let (ctx, uri) = with_array(&schema);
    Array::open_for_writing(&ctx, uri)
        .unwrap()
        .write()
        .values("id", &[1_i64, 2, 3, 4])
        .optional("delay", &[Some(61.5_f32), None, Some(-3.0), Some(0.1)])
        .strings("origin", &["JFK", "EWR", "LGA", "New York"])
        .values("day", &[15_706_i64, 15_707, 15_708, 15_709])
        .strings("carrier", &["UA", "AA", "DL", "AA"])
        .submit()
        .unwrap();
    (ctx, uri)
}

#[test]
fn expressions_and_texts_select_cells() {
    let (ctx, uri) = flights();
    let array = Array::open(&ctx, uri).unwrap();
    let cases: Vec<(Condition, &str, &[i64])> = vec![
        (attr("delay").gt(60), "delay > 60", &[1]),
        (attr("delay").le(0.1), "delay <= 0.1", &[3, 4]),
        (attr("delay").is_null(), "delay is null", &[2]),
        (!attr("delay").gt(0), "not delay > 0", &[3]),
        (attr("origin").is_in(["JFK", "New York"]), "origin in ('JFK', \"New York\")", &[1, 4]),
        (attr("origin").not_in(["JFK"]), "origin not in (JFK)", &[2, 3, 4]),
        (attr("day").ge("2013-01-03"), "day >= 2013-01-03", &[3, 4]),
        (attr("day").between(15_706, 15_707), "day between 15706 and 15707", &[1, 2]),
        (attr("delay").is_in([61.5, -3.0]), "delay in (61.5, -3)", &[1, 3]),
        (attr("delay").not_in([61.5]), "delay not in (61.5)", &[3, 4]),
        (attr("origin").is_in([""]), "origin in ('')", &[]),
        (attr("carrier").eq("AA"), "carrier = AA", &[2, 4]),
        (attr("carrier").is_in(["DL", "UA"]), "carrier in (DL, UA)", &[1, 3]),
        (attr("id").lt(3).and(attr("delay").is_not_null()), "id < 3 and delay is not null", &[1]),
        ((attr("id").eq(1) | attr("id").eq(3)) & attr("delay").lt(0), "(id = 1 or id = 3) and delay < 0", &[3]),
    ];
    for (condition, text, expected) in cases {
        let by_expression = array.read().condition(condition).all().unwrap();
        let by_text = array.read().condition_text(text).all().unwrap();
        assert_eq!(by_expression.values::<i64>("id").unwrap(), expected, "{text}");
        assert_eq!(by_text.values::<i64>("id").unwrap(), expected, "{text}");
    }
}

#[test]
fn many_terms_are_joined() {
    let (ctx, uri) = flights();
    let array = Array::open(&ctx, uri).unwrap();
    let any = (0..5000).map(|id| attr("id").eq(id % 3)).reduce(Condition::or).unwrap();
    assert_eq!(any.fields().into_iter().collect::<Vec<_>>(), ["id"]);
    assert_eq!(array.read().condition(any).all().unwrap().values::<i64>("id").unwrap(), [1, 2]);
}

#[test]
fn wrong_conditions_are_errors() {
    let (ctx, uri) = flights();
    let array = Array::open(&ctx, uri).unwrap();
    let kind = |condition| array.read().condition(condition).all().unwrap_err().kind();
    assert_eq!(kind(attr("missing").eq(1)), ErrorKind::NotFound);
    assert_eq!(kind(attr("id").eq("one")), ErrorKind::InvalidArgument);
    assert_eq!(kind(attr("id").eq(1.5)), ErrorKind::InvalidArgument);
    assert_eq!(kind(attr("day").gt("2013-02-30")), ErrorKind::InvalidArgument);
    assert_eq!(kind(attr("id").is_in::<i64>([])), ErrorKind::InvalidArgument);
    let error = array.read().condition_text("id > 1 and delay = x").all().unwrap_err();
    assert_eq!((error.kind(), error.position()), (ErrorKind::InvalidArgument, Some(19)));
    assert_eq!(array.read().condition_text("id >").all().unwrap_err().kind(), ErrorKind::InvalidArgument);
}
