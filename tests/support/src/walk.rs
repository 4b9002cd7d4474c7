//! Walks arrays and groups with a callback, as a C program does.

use std::ffi::{c_char, c_void};

use crate::{Ctx, Failure, borrowed, pointer, text};

struct Visit {
    objects: Vec<(String, &'static str)>,
    most: u64,
}

extern "C" fn visit(uri: *const c_char, kind: u32, data: *mut c_void) -> i32 {
    let visit = unsafe { &mut *data.cast::<Visit>() };
    visit.objects.push((borrowed(uri as u64), ["INVALID", "GROUP", "ARRAY"][kind as usize]));
    i32::from((visit.objects.len() as u64) < visit.most)
}

/// What lies below a folder: URI and type. The order is 0 for groups before and 1 for after what they hold, and 2 for
/// what lies directly in the folder.
pub fn walk(ctx: &Ctx<'_>, folder: &str, order: u64, most: u64) -> Vec<(String, &'static str)> {
    try_walk(ctx, folder, order, most).unwrap()
}

/// As [`walk`].
pub fn try_walk(ctx: &Ctx<'_>, folder: &str, order: u64, most: u64) -> Result<Vec<(String, &'static str)>, Failure> {
    let folder = text(folder);
    let mut walk = Visit { objects: Vec::new(), most };
    let (callback, data) = (visit as *const () as u64, std::ptr::from_mut(&mut walk) as u64);
    match order {
        2 => ctx.call("object_ls", &[pointer(&folder), callback, data])?,
        _ => ctx.call("object_walk", &[pointer(&folder), order, callback, data])?,
    }
    Ok(walk.objects)
}

/// A copy of bytes that a library lends.
pub fn bytes_at(address: u64, length: usize) -> Vec<u8> {
    unsafe { std::slice::from_raw_parts(address as *const u8, length) }.to_vec()
}
