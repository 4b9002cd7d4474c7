//! Progress and cancellation of reads.

use std::ops::ControlFlow;
use std::thread;

use tiledb::{Array, ArraySchema, Attribute, Context, Dimension, ErrorKind};

use crate::with_array;

fn large() -> (Context, &'static str) {
    let schema = ArraySchema::dense()
        .dimension(Dimension::new("x", 0..=999_999_i64).tile(1000))
        .attribute(Attribute::new::<i64>("a"))
        .build()
        .unwrap();
    let (ctx, uri) = with_array(&schema);
    let values: Vec<i64> = (0..1_000_000).collect();
    Array::open_for_writing(&ctx, uri).unwrap().write().values("a", &values).submit().unwrap();
    (ctx, uri)
}

#[test]
fn a_callback_sees_progress_and_stops_a_read() {
    let (ctx, uri) = large();
    let array = Array::open(&ctx, uri).unwrap();
    let mut last = None;
    let batch = array
        .read()
        .on_progress(|progress| {
            last = Some(progress);
            ControlFlow::Continue(())
        })
        .all()
        .unwrap();
    assert_eq!(batch.len(), 1_000_000);
    assert!(last.is_some_and(|last| last.done == last.total && last.fraction() == 1.0), "{last:?}");
    drop(batch);
    // A callback may come too late to stop a read that is done.
    let stopped = array.read().on_progress(|_| ControlFlow::Break(())).all();
    assert!(stopped.is_ok() || stopped.is_err_and(|error| error.kind() == ErrorKind::Cancelled));
}

#[test]
fn a_context_cancels_its_operations() {
    let (ctx, uri) = large();
    let array = Array::open(&ctx, uri).unwrap();
    ctx.cancel();
    assert_eq!(array.read().all().unwrap().len(), 1_000_000, "nothing ran when it was cancelled");
    let (began, has_begun) = std::sync::mpsc::channel();
    let error = thread::scope(|scope| {
        let reader = scope.spawn(|| {
            // One read after the other, until one is cancelled.
            began.send(()).unwrap();
            loop {
                if let Err(error) = array.read().all() {
                    return error;
                }
            }
        });
        has_begun.recv().unwrap();
        while !reader.is_finished() {
            ctx.cancel();
        }
        reader.join().unwrap()
    });
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert!(array.read().all().is_ok());
}
