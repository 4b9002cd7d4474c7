//! What threads may share, and do.

use std::thread;

use tiledb::{
    Array, ArrayDeleter, ArraySchema, ArrayWriter, Attribute, Batch, Batches, Cells, Condition, Config, Context,
    Dimension, Enumeration, Error, Fragment, GlobalWrite, Group, GroupWriter, Metadata, ReadQuery, Reader, Subarray,
    Vfs, WriteQuery, attr,
};

use crate::with_array;

fn is_send<T: Send>() {}
fn is_sync<T: Sync>() {}
fn is_error<T: std::error::Error + Send + Sync + 'static>() {}

#[test]
fn types_are_send_and_sync() {
    is_error::<Error>();
    macro_rules! shared {
        ($($type:ty)+) => { $(is_send::<$type>(); is_sync::<$type>();)+ };
    }
    shared! {
        Config Context ArraySchema Attribute Dimension Enumeration Condition Subarray
        Array ArrayWriter ArrayDeleter Batch Cells<'static> Fragment Group GroupWriter Metadata Vfs
    }
    is_send::<WriteQuery<'static>>();
    is_send::<GlobalWrite>();
    is_send::<Reader>();
    is_send::<ReadQuery<'static>>();
    is_send::<Batches<'static>>();
}

#[test]
fn threads_read_and_write_one_array() {
    let schema = ArraySchema::sparse()
        .dimension(Dimension::new("id", 0..=9_999_i64))
        .attribute(Attribute::new::<i64>("thread"))
        .build()
        .unwrap();
    let (ctx, uri) = with_array(&schema);
    let writer = Array::open_for_writing(&ctx, uri).unwrap();
    thread::scope(|scope| {
        for thread in 0..4_i64 {
            let writer = &writer;
            scope.spawn(move || {
                let ids: Vec<i64> = (0..100).map(|id| 1000 * thread + id).collect();
                let values = vec![thread; 100];
                writer.write().values("id", &ids).values("thread", &values).submit().unwrap();
            });
        }
    });
    let array = Array::open(&ctx, uri).unwrap();
    let counts: Vec<usize> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4_i64)
            .map(|thread| {
                let array = array.clone();
                scope.spawn(move || array.read().condition(attr("thread").eq(thread)).all().unwrap().len())
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(counts, [100; 4]);
}
