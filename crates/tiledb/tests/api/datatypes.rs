//! Every datatype as attribute and, where possible, as dimension: written and read.

use tiledb::{Array, ArraySchema, Attribute, CellValNum, Cells, Datatype, Dimension, Element, Value, WriteQuery};

use crate::with_array;

fn schema_of(attribute: Attribute) -> ArraySchema {
    ArraySchema::dense().dimension(Dimension::new("x", 0..=2_i32)).attribute(attribute).build().unwrap()
}

fn round_trip<T: Element + std::fmt::Debug>(datatype: Datatype, values: [T; 3]) {
    let variable = Attribute::with_datatype("variable", datatype).variable();
    let (ctx, uri) = with_array(&schema_of(variable));
    let lists = [vec![values[0], values[1]], vec![], vec![values[2]]];
    Array::open_for_writing(&ctx, uri).unwrap().write().lists("variable", &lists).submit().unwrap();
    let batch = Array::open(&ctx, uri).unwrap().read().all().unwrap();
    let read = batch.lists::<T>("variable").unwrap();
    assert!(read.iter().eq(lists.iter().map(Vec::as_slice)), "{datatype}");
    if datatype == Datatype::Any {
        // It has no fixed number of values.
        return;
    }

    let fixed = Attribute::with_datatype("fixed", datatype).values_per_cell(1);
    let (ctx, uri) = with_array(&schema_of(fixed));
    Array::open_for_writing(&ctx, uri).unwrap().write().values("fixed", &values).submit().unwrap();
    let batch = Array::open(&ctx, uri).unwrap().read().all().unwrap();
    assert_eq!(batch.values::<T>("fixed").unwrap(), values, "{datatype}");
    assert_eq!(batch.field("fixed").unwrap().datatype(), datatype);

    let nullable = Attribute::with_datatype("nullable", datatype).values_per_cell(1).nullable();
    let (ctx, uri) = with_array(&schema_of(nullable));
    let optional = [Some(values[0]), None, Some(values[2])];
    Array::open_for_writing(&ctx, uri).unwrap().write().optional("nullable", &optional).submit().unwrap();
    let batch = Array::open(&ctx, uri).unwrap().read().all().unwrap();
    assert!(batch.optional::<T>("nullable").unwrap().eq(optional), "{datatype}");
    assert_eq!(batch.value("nullable", 1).unwrap(), None);
    assert_eq!(batch.value("nullable", 2).unwrap(), Some(Value::from_bytes(datatype, bytemuck_bytes(&values[2]))));

    let several = Attribute::with_datatype("several", datatype).values_per_cell(2);
    let (ctx, uri) = with_array(&schema_of(several));
    let pairs = [values[0], values[1], values[2], values[0], values[1], values[2]];
    Array::open_for_writing(&ctx, uri).unwrap().write().values("several", &pairs).submit().unwrap();
    let batch = Array::open(&ctx, uri).unwrap().read().all().unwrap();
    assert_eq!(batch.values::<T>("several").unwrap(), pairs, "{datatype}");
    assert_eq!(batch.lists::<T>("several").unwrap().get(1).unwrap(), &pairs[2..4], "{datatype}");
    assert_eq!(batch.len(), 3);
}

fn bytemuck_bytes<T: Element>(value: &T) -> &[u8] {
    bytemuck::bytes_of(value)
}

#[test]
fn values_of_every_datatype_come_back() {
    for &datatype in Datatype::ALL {
        match datatype {
            Datatype::Int8 => round_trip(datatype, [i8::MIN, 0, 7]),
            Datatype::Int16 => round_trip(datatype, [i16::MIN, 0, 7]),
            Datatype::Int32 => round_trip(datatype, [i32::MIN, 0, 7]),
            Datatype::Uint16 | Datatype::StringUtf16 | Datatype::StringUcs2 => {
                round_trip(datatype, [u16::from(b'a'), u16::from(b'b'), u16::from(b'c')]);
            }
            Datatype::Uint32 | Datatype::StringUtf32 | Datatype::StringUcs4 => {
                round_trip(datatype, [u32::from(b'a'), u32::from(b'b'), u32::from(b'c')]);
            }
            Datatype::Uint64 => round_trip(datatype, [0, 1, u64::MAX - 1]),
            Datatype::Float32 => round_trip(datatype, [-0.5_f32, 0.0, f32::INFINITY]),
            Datatype::Float64 => round_trip(datatype, [-0.5_f64, 0.0, f64::MAX]),
            Datatype::Bool => round_trip(datatype, [0_u8, 1, 1]),
            _ if datatype.size() == 1 => round_trip(datatype, [b'a', b'b', b'c']),
            _ => round_trip(datatype, [i64::MIN + 1, 0, 7]),
        }
    }
}

fn dimension_trip<T: Element + std::fmt::Debug>(datatype: Datatype, low: T, high: T, inside: T) {
    let schema = ArraySchema::sparse()
        .dimension(Dimension::with_datatype("x", datatype, low..=high))
        .attribute(Attribute::new::<i32>("a"))
        .build()
        .unwrap();
    let (ctx, uri) = with_array(&schema);
    let writer = Array::open_for_writing(&ctx, uri).unwrap();
    writer.write().values("x", &[high, low, inside]).values("a", &[3, 1, 2]).submit().unwrap();
    let array = Array::open(&ctx, uri).unwrap();
    let batch = array.read().all().unwrap();
    assert_eq!(batch.values::<T>("x").unwrap(), [low, inside, high], "{datatype}");
    assert_eq!(array.read().range("x", inside..).all().unwrap().values::<i32>("a").unwrap(), [2, 3], "{datatype}");
    assert_eq!(array.read().range("x", low..high).all().unwrap().values::<i32>("a").unwrap(), [1, 2], "{datatype}");
    assert_eq!(array.read().points("x", [low]).all().unwrap().values::<i32>("a").unwrap(), [1], "{datatype}");
}

#[test]
fn coordinates_of_every_datatype_come_back() {
    for &datatype in Datatype::ALL {
        match datatype {
            Datatype::Int8 => dimension_trip(datatype, -100_i8, 100, 3),
            Datatype::Int16 => dimension_trip(datatype, -100_i16, 100, 3),
            Datatype::Int32 => dimension_trip(datatype, -100_i32, 100, 3),
            Datatype::Uint8 => dimension_trip(datatype, 1_u8, 100, 3),
            Datatype::Uint16 => dimension_trip(datatype, 1_u16, 100, 3),
            Datatype::Uint32 => dimension_trip(datatype, 1_u32, 100, 3),
            Datatype::Uint64 => dimension_trip(datatype, 1_u64, 100, 3),
            Datatype::Float32 => dimension_trip(datatype, -1.5_f32, 1.5, 0.25),
            Datatype::Float64 => dimension_trip(datatype, -1.5_f64, 1.5, 0.25),
            _ if datatype.is_of_dimensions() && !datatype.is_string() => dimension_trip(datatype, -100_i64, 100, 3),
            _ => {}
        }
    }
}

#[test]
fn texts_of_all_kinds_come_back() {
    let schema = ArraySchema::sparse()
        .dimension(Dimension::string("key"))
        .attribute(Attribute::string("utf8").nullable())
        .attribute(Attribute::ascii("ascii"))
        .attribute(Attribute::bytes("bytes"))
        .attribute(Attribute::new::<bool>("flag"))
        .build()
        .unwrap();
    let (ctx, uri) = with_array(&schema);
    Array::open_for_writing(&ctx, uri)
        .unwrap()
        .write()
        .strings("key", &["b", "a", "c"])
        .optional_strings("utf8", &[Some("häß"), None, Some("")])
        .strings("ascii", &["one".to_owned(), "two".to_owned(), "three".to_owned()])
        .blobs("bytes", &[&[0xff_u8, 0][..], &[1], &[2, 3, 4]])
        .bools("flag", &[true, false, true])
        .submit()
        .unwrap();
    let array = Array::open(&ctx, uri).unwrap();
    let batch = array.read().all().unwrap();
    assert_eq!(batch.strings("key").unwrap().to_vec(), ["a", "b", "c"]);
    let texts = batch.strings("utf8").unwrap();
    assert_eq!(texts.optional().collect::<Vec<_>>(), [None, Some("häß"), Some("")]);
    assert_eq!((texts.get(1), texts.get(3)), (Some("häß"), None));
    assert_eq!(batch.strings("ascii").unwrap().get(2), Some("three"));
    assert_eq!(batch.blobs("bytes").unwrap().get(1), Some(&[0xff, 0][..]));
    assert!(batch.bools("flag").unwrap().eq([false, true, true]));
    assert!(batch.strings("bytes").is_err());
    let part = array.read().range("key", "b"..="b").range("key", "c"..).fields(["key"]).all().unwrap();
    assert_eq!(part.strings("key").unwrap().to_vec(), ["b", "c"]);
    assert_eq!(batch.value("utf8", 1).unwrap(), Some(Value::from("häß")));
    assert_eq!(schema.field("key").unwrap().cell_val_num(), CellValNum::Var);
}

#[test]
fn offsets_count_values() {
    let schema = schema_of(Attribute::new::<i64>("a").variable().nullable());
    let (ctx, uri) = with_array(&schema);
    let write = |change: &dyn for<'b> Fn(WriteQuery<'b>) -> WriteQuery<'b>| {
        change(Array::open_for_writing(&ctx, uri).unwrap().write()).submit()
    };
    write(&|query| query.var_nullable("a", &[1_i64, 2, 3, 4], &[0, 1, 3, 4], &[1, 0, 1])).unwrap();
    let batch = Array::open(&ctx, uri).unwrap().read().all().unwrap();
    let lists: Vec<Option<&[i64]>> = batch.lists("a").unwrap().optional().collect();
    assert_eq!(lists, [Some(&[1][..]), None, Some(&[4])]);
    assert!(write(&|query| query.var("a", &[1_i64, 2], &[0, 1, 1, 1])).is_err());
    assert!(write(&|query| query.cells(Cells::new().values("a", &[1_i64, 2, 3]))).is_err());
}
