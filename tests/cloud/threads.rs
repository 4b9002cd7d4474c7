//! Many threads that use the store of one context at the same time.

use std::mem::ManuallyDrop;

use support::operations::snapshot::look;
use support::operations::{self, Place};
use support::servers::Store;
use support::{Api, Ctx, bytes, pointer, text};

/// Threads at the same time.
const CROWDS: [usize; 2] = [2, 1000];

fn folder() -> String {
    format!("{}://threads/place", Store::of_environment().scheme())
}

/// Writes a file and reads it.
fn file(ctx: &Ctx<'_>, vfs: u64, number: usize) -> Result<(), String> {
    let (uri, written) = (text(&format!("{}/files/{number}", folder())), format!("file {number}"));
    let text_of = |error: support::Failure| error.text;
    let handle = ctx.get("vfs_open", &[vfs, pointer(&uri), 1]).map_err(text_of)?;
    let size = written.len() as u64;
    let done = ctx.call("vfs_write", &[handle, bytes(written.as_bytes()), size]);
    let done = done.and_then(|()| ctx.call("vfs_close", &[handle]));
    ctx.free("vfs_fh", handle);
    done.map_err(text_of)?;
    let handle = ctx.get("vfs_open", &[vfs, pointer(&uri), 0]).map_err(text_of)?;
    let mut read = vec![0u8; written.len()];
    let done = ctx.call("vfs_read", &[handle, 0, read.as_mut_ptr() as u64, size]);
    ctx.free("vfs_fh", handle);
    done.map_err(text_of)?;
    if read == written.as_bytes() { Ok(()) } else { Err(format!("{written} was read as {read:?}")) }
}

pub fn check() {
    let ours = Api::ours();
    crate::files::make_bucket(&ours, &folder().replace("/place", ""));
    let expected = operations::with(&ours, &folder(), |place| {
        place.sparse(2)?;
        look(place)
    });
    let expected = expected.unwrap();
    // The server of GCS answers one after the other.
    let ctx = ours.context(&[("vfs.gcs.request_timeout_ms", "60000")]);
    let (shared, vfs) = (ctx.handle, ctx.get("vfs_alloc", &[0]).unwrap());
    for crowd in CROWDS {
        let one = |number: usize| {
            // The same library and the same context.
            let ours = Api::ours();
            let ctx = ManuallyDrop::new(Ctx { api: &ours, handle: shared });
            if number.is_multiple_of(5) {
                let snapshot = look(&Place::new(&ctx, &folder())).map_err(|failure| failure.text)?;
                return if snapshot == expected { Ok(()) } else { Err(format!("other cells were read: {snapshot}")) };
            }
            file(&ctx, vfs, number)
        };
        let failed: Vec<String> = std::thread::scope(|scope| {
            let one = &one;
            let threads: Vec<_> = (0..crowd).map(|number| scope.spawn(move || one(number))).collect();
            threads.into_iter().filter_map(|thread| thread.join().unwrap().err()).collect()
        });
        assert!(failed.is_empty(), "{} of {crowd} threads failed: {}", failed.len(), failed[0]);
        println!("cloud: {crowd} threads use one store, none fails");
    }
    ctx.free("vfs", vfs);
}
