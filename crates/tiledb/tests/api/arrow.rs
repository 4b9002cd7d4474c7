//! Record batches of arrow-rs.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch, RecordBatchIterator,
    RecordBatchReader, StringArray,
};
use arrow_schema::ArrowError;
use tiledb::{Array, ArraySchema, Attribute, Context, Dimension, Enumeration, ErrorKind, attr};

use crate::with_array;

fn rows() -> (Context, &'static str) {
    let schema = ArraySchema::sparse()
        .dimension(Dimension::new("id", 0..=9_999_i64))
        .attribute(Attribute::new::<f64>("v").nullable())
        .attribute(Attribute::string("text"))
        .attribute(Attribute::new::<i32>("colour").enumeration("colours"))
        .enumeration(Enumeration::strings("colours", ["red", "green"]).unwrap())
        .build()
        .unwrap();
    let (ctx, uri) = with_array(&schema);
    let ids: Vec<i64> = (0..100).collect();
    let values: Vec<Option<f64>> = ids.iter().map(|id| (id % 2 == 0).then_some(*id as f64)).collect();
    let texts: Vec<String> = ids.iter().map(|id| format!("row {id}")).collect();
    let colours: Vec<&str> = ids.iter().map(|id| if id % 3 == 0 { "red" } else { "green" }).collect();
    Array::open_for_writing(&ctx, uri)
        .unwrap()
        .write()
        .values("id", &ids)
        .optional("v", &values)
        .strings("text", &texts)
        .strings("colour", &colours)
        .submit()
        .unwrap();
    (ctx, uri)
}

#[test]
fn batches_have_the_cells_of_the_read() {
    let (ctx, uri) = rows();
    let array = Array::open(&ctx, uri).unwrap();
    let batches = array.read().batch_bytes(1000).range("id", 10..60).record_batches().unwrap();
    let names: Vec<String> = batches.schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["id", "v", "text", "colour"]);
    let batches: Vec<RecordBatch> = batches.collect::<Result<_, _>>().unwrap();
    assert!(batches.len() > 1);
    let mut next = 10;
    for batch in &batches {
        let (ids, values) = (batch["id"].as_primitive::<Int64Type>(), batch["v"].as_primitive::<Float64Type>());
        let colours = batch["colour"].as_any_dictionary();
        for row in 0..batch.num_rows() {
            assert_eq!(ids.value(row), next);
            assert_eq!(arrow_array::Array::is_null(values, row), next % 2 != 0);
            assert_eq!(batch["text"].as_string::<i64>().value(row), format!("row {next}"));
            let key = colours.normalized_keys()[row];
            let colour = colours.values().as_string::<i64>().value(key).to_owned();
            assert_eq!(colour, if next % 3 == 0 { "red" } else { "green" });
            next += 1;
        }
    }
    assert_eq!(next, 60);
    let late = array.read().condition(attr("v").gt(90)).fields(["id"]).record_batches().unwrap();
    assert_eq!(late.map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 4);
    assert_eq!(array.read().fields(["none"]).record_batches().unwrap_err().kind(), ErrorKind::InvalidArgument);
}

/// Values of dictionaries that few rows refer to are decoded one by one, those of others all at once: the cells are the same.
#[test]
fn rows_of_large_dictionaries_have_their_values() {
    let schema = ArraySchema::sparse()
        .dimension(Dimension::new("id", 0..=9_999_i64))
        .attribute(Attribute::new::<f64>("v").nullable())
        .attribute(Attribute::string("text").nullable())
        .build()
        .unwrap();
    let texts: Vec<Option<String>> = (0..1000).map(|at| (at != 7).then(|| "x".repeat(at % 50))).collect();
    let texts: ArrayRef = Arc::new(StringArray::from(texts).slice(3, 900));
    let values: ArrayRef = Arc::new(Float64Array::from_iter((0..900).map(|at| (at != 4).then_some(f64::from(at)))));
    let keys = [Some(899), None, Some(4), Some(0), Some(899), Some(450)];
    let read = |count: usize| {
        let (ctx, uri) = with_array(&schema);
        let keys: Vec<Option<i32>> = keys.iter().copied().cycle().take(count).collect();
        let column = |values: &ArrayRef| -> ArrayRef {
            Arc::new(DictionaryArray::new(Int32Array::from(keys.clone()), values.clone()))
        };
        let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..count as i64));
        let columns = [("id", ids), ("v", column(&values)), ("text", column(&texts))];
        let batch = RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)));
        let batch = batch.unwrap();
        let batches = RecordBatchIterator::new([Ok(batch.clone())], batch.schema());
        Array::open_for_writing(&ctx, uri).unwrap().write().record_batches(batches).unwrap();
        let cells = Array::open(&ctx, uri).unwrap().read().all().unwrap();
        let valid = cells.validity("text").unwrap().unwrap().to_vec();
        assert_eq!(cells.validity("v").unwrap().unwrap(), valid);
        let texts: Vec<String> = cells.strings("text").unwrap().to_vec();
        let numbers = cells.values::<f64>("v").unwrap().to_vec();
        let rows = valid.into_iter().zip(texts).zip(numbers);
        rows.map(|((valid, text), number)| (valid != 0).then_some((text, number))).collect::<Vec<_>>()
    };
    let value = |at: usize| Some(("x".repeat((at + 3) % 50), at as f64));
    let expected = [value(899), None, None, value(0), value(899), value(450)];
    for count in [6, 600] {
        let expected: Vec<_> = expected.iter().cloned().cycle().take(count).collect();
        assert_eq!(read(count), expected, "{count}");
    }
}

#[test]
fn batches_are_written_in_any_number() {
    let (ctx, uri) = rows();
    let array = Array::open(&ctx, uri).unwrap();
    Array::create(&ctx, "mem://copy", &Array::load_schema(&ctx, uri).unwrap()).unwrap();
    let writer = Array::open_for_writing(&ctx, "mem://copy").unwrap();
    let batches = array.read().batch_bytes(700).record_batches().unwrap();
    assert!(!writer.write().record_batches(batches).unwrap().fragments().is_empty());
    let copy = Array::open(&ctx, "mem://copy").unwrap().read().all().unwrap();
    let whole = array.read().all().unwrap();
    assert_eq!(copy.values::<i64>("id").unwrap(), whole.values::<i64>("id").unwrap());
    assert_eq!(copy.strings("colour").unwrap().to_vec(), whole.strings("colour").unwrap().to_vec());
    assert_eq!(copy.validity("v").unwrap(), whole.validity("v").unwrap());
}

#[test]
fn a_reader_that_fails_writes_nothing() {
    let (ctx, uri) = rows();
    let before = Array::load_fragments(&ctx, uri).unwrap().len();
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let values: ArrayRef = Arc::new(Float64Array::from(vec![1.0]));
    let batch = RecordBatch::try_from_iter([("id", ids), ("v", values)]).unwrap();
    let write = |batches: Vec<Result<RecordBatch, ArrowError>>| {
        let reader = RecordBatchIterator::new(batches, batch.schema());
        Array::open_for_writing(&ctx, uri).unwrap().write().record_batches(reader)
    };
    let error = write(vec![Ok(batch.clone())]).unwrap_err();
    assert!(error.message().contains("no column"), "{error}");
    assert!(write(vec![Err(ArrowError::ComputeError("broken".to_owned()))]).is_err());
    assert_eq!(Array::load_fragments(&ctx, uri).unwrap().len(), before);
}
