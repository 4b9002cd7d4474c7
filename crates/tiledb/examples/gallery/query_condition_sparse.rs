//! Conditions on the attributes of a sparse array: only the cells that meet them are read.

use std::io::Write;

use super::Result;
use tiledb::{Array, ArraySchema, Attribute, Condition, Context, Dimension, attr};

fn create(ctx: &Context, uri: &str) -> tiledb::Result<()> {
    let schema = ArraySchema::sparse()
        .dimension(Dimension::new("index", 0..=9_i32).tile(4))
        .attribute(Attribute::new::<i32>("a").nullable())
        .attribute(Attribute::ascii("b"))
        .attribute(Attribute::new::<i32>("c").fill_value(-1))
        .attribute(Attribute::new::<f32>("d").fill_value(0.0))
        .build()?;
    Array::create(ctx, uri, &schema)?;
    let index: Vec<i32> = (0..10).collect();
    let a = [None, Some(2), None, Some(4), None, Some(6), None, Some(8), None, Some(10_i32)];
    let b = ["alice", "bob", "craig", "dave", "erin", "frank", "grace", "heidi", "ivan", "judy"];
    let c = [0, 0, 0, 0, 0, 0, 1, 2, 3, 4];
    let d = [4.1_f32, 3.4, 5.6, 3.7, 2.3, 1.7, 3.8, 4.9, 3.2, 3.1];
    let writer = Array::open_for_writing(ctx, uri)?;
    writer
        .write()
        .values("index", &index)
        .optional("a", &a)
        .strings("b", &b)
        .values("c", &c)
        .values("d", &d)
        .submit()?;
    Ok(())
}

fn read(ctx: &Context, uri: &str, condition: Option<Condition>, out: &mut dyn Write) -> Result {
    let query = Array::open(ctx, uri)?.read().fields(["index", "a", "b", "c", "d"]);
    let batch = match condition {
        Some(condition) => query.condition(condition).all()?,
        None => query.all()?,
    };
    let a: Vec<Option<i32>> = batch.optional("a")?.collect();
    let b = batch.strings("b")?;
    let c = batch.values::<i32>("c")?;
    let d = batch.values::<f32>("d")?;
    for (row, index) in batch.values::<i32>("index")?.iter().enumerate() {
        let b = b.get(row).unwrap_or_default();
        match a[row] {
            Some(a) => writeln!(out, "{index}: '{a}' '{b}' '{}', '{}'", c[row], d[row])?,
            None => writeln!(out, "{index}: null '{b}', '{}', '{}'", c[row], d[row])?,
        }
    }
    writeln!(out)?;
    Ok(())
}

pub(crate) fn run(folder: &str, out: &mut dyn Write) -> Result {
    let ctx = Context::new()?;
    let uri = &format!("{folder}/query_condition_sparse");
    if !Array::exists(&ctx, uri)? {
        create(&ctx, uri)?;
    }
    writeln!(out, "Reading the entire array:")?;
    read(&ctx, uri, None, out)?;

    writeln!(out, "Reading: a is null")?;
    read(&ctx, uri, Some(attr("a").is_null()), out)?;

    writeln!(out, "Reading: b < \"eve\"")?;
    read(&ctx, uri, Some(attr("b").lt("eve")), out)?;

    writeln!(out, "Reading: c >= 1")?;
    read(&ctx, uri, Some(attr("c").ge(1)), out)?;

    writeln!(out, "Reading: 3.0 <= d <= 4.0")?;
    read(&ctx, uri, Some(attr("d").between(3.0, 4.0)), out)?;

    writeln!(out, "Reading: (a is not null) && (b < \"eve\") && (3.0 <= d <= 4.0)")?;
    let all = attr("a").is_not_null().and(attr("b").lt("eve")).and(attr("d").between(3.0, 4.0));
    read(&ctx, uri, Some(all), out)
}
