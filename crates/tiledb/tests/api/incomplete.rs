//! Reads whose results do not fit into one buffer.

use tiledb::{Array, ArraySchema, Attribute, Buffers, Config, Context, Dimension, Layout, attr};

use crate::with_array;

fn sparse() -> (Context, &'static str) {
    let schema = ArraySchema::sparse()
        .dimension(Dimension::new("id", 0..=9_999_i64).tile(100))
        .attribute(Attribute::string("text"))
        .attribute(Attribute::new::<i32>("a").nullable())
        .capacity(37)
        .build()
        .unwrap();
    let (ctx, uri) = with_array(&schema);
    let ids: Vec<i64> = (0..1000).collect();
    let texts: Vec<String> = ids.iter().map(|id| "x".repeat((id % 50) as usize)).collect();
    let values: Vec<Option<i32>> = ids.iter().map(|id| (id % 3 > 0).then_some(*id as i32)).collect();
    Array::open_for_writing(&ctx, uri)
        .unwrap()
        .write()
        .values("id", &ids)
        .strings("text", &texts)
        .optional("a", &values)
        .submit()
        .unwrap();
    (ctx, uri)
}

#[test]
fn small_batches_have_all_cells() {
    let (ctx, uri) = sparse();
    let array = Array::open(&ctx, uri).unwrap();
    for bytes in [1, 100, 1000, 100_000] {
        for layout in [Layout::RowMajor, Layout::Unordered, Layout::GlobalOrder] {
            let (mut ids, mut count) = (Vec::new(), 0);
            for batch in array.read().layout(layout).batch_bytes(bytes).batches().unwrap() {
                let batch = batch.unwrap();
                for (row, id) in batch.values::<i64>("id").unwrap().iter().enumerate() {
                    let text = batch.strings("text").unwrap().get(row).unwrap().to_owned();
                    assert_eq!(text.len(), (id % 50) as usize);
                    let expected = (id % 3 > 0).then_some(*id as i32);
                    assert_eq!(batch.optional::<i32>("a").unwrap().nth(row).unwrap(), expected);
                    ids.push(*id);
                }
                count += 1;
            }
            ids.sort_unstable();
            assert!(ids.into_iter().eq(0..1000), "{bytes} {layout}");
            assert!(count > 1 || bytes == 100_000, "{bytes}");
        }
    }
}

#[test]
fn all_joins_batches() {
    let (ctx, uri) = sparse();
    let array = Array::open(&ctx, uri).unwrap();
    let late = || array.read().condition(attr("a").gt(500));
    let (whole, parts) = (late().all().unwrap(), late().batch_bytes(300).all().unwrap());
    assert!(!whole.is_empty());
    assert_eq!(whole.values::<i64>("id").unwrap(), parts.values::<i64>("id").unwrap());
    assert_eq!(whole.strings("text").unwrap().to_vec(), parts.strings("text").unwrap().to_vec());
    assert_eq!(whole.validity("a").unwrap(), parts.validity("a").unwrap());
    assert_eq!(whole.offsets("text").unwrap(), parts.offsets("text").unwrap());
    let none = array.read().condition(attr("a").gt(5000)).all().unwrap();
    assert!(none.is_empty() && none.strings("text").unwrap().is_empty());
}

#[test]
fn a_reader_continues_in_the_buffers_of_the_caller() {
    let (ctx, uri) = sparse();
    let array = Array::open(&ctx, uri).unwrap();
    let mut reader = array.read().range("id", 10..900).reader().unwrap();
    let (mut ids, mut text, mut offsets) = ([0_i64; 64], [0_u8; 900], [0_u64; 65]);
    let (mut values, mut validity) = ([0_i32; 64], [0_u8; 64]);
    let mut next = 10;
    loop {
        let buffers = Buffers::new().values("id", &mut ids).var("text", &mut text, &mut offsets).nullable(
            "a",
            &mut values,
            &mut validity,
        );
        let counts = reader.read(buffers).unwrap();
        assert!(counts.cells("id") > 0);
        assert_eq!((counts.cells("text"), counts.cells("a")), (counts.cells("id"), counts.cells("id")));
        for row in 0..counts.cells("id") {
            assert_eq!(ids[row], next);
            assert_eq!(offsets[row + 1] - offsets[row], (next % 50) as u64);
            assert_eq!(validity[row] == 1, next % 3 > 0);
            next += 1;
        }
        if counts.is_complete() {
            break;
        }
    }
    assert_eq!(next, 900);
    assert!(reader.read(Buffers::new().values("id", &mut values)).is_err(), "another type");
}

#[test]
fn partitions_cover_each_cell_once() {
    let (ctx, uri) = sparse();
    let array = Array::open(&ctx, uri).unwrap();
    let parts = array.read().range("id", 100..700).partitions(4).unwrap();
    assert!(parts.len() > 1);
    let mut ids: Vec<i64> = Vec::new();
    for part in &parts {
        ids.extend(array.read().subarray(&part.subarray).all().unwrap().values::<i64>("id").unwrap());
    }
    ids.sort_unstable();
    assert!(ids.into_iter().eq(100..700));
}

#[test]
fn estimates_are_sizes() {
    let (ctx, uri) = sparse();
    let array = Array::open(&ctx, uri).unwrap();
    let [data, offsets, validity] = array.read().estimate("text").unwrap();
    assert!(data > 10_000 && offsets >= 8_000 && validity == 0, "{data} {offsets} {validity}");
    assert!(array.read().estimate("a").unwrap()[2] >= 1000);
}

#[test]
fn parameters_of_a_query_leave_its_results() {
    let (ctx, uri) = sparse();
    let config = Config::builder()
        .set("sm.mem.total_budget", 16 << 20)
        .set("sm.var_offsets.bitsize", 32)
        .set("sm.var_offsets.mode", "elements")
        .build()
        .unwrap();
    let array = Array::open(&ctx, uri).unwrap();
    let (plain, other) = (array.read().all().unwrap(), array.read().config(&config).all().unwrap());
    assert_eq!(plain.strings("text").unwrap().to_vec(), other.strings("text").unwrap().to_vec());
    let small = Context::with_config(config).unwrap();
    Array::create(&small, uri, &array.schema()).unwrap();
    let writer = Array::open_for_writing(&small, uri).unwrap();
    writer.write().values("id", &[1_i64, 2]).strings("text", &["a", "bb"]).values("a", &[1, 2]).submit().unwrap();
    let batch = Array::open(&small, uri).unwrap().read().all().unwrap();
    assert_eq!(batch.strings("text").unwrap().to_vec(), ["a", "bb"]);
}
