//! Transfers folders from one storage to another through the VFS functions.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "calls foreign functions as a C program does")]

use std::ffi::{c_char, c_void};

use support::{Ctx, address, borrowed, bytes, pointer, text};

/// How it is done.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    /// File by file, as to an object store: folders without files do not come along.
    Files,
    /// As folders.
    Folders,
}

/// Carries all that is in a folder to another one.
pub fn carry(ctx: &Ctx<'_>, vfs: u64, way: Way, from: &str, to: &str) {
    match way {
        Way::Folders => {
            ctx.call("vfs_copy_dir", &[vfs, pointer(&text(from)), pointer(&text(to))]).unwrap();
        }
        Way::Files => carry_files(ctx, vfs, from, to),
    }
}

extern "C" fn note(uri: *const c_char, data: *mut c_void) -> i32 {
    let uris = unsafe { &mut *data.cast::<Vec<String>>() };
    uris.push(borrowed(uri as u64));
    1
}

fn carry_files(ctx: &Ctx<'_>, vfs: u64, from: &str, to: &str) {
    let mut uris: Vec<String> = Vec::new();
    let (callback, data) = (note as *const () as u64, std::ptr::from_mut(&mut uris) as u64);
    ctx.call("vfs_ls", &[vfs, pointer(&text(from)), callback, data]).unwrap();
    for uri in uris {
        let target = format!("{to}/{}", uri.trim_end_matches('/').rsplit('/').next().unwrap());
        let uri = text(&uri);
        if ctx.get("vfs_is_dir", &[vfs, pointer(&uri)]).unwrap() as i32 != 0 {
            carry_files(ctx, vfs, uri.to_str().unwrap(), &target);
        } else {
            let mut size = 0u64;
            ctx.call("vfs_file_size", &[vfs, pointer(&uri), address(&mut size)]).unwrap();
            let mut content = vec![0u8; size as usize];
            let file = ctx.get("vfs_open", &[vfs, pointer(&uri), 0]).unwrap();
            if size > 0 {
                ctx.call("vfs_read", &[file, 0, content.as_mut_ptr() as u64, size]).unwrap();
            }
            ctx.call("vfs_close", &[file]).unwrap();
            ctx.free("vfs_fh", file);
            let file = ctx.get("vfs_open", &[vfs, pointer(&text(&target)), 1]).unwrap();
            if size > 0 {
                ctx.call("vfs_write", &[file, bytes(&content), size]).unwrap();
            }
            ctx.call("vfs_close", &[file]).unwrap();
            ctx.free("vfs_fh", file);
        }
    }
}
