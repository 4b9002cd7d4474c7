//! A store that is used by a process before and after a fork, and by its child.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "forks as a C program does")]

use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, Ordering};

use support::operations::snapshot::look;
use support::operations::{self, Place};
use support::servers::Store;
use support::{Api, Ctx, pointer, text};

fn bucket() -> String {
    format!("{}://forked", Store::of_environment().scheme())
}

fn write(ctx: &Ctx<'_>, vfs: u64, name: &str) -> bool {
    let uri = text(&format!("{}/{name}", bucket()));
    let written = ctx.get("vfs_open", &[vfs, pointer(&uri), 1]).and_then(|handle| {
        ctx.call("vfs_write", &[handle, name.as_ptr() as u64, name.len() as u64])?;
        ctx.call("vfs_close", &[handle])
    });
    written.is_ok() && ctx.get("vfs_file_size", &[vfs, pointer(&uri)]).is_ok_and(|size| size == name.len() as u64)
}

pub fn check() {
    let ours = Api::ours();
    crate::files::make_bucket(&ours, &bucket());
    let ctx = ours.context(&[]);
    let vfs = ctx.get("vfs_alloc", &[0]).unwrap();
    assert!(write(&ctx, vfs, "before"));
    let children: Vec<libc::pid_t> = (0..4)
        .map(|number| match unsafe { libc::fork() } {
            0 => {
                let done = (0..3).all(|round| write(&ctx, vfs, &format!("child {number} {round}")));
                unsafe { libc::_exit(i32::from(!done)) }
            }
            child => child,
        })
        .collect();
    assert!((0..3).all(|round| write(&ctx, vfs, &format!("parent {round}"))));
    for child in children {
        let mut status = 0;
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0, "a child cannot use the store");
    }
    amid_reads(&ours);
    println!("cloud: parent and four forked children use one store");
}

/// Children are forked while a thread of the parent reads an array, and read it with the same context.
fn amid_reads(ours: &Api) {
    let folder = format!("{}/place", bucket());
    let expected = operations::with(ours, &folder, |place| {
        place.sparse(2)?;
        look(place)
    });
    let (expected, ctx, ended) = (expected.unwrap(), ours.context(&[]), AtomicBool::new(false));
    let shared = ctx.handle;
    std::thread::scope(|scope| {
        let (expected, folder, ended) = (&expected, folder.as_str(), &ended);
        let reader = scope.spawn(move || {
            let ours = Api::ours();
            let ctx = ManuallyDrop::new(Ctx { api: &ours, handle: shared });
            let (mut reads, mut all_right) = (0, true);
            while !ended.load(Ordering::Relaxed) {
                all_right &= look(&Place::new(&ctx, folder)).is_ok_and(|snapshot| snapshot == *expected);
                reads += 1;
            }
            assert!(all_right && reads > 0, "the parent's thread reads something else");
        });
        let read_in_child = || {
            match unsafe { libc::fork() } {
                0 => {
                    // A child that hangs is ended.
                    unsafe { libc::alarm(60) };
                    let is_right = look(&Place::new(&ctx, folder)).is_ok_and(|snapshot| snapshot == *expected);
                    unsafe { libc::_exit(i32::from(!is_right)) }
                }
                child => {
                    let mut status = 0;
                    (unsafe { libc::waitpid(child, &mut status, 0) } == child).then_some(status)
                }
            }
        };
        let wrong = (0..8).map(|_| read_in_child()).find(|status| *status != Some(0));
        ended.store(true, Ordering::Relaxed);
        reader.join().unwrap();
        assert_eq!(wrong, None, "a child forked amid a read cannot read");
    });
}
