//! A table of flights as a sparse array: texts, nulls, dates and enumerations; conditions, aggregates, deletion, time travel.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use tiledb::{
    Aggregate, Array, ArraySchema, Attribute, Context, Datatype, Dimension, Enumeration, Filter, SchemaEvolution,
    Value, attr,
};

fn create(ctx: &Context, uri: &str) -> tiledb::Result<()> {
    let schema = ArraySchema::sparse()
        .dimension(Dimension::with_datatype("day", Datatype::DatetimeDay, "1990-01-01"..="2100-01-01").tile(30))
        .dimension(Dimension::string("tail"))
        .attribute(Attribute::new::<f32>("delay").nullable().filter(Filter::zstd(5)))
        .attribute(Attribute::string("origin"))
        .attribute(Attribute::new::<u8>("carrier").enumeration("carriers"))
        .enumeration(Enumeration::strings("carriers", ["AA", "DL", "UA"])?)
        .allow_duplicates()
        .build()?;
    Array::create(ctx, uri, &schema)
}

fn write(ctx: &Context, uri: &str) -> tiledb::Result<()> {
    let days = [15_706_i64, 15_706, 15_707]; // days since 1970-01-01
    let writer = Array::open_for_writing(ctx, uri)?;
    writer
        .write()
        .values("day", &days)
        .strings("tail", &["N14228", "N24211", "N619AA"])
        .optional("delay", &[Some(11.0_f32), None, Some(95.5)])
        .strings("origin", &["EWR", "LGA", "JFK"])
        .strings("carrier", &["UA", "UA", "AA"])
        .submit()?;
    writer.put_metadata("source", "a few of 336,776 flights")?;
    writer.close()
}

fn read(ctx: &Context, uri: &str) -> tiledb::Result<()> {
    let array = Array::open(ctx, uri)?;
    let query = array.read().fields(["tail", "delay", "carrier"]).range("day", "2013-01-01"..="2013-01-31");
    for batch in query.batches()? {
        let batch = batch?;
        let (tails, carriers) = (batch.strings("tail")?, batch.strings("carrier")?);
        for ((tail, carrier), delay) in tails.iter().zip(carriers.iter()).zip(batch.optional::<f32>("delay")?) {
            println!("{tail} {carrier} {delay:?}");
        }
    }
    println!("{:?}", array.metadata()?.get::<String>("source")?);
    Ok(())
}

fn select(ctx: &Context, uri: &str) -> tiledb::Result<()> {
    let array = Array::open(ctx, uri)?;
    let late = attr("delay").gt(60).and(attr("origin").is_in(["JFK", "LGA"]));
    assert_eq!(array.read().condition(late).all()?.strings("tail")?.to_vec(), ["N619AA"]);

    let same = array.read().condition_text("delay > 60 and origin in (JFK, LGA)").all()?;
    assert_eq!(same.len(), 1);

    let early = array.read().condition(!attr("delay").gt(60)).all()?; // nulls meet neither
    assert_eq!(early.len(), 1);

    let united = attr("carrier").eq("UA"); // the value, not its index
    let results = array.read().condition(united).aggregate([Aggregate::count(), Aggregate::mean("delay")])?;
    assert_eq!(results.get("count"), Some(&Value::Unsigned(2)));
    assert_eq!(results.get("mean(delay)").and_then(Value::as_f64), Some(11.0));
    Ok(())
}

fn change(ctx: &Context, uri: &str) -> tiledb::Result<()> {
    let before = Array::open(ctx, uri)?.timestamps().1;
    std::thread::sleep(std::time::Duration::from_millis(2));
    Array::open_for_deletion(ctx, uri)?.delete(&attr("origin").eq("LGA"))?;
    assert_eq!(Array::open(ctx, uri)?.read().all()?.len(), 2);

    let earlier = Array::options().at(before).open(ctx, uri)?;
    assert_eq!(earlier.read().all()?.len(), 3);

    let evolution = SchemaEvolution::new().add_attribute(Attribute::new::<f32>("distance").nullable().fill_null());
    Array::evolve(ctx, uri, &evolution)?;
    let distances = Array::open(ctx, uri)?.read().fields(["distance"]).all()?;
    assert!(distances.optional::<f32>("distance")?.all(|distance| distance.is_none()));
    Ok(())
}

pub fn run(uri: &str) -> tiledb::Result<()> {
    let ctx = Context::new()?;
    create(&ctx, uri)?;
    write(&ctx, uri)?;
    read(&ctx, uri)?;
    select(&ctx, uri)?;
    change(&ctx, uri)
}

fn main() -> tiledb::Result<()> {
    run("mem://flights")
}
